//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "aot_record.h"

#include <pthread.h>
#include <time.h>

#include "counters.h"
#include "lists.h"
#include "whitebox.h"

/* A method to compile. */
typedef struct recorded { const vm_klass *holder; const vm_method *method; } recorded;

static struct {
	const vm *vm;
	pthread_mutex_t lock;
	recorded *list;
	uint32_t n, room;
	bool begun, ending;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void aot_record_add(const prepared *holder, const vm_method *m) {
	pthread_mutex_lock(&all.lock);
	if (all.begun && holder->permanent && list_grow((void **)&all.list, all.n + 1, &all.room, sizeof *all.list))
		all.list[all.n++] = (recorded){holder->klass, m};
	pthread_mutex_unlock(&all.lock);
}

/* take_initialized removes a method with an initialized class from the list. It starts at position *at and sets *at to
 * the position where it stopped. */
static bool take_initialized(uint32_t *at, recorded *found) {
	bool is = false;
	pthread_mutex_lock(&all.lock);
	for (; !is && *at < all.n; ++*at) {
		if (!vm_is_initialized(all.vm, all.list[*at].holder)) continue;
		*found = all.list[*at];
		all.list[(*at)--] = all.list[--all.n];
		is = true;
	}
	pthread_mutex_unlock(&all.lock);
	return is;
}

/* ask requests compilation of a method without code. The caller must not hold the lock, because the VM may load
 * classes. */
static void ask(jni_env *jni, const vm_method *m) {
	enum { C1_PROFILING = 3 };
	if (whitebox_level(jni, m) != 0 || !whitebox_can_compile(jni, m, C1_PROFILING)) return;
	if (whitebox_compile(jni, m, C1_PROFILING)) COUNT(compiled_to_record);
}

static void run(jvmti_env *ti, jni_env *jni, void *unused) {
	const struct timespec period = {.tv_nsec = 10 * 1000000L};
	(void)ti;
	(void)unused;
	while (!__atomic_load_n(&all.ending, __ATOMIC_RELAXED) && !vm_may_redefine(all.vm)) {
		uint32_t at = 0;
		recorded r;
		while (!__atomic_load_n(&all.ending, __ATOMIC_RELAXED) && take_initialized(&at, &r)) ask(jni, r.method);
		nanosleep(&period, NULL);
	}
}

const char *aot_record_begin(const vm *v, jvmti_env *ti, jni_env *jni, jvm_ref thread) {
	if (!whitebox_compiles()) return "the VM has no natives that ask for compilations";
	all.vm = v;
	all.begun = true;
	return ti_start(ti, jni, thread, run) ? NULL : "there is no thread to ask for compilations";
}

void aot_record_end(void) { __atomic_store_n(&all.ending, true, __ATOMIC_RELAXED); }
