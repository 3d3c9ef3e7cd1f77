//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "redefinition.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters.h"
#include "whitebox.h"

/* The layout of jvmtiClassDefinition. */
typedef struct definition { jvm_ref class; int32_t size; const uint8_t *bytes; } definition;
typedef int32_t (*redefine_function)(jvmti_env *, int32_t, const definition *);
typedef int32_t (*retransform_function)(jvmti_env *, int32_t, const jvm_ref *);

/* A running redefinition, with global references to its classes. */
typedef struct running { jvm_ref *classes; int32_t n; struct running *next; } running;

static struct {
	const vm *vm;
	java_vm *java;
	redefine_function redefine; /* the VM's function; NULL if redefinitions are not intercepted */
	retransform_function retransform;
	pthread_rwlock_t lock;
	bool begun, blind; /* blind is set if memory ran out; all classes then count as forgotten */
	const vm_klass **forgotten; /* hash table */
	size_t n, room;             /* room is the capacity, a power of two */
	running *running;
} all = {.lock = PTHREAD_RWLOCK_INITIALIZER};

void redefinition_hold(void) { pthread_rwlock_rdlock(&all.lock); }
void redefinition_release(void) { pthread_rwlock_unlock(&all.lock); }

/* ---- forgotten classes ---- */

static size_t place(const vm_klass *const *table, size_t room, const vm_klass *k) {
	size_t i = (size_t)((uint64_t)(uintptr_t)k * 0x9e3779b97f4a7c15u >> 32) & (room - 1);
	while (table[i] != NULL && table[i] != k) i = (i + 1) & (room - 1);
	return i;
}

bool redefinition_forgot(const vm_klass *k) {
	return all.blind || (all.n > 0 && all.forgotten[place(all.forgotten, all.room, k)] == k);
}

static bool grow(void) {
	size_t room = all.room == 0 ? 1024 : 2 * all.room;
	const vm_klass **table = calloc(room, sizeof *table);
	if (table == NULL) return false;
	for (size_t i = 0; i < all.room; i++)
		if (all.forgotten[i] != NULL) table[place(table, room, all.forgotten[i])] = all.forgotten[i];
	free(all.forgotten);
	all.forgotten = table;
	all.room = room;
	return true;
}

static void forget(const vm_klass *k) {
	if (redefinition_forgot(k)) return;
	if (2 * all.n >= all.room && !grow()) {
		all.blind = true;
		return;
	}
	all.forgotten[place(all.forgotten, all.room, k)] = k;
	all.n++;
	COUNT(classes_forgotten);
}

/* ---- redefinitions ---- */

bool redefinition_is_running(jni_env *jni, jvm_ref class) {
	for (const running *r = all.running; r != NULL; r = r->next)
		for (int32_t i = 0; i < r->n; i++)
			if (jni_is_same(jni, r->classes[i], class)) return true;
	return false;
}

/* is_instance reports whether an argument of an agent is a class with methods. */
static bool is_instance(jvmti_env *ti, jvm_ref class) {
	int32_t status = 0;
	return class != NULL && ti_class_status(ti, class, &status) == JVM_OK &&
		(status & (TI_CLASS_ARRAY | TI_CLASS_PRIMITIVE)) == 0;
}

/* start marks the classes of a redefinition as forgotten and adds it to the list. If another thread is redefining a
 * class, its constants can be freed at any time, so it is forgotten too. */
static void start(running *r, jvmti_env *ti, jni_env *jni, int32_t n, jvm_ref class_at(const void *, int32_t),
	const void *list) {
	r->classes = n > 0 && list != NULL ? calloc((size_t)n, sizeof *r->classes) : NULL;
	pthread_rwlock_wrlock(&all.lock);
	if (r->classes == NULL) all.blind |= n > 0 && list != NULL;
	for (int32_t i = 0; r->classes != NULL && i < n; i++) {
		jvm_ref class = class_at(list, i);
		if (!is_instance(ti, class)) continue;
		const vm_klass *k =
			all.begun && !redefinition_is_running(jni, class) ? whitebox_klass(all.vm, jni, class) : NULL;
		if (k != NULL) forget(k);
		if ((r->classes[r->n] = jni_new_global_ref(jni, class)) == NULL) all.blind = true;
		else r->n++;
	}
	r->next = all.running;
	all.running = r;
	pthread_rwlock_unlock(&all.lock);
}

