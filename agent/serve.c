//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { UNKNOWN_EXIT = -1, EXIT_BITS = 255, WAIT_SECONDS = 60 };

/* on_exit is missing in some C libraries. */
extern int on_exit(void (*call)(int, void *), void *argument) __attribute__((weak));

static struct { struct sockaddr_un socket; pid_t process; } served;

static bool open_address(struct sockaddr_un *a, const char *path) {
	a->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof a->sun_path) return false;
	strcpy(a->sun_path, path);
	return true;
}

/* send_frame sends bytes from any address. The system checks the address: errno is EFAULT, and nothing was sent, if
 * some bytes are not mapped. That holds because a frame fits into one buffer of the socket. */
static bool send_frame(int to, const void *bytes, uint32_t n) {
	struct iovec parts[] = {{&n, sizeof n}, {(void *)bytes, n}};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = n == 0 ? 1 : 2};
	errno = 0;
	return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)(sizeof n + n);
}

static bool send_maps(int to) {
	char text[4096];
	ssize_t n = -1;
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (maps < 0) return false;
	while ((n = read(maps, text, sizeof text)) > 0 && send_frame(to, text, (uint32_t)n)) {}
	close(maps);
	return n == 0 && send_frame(to, NULL, 0);
}

static void answer_requests(int to) {
	serve_request r;
	while (recv(to, &r, sizeof r, MSG_WAITALL) == sizeof r && r.length <= SERVE_LONGEST)
		if (!send_frame(to, (const void *)(uintptr_t)r.address, r.length) &&
			(errno != EFAULT || !send_frame(to, NULL, 0)))
			return;
}

/* serve serves until the connection closes. Signals go to other threads meanwhile, since they would interrupt calls. */
static void serve(const struct sockaddr_un *socket_address, int32_t exit_code) {
	struct timeval limit = {WAIT_SECONDS, 0};
	sigset_t all, before;
	sigfillset(&all);
	int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (to < 0 || pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
	if (setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
		setsockopt(to, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
		connect(to, (const struct sockaddr *)socket_address, sizeof *socket_address) == 0 &&
		send(to, &exit_code, sizeof exit_code, MSG_NOSIGNAL) == sizeof exit_code && send_maps(to))
		answer_requests(to);
	close(to);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void on_exit_code(int code, void *unused) {
	(void)unused;
	if (getpid() == served.process) serve(&served.socket, code < 0 ? UNKNOWN_EXIT : code & EXIT_BITS);
}

static void on_any_exit(void) { on_exit_code(UNKNOWN_EXIT, NULL); }

const char *serve_at_exit(const char *path) {
	if (!open_address(&served.socket, path)) return "the path of the socket is too long";
	served.process = getpid(); /* not a forked child */
	int failed = on_exit == NULL ? atexit(on_any_exit) : on_exit(on_exit_code, NULL);
	return failed != 0 ? "the process is out of memory" : NULL;
}
