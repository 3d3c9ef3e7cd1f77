//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { RUNNING = -1, UNKNOWN_EXIT = -2, EXIT_BITS = 255, WAIT_SECONDS = 60, MOST_MAPS = 1 << 24 };

/* on_exit is missing in some C libraries. */
extern int on_exit(void (*call)(int, void *), void *argument) __attribute__((weak));

static struct { struct sockaddr_un socket; pid_t process; } at_exit;

typedef struct connection { int to; bool held; char *maps; } connection;

static const char *set_address(struct sockaddr_un *a, const char *path) {
	a->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof a->sun_path) return "the path of the socket is too long";
	strcpy(a->sun_path, path);
	return NULL;
}

/* send_frame sends bytes from any address. The system checks the address: errno is EFAULT, and nothing was sent, if
 * some bytes are not mapped. That holds because a frame fits into one buffer of the socket. */
static bool send_frame(int to, const void *bytes, uint32_t n) {
	struct iovec parts[] = {{&n, sizeof n}, {(void *)bytes, n}};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = n == 0 ? 1 : 2};
	ssize_t sent;
	do sent = sendmsg(to, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0) errno = 0;
	return sent == (ssize_t)(sizeof n + n);
}

/* receive receives a request, which arrives whole. A tracer interrupts calls. */
static bool receive(int from, serve_request *r) {
	ssize_t n;
	do n = recv(from, r, sizeof *r, MSG_WAITALL);
	while (n < 0 && errno == EINTR);
	return n == sizeof *r;
}

static bool send_hello(connection *c, int32_t exit_code) {
	serve_hello h = {.exit_code = exit_code, .maps = (uintptr_t)c->maps};
	ssize_t n;
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (maps < 0) return false;
	while ((n = read(maps, c->maps + h.maps_length, MOST_MAPS - h.maps_length)) > 0) h.maps_length += (uint32_t)n;
	close(maps);
	return send(c->to, &h, sizeof h, MSG_NOSIGNAL) == sizeof h;
}

/* answer_requests returns false if the connection ended. A running VM has ti. */
static bool answer_requests(connection *c, jvmti_env *ti);

/* on_safepoint is called by the VM's thread at a safepoint. */
static int32_t on_safepoint(connection *c) {
	c->held = true;
	if (send_frame(c->to, NULL, 0)) answer_requests(c, NULL);
	return TI_VISIT_ABORT;
}

static int32_t on_reference(int kind, const void *info, int64_t class, int64_t referrer_class, int64_t size,
	int64_t *tag, int64_t *referrer_tag, int32_t length, void *c) {
	(void)kind, (void)info, (void)class, (void)referrer_class, (void)size, (void)tag, (void)referrer_tag, (void)length;
	return on_safepoint(c);
}

static bool hold(connection *c, jvmti_env *ti) {
	c->held = false;
	ti_visit_references(ti, on_reference, c);
	return c->held || send_frame(c->to, "", 1);
}

static bool answer_requests(connection *c, jvmti_env *ti) {
	serve_request r;
	while (receive(c->to, &r) && r.length <= SERVE_LONGEST) {
		if (r.length == 0 && ti == NULL) return true;
		if (r.length == 0) {
			if (r.address == SERVE_HOLD && !hold(c, ti)) return false;
		} else if (!send_frame(c->to, (const void *)(uintptr_t)r.address, (uint32_t)r.length) &&
			(errno != EFAULT || !send_frame(c->to, NULL, 0)))
			return false;
	}
	return false;
}

static bool open_connection(connection *c, const struct sockaddr_un *socket) {
	struct timeval limit = {WAIT_SECONDS, 0};
	return c->to >= 0 && c->maps != MAP_FAILED &&
		setsockopt(c->to, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
		setsockopt(c->to, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
		connect(c->to, (const struct sockaddr *)socket, sizeof *socket) == 0;
}

/* serve serves until the connection closes. Signals go to other threads meanwhile, since they would interrupt calls. */
static void serve(const struct sockaddr_un *address, int32_t exit_code, jvmti_env *ti) {
	sigset_t all, before;
	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
	connection c = {.to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
		.maps = mmap(NULL, MOST_MAPS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)};
	if (open_connection(&c, address) && send_hello(&c, exit_code)) answer_requests(&c, ti);
	if (c.maps != MAP_FAILED) munmap(c.maps, MOST_MAPS);
	close(c.to);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void on_exit_code(int code, void *unused) {
	(void)unused;
	if (getpid() == at_exit.process) serve(&at_exit.socket, code < 0 ? UNKNOWN_EXIT : code & EXIT_BITS, NULL);
}

static void on_any_exit(void) { on_exit_code(UNKNOWN_EXIT, NULL); }

const char *serve_at_exit(const char *path) {
	const char *wrong = set_address(&at_exit.socket, path);
	at_exit.process = getpid(); /* not a forked child */
	if (wrong == NULL && (on_exit == NULL ? atexit(on_any_exit) : on_exit(on_exit_code, NULL)) != 0)
		wrong = "the process is out of memory";
	return wrong;
}

const char *serve_now(const char *path, java_vm *java) {
	struct sockaddr_un address = {0};
	jvmti_env *ti;
	const char *wrong = set_address(&address, path);
	if (wrong != NULL) return wrong;
	if (vm_get_env(java, &ti, JVMTI_VERSION) != JVM_OK || ti_add_capability(ti, TI_CAN_TAG_OBJECTS) != JVM_OK)
		return "the VM has no JVMTI";
	serve(&address, RUNNING, ti);
	ti_dispose(ti);
	return NULL;
}