static void finish(running *r, jni_env *jni) {
	running **at = &all.running;
	pthread_rwlock_wrlock(&all.lock);
	while (*at != r) at = &(*at)->next;
	*at = r->next;
	pthread_rwlock_unlock(&all.lock);
	for (int32_t i = 0; i < r->n; i++) jni_delete_global_ref(jni, r->classes[i]);
	free(r->classes);
}

/* jni_here returns the JNI environment of this thread, or NULL if the thread does not belong to the VM. The VM's
 * function reports that error. */
static jni_env *jni_here(void) {
	jvm_env *jni = NULL;
	return vm_get_env(all.java, &jni, JNI_VERSION) == JVM_OK ? jni : NULL;
}

static jvm_ref class_of(const void *list, int32_t i) { return ((const jvm_ref *)list)[i]; }
static jvm_ref class_defined(const void *list, int32_t i) { return ((const definition *)list)[i].class; }

static int32_t redefine(jvmti_env *ti, int32_t n, const definition *list) {
	running r = {0};
	jni_env *jni = jni_here();
	if (jni == NULL) return all.redefine(ti, n, list);
	start(&r, ti, jni, n, class_defined, list);
	int32_t result = all.redefine(ti, n, list);
	finish(&r, jni);
	return result;
}

static int32_t retransform(jvmti_env *ti, int32_t n, const jvm_ref *list) {
	running r = {0};
	jni_env *jni = jni_here();
	if (jni == NULL) return all.retransform(ti, n, list);
	start(&r, ti, jni, n, class_of, list);
	int32_t result = all.retransform(ti, n, list);
	finish(&r, jni);
	return result;
}

/* ---- the table ---- */

/* is_of_vm reports whether an address is in libjvm.so. */
static bool is_of_vm(const java_vm *java, const void *p) {
	Dl_info vm, info;
	return dladdr((void *)(uintptr_t)java->functions[VM_GET_ENV], &vm) != 0 && dladdr(p, &info) != 0 &&
		vm.dli_fbase == info.dli_fbase;
}

/* can_write asks the kernel whether a memory range of this process is writable. */
static bool can_write(const void *p, size_t size) {
	uintptr_t from, to, at = (uintptr_t)p;
	char line[512], writes;
	bool can = false;
	FILE *f = fopen("/proc/self/maps", "re");
	while (f != NULL && !can && fgets(line, sizeof line, f) != NULL)
		can = sscanf(line, "%" SCNxPTR "-%" SCNxPTR " r%c", &from, &to, &writes) == 3 && writes == 'w' && at >= from &&
			at + size <= to;
	if (f != NULL) fclose(f);
	return can;
}

void redefinition_watch(const vm *v, java_vm *java, jvmti_env *ti) {
	jvm_function *table = (jvm_function *)(uintptr_t)ti->functions;
	jvm_function was[] = {table[TI_REDEFINE_CLASSES], table[TI_RETRANSFORM_CLASSES]};
	if (!is_of_vm(java, table) || !is_of_vm(java, (void *)(uintptr_t)was[0]) ||
		!is_of_vm(java, (void *)(uintptr_t)was[1]) || !can_write(table, (TI_RETRANSFORM_CLASSES + 1) * sizeof *table))
		return;
	all.vm = v;
	all.java = java;
	all.redefine = (redefine_function)was[0];
	all.retransform = (retransform_function)was[1];
	__atomic_store_n(&table[TI_REDEFINE_CLASSES], (jvm_function)redefine, __ATOMIC_RELEASE);
	__atomic_store_n(&table[TI_RETRANSFORM_CLASSES], (jvm_function)retransform, __ATOMIC_RELEASE);
}

void redefinition_begin(void) {
	pthread_rwlock_wrlock(&all.lock);
	all.begun = true;
	pthread_rwlock_unlock(&all.lock);
}

bool redefinition_is_unseen(const vm *v) { return all.redefine == NULL && vm_may_redefine(v); }
