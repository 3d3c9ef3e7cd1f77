//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "late.h"

#include <pthread.h>
#include <stddef.h>

#include "deadline.h"

static struct {
	late_work work;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* signaled when running or ending changes */
	bool running, ending;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

enum { WAIT = 5 }; /* in ms; few methods become hot in this time, and Hello World ends */

static void finish(void) {
	all.work.finish();
	ti_deallocate(all.work.ti, all.work.classes);
	pthread_mutex_lock(&all.lock);
	all.running = false;
	pthread_cond_signal(&all.changed);
	pthread_mutex_unlock(&all.lock);
}

static void take_all(jni_env *jni) {
	for (int32_t i = 0; i < all.work.n; i++) {
		if (!__atomic_load_n(&all.ending, __ATOMIC_ACQUIRE)) all.work.take(jni, all.work.classes[i]);
		jni_delete_global_ref(jni, all.work.classes[i]);
	}
	finish();
}

static void run(jvmti_env *ti, jni_env *jni, void *unused) {
	(void)ti;
	(void)unused;
	(void)deadline_wait(&all.changed, &all.lock, &all.ending, WAIT);
	take_all(jni);
}

/* keep converts local references to global ones. It drops classes for which memory runs out. */
static void keep(jni_env *jni, late_work *w) {
	int32_t kept = 0;
	for (int32_t i = 0; i < w->n; i++) {
		jvm_ref class = jni_new_global_ref(jni, w->classes[i]);
		jni_delete_local_ref(jni, w->classes[i]);
		if (class != NULL) w->classes[kept++] = class;
	}
	w->n = kept;
}

void late_begin(jni_env *jni, jvm_ref thread, late_work w) {
	deadline_open(&all.changed);
	keep(jni, &w);
	all.work = w;
	all.running = true;
	if (thread == NULL || !ti_start(w.ti, jni, thread, run)) take_all(jni);
}

void late_end(void) {
	pthread_mutex_lock(&all.lock);
	__atomic_store_n(&all.ending, true, __ATOMIC_RELEASE);
	pthread_cond_signal(&all.changed);
	while (all.running) pthread_cond_wait(&all.changed, &all.lock);
	pthread_mutex_unlock(&all.lock);
}
