//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "late.h"

#include <pthread.h>
#include <stddef.h>

static struct {
	late_work work;
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool running, ending;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static void finish(void) {
	all.work.finish();
	ti_deallocate(all.work.ti, all.work.classes);
	pthread_mutex_lock(&all.lock);
	all.running = false;
	pthread_cond_signal(&all.done);
	pthread_mutex_unlock(&all.lock);
}

static void run(jvmti_env *ti, jni_env *jni, void *unused) {
	(void)ti;
	(void)unused;
	for (int32_t i = 0; i < all.work.n; i++) {
		if (!__atomic_load_n(&all.ending, __ATOMIC_ACQUIRE)) all.work.take(jni, all.work.classes[i]);
		jni_delete_global_ref(jni, all.work.classes[i]);
	}
	finish();
}

/* keep makes the references ones that another thread may use. Classes without memory for that are left out. */
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
	enum { NORMAL_PRIORITY = 5 };
	jvm_ref own = thread == NULL ? NULL : jni_new_thread(jni, thread, "profarc");
	keep(jni, &w);
	all.work = w;
	all.running = true;
	if (own == NULL || ti_run(w.ti, own, run, NORMAL_PRIORITY) != JVM_OK) run(w.ti, jni, NULL);
}

void late_end(void) {
	__atomic_store_n(&all.ending, true, __ATOMIC_RELEASE);
	pthread_mutex_lock(&all.lock);
	while (all.running) pthread_cond_wait(&all.done, &all.lock);
	pthread_mutex_unlock(&all.lock);
}
