//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "whitebox.h"

#include <stdlib.h>
#include <string.h>

typedef void (*make_data)(jni_env *, jvm_ref, jvm_ref);
typedef int64_t (*constant_pool)(jni_env *, jvm_ref, jvm_ref);
typedef int32_t (*of_level)(jni_env *, jvm_ref, int32_t);
typedef uint8_t (*is_queued)(jni_env *, jvm_ref, jvm_ref);
typedef int32_t (*level_of)(jni_env *, jvm_ref, jvm_ref, uint8_t);
typedef uint8_t (*can_compile)(jni_env *, jvm_ref, jvm_ref, int32_t, uint8_t);
typedef uint8_t (*compile)(jni_env *, jvm_ref, jvm_ref, int32_t, int32_t);

static struct {
	make_data make;
	constant_pool pool;
	of_level queue;
	is_queued queued;
	level_of level;
	can_compile able;
	compile compile;
	jvm_function *table; /* JNI's functions, except that FromReflectedMethod returns the method of this thread */
	jvm_ref any;         /* an object, for natives that require one */
} natives;

/* The jmethodID of the method for which this thread calls a native. */
static _Thread_local jvm_method current;

static jvm_method from_reflected_method(jni_env *jni, jvm_ref method) {
	(void)jni;
	(void)method;
	return current;
}

/* register_natives replaces JNI's RegisterNatives while the VM registers WhiteBox's natives. */
static int32_t register_natives(jni_env *jni, jvm_ref class, const jni_native *list, int32_t n) {
	(void)jni;
	(void)class;
	static const struct { const char *name; void *to;
	} wanted[] = {
		{"markMethodProfiled", &natives.make},
		{"getConstantPool0", &natives.pool},
		{"getCompileQueueSize", &natives.queue},
		{"isMethodQueuedForCompilation0", &natives.queued},
		{"getMethodCompilationLevel0", &natives.level},
		{"isMethodCompilable0", &natives.able},
		{"enqueueMethodForCompilation0", &natives.compile},
	};
	for (int32_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
			if (strcmp(list[i].name, wanted[k].name) == 0)
				memcpy(wanted[k].to, &list[i].function, sizeof list[i].function);
	return JVM_OK;
}

/* ---- the class ---- */

typedef struct class_file { uint8_t bytes[256]; uint32_t n; } class_file;

static void put16(class_file *c, uint32_t v) {
	c->bytes[c->n++] = (uint8_t)(v >> 8);
	c->bytes[c->n++] = (uint8_t)v;
}

static void put_text(class_file *c, const char *text) {
	size_t n = strlen(text);
	c->bytes[c->n++] = 1; /* CONSTANT_Utf8 */
	put16(c, (uint32_t)n);
	memcpy(c->bytes + c->n, text, n);
	c->n += (uint32_t)n;
}

static void put_class(class_file *c, uint32_t name) {
	c->bytes[c->n++] = 7; /* CONSTANT_Class */
	put16(c, name);
}

/* make_class writes the class file of public class NAME { static native void registerNatives(); } */
static void make_class(class_file *c, const char *name) {
	enum { JAVA_8 = 52, PUBLIC_SUPER = 0x21, STATIC_NATIVE = 0x108 };
	c->n = 0;
	put16(c, 0xcafe);
	put16(c, 0xbabe);
	put16(c, 0);
	put16(c, JAVA_8);
	put16(c, 7); /* number of constants + 1 */
	put_text(c, name);
	put_class(c, 1);
	put_text(c, "java/lang/Object");
	put_class(c, 3);
	put_text(c, "registerNatives");
	put_text(c, "()V");
	put16(c, PUBLIC_SUPER);
	put16(c, 2);
	put16(c, 4);
	put16(c, 0);
	put16(c, 0); /* interfaces, fields */
	put16(c, 1);
	put16(c, STATIC_NATIVE);
	put16(c, 5);
	put16(c, 6);
	put16(c, 0);
	put16(c, 0); /* attributes */
}

/* ---- registration ---- */

/* define defines the class. It returns NULL if the VM refuses, for instance because a class with the name exists. */
static jvm_ref define(jni_env *jni, const char *name) {
	class_file c;
	make_class(&c, name);
	jvm_ref class = jni_define_class(jni, name, c.bytes, (int32_t)c.n);
	if (jni_exception_check(jni)) jni_exception_clear(jni);
	return class;
}

/* call_registration calls registerNatives with a table of JNI functions that intercepts the registration. */
static void call_registration(jni_env *jni, jvm_ref class, jvm_method method, jvm_function *table) {
	const jvm_function *own = jni->functions;
	table[JNI_REGISTER_NATIVES] = (jvm_function)register_natives;
	jni->functions = table;
	((void (*)(jni_env *, jvm_ref, jvm_method, ...))own[JNI_CALL_STATIC_VOID_METHOD])(jni, class, method);
	jni->functions = own;
}

static bool found_all(void) { return natives.make != NULL && natives.pool != NULL; }

/* try_class registers the natives of WhiteBox under one of its names. */
static void try_class(const vm_flag *api, jni_env *jni, const char *name, jvm_function *table) {
	jvm_ref class = define(jni, name);
	if (class == NULL) return;
	jvm_method method = jni_get_static_method(jni, class, "registerNatives", "()V");
	if (method != NULL) {
		uint8_t was = __atomic_exchange_n((uint8_t *)api->at, 1, __ATOMIC_SEQ_CST);
		call_registration(jni, class, method, table);
		__atomic_store_n((uint8_t *)api->at, was, __ATOMIC_SEQ_CST);
	}
	if (jni_exception_check(jni)) jni_exception_clear(jni);
	if (found_all()) natives.any = jni_new_global_ref(jni, class);
	jni_delete_local_ref(jni, class);
}

const char *whitebox_open(const vm *v, jvmti_env *ti, jni_env *jni) {
	static const char *const names[] = {"jdk/test/whitebox/WhiteBox", "sun/hotspot/WhiteBox"};
	enum { FIRST_WITH_NEW_NAME = 18 };
	vm_flag api;
	jvm_function *table;
	if (!vm_find_flag(v, "WhiteBoxAPI", "UseTLAB", &api)) return "the VM has no flag WhiteBoxAPI";
	if (ti_jni_table(ti, &table) != JVM_OK) return "JVMTI gives no table of JNI functions";
	for (int i = v->release < FIRST_WITH_NEW_NAME, tried = 0; tried < 2 && !found_all(); i ^= 1, tried++)
		try_class(&api, jni, names[i], table);
	if (!found_all()) return "the VM has no natives of WhiteBox";
	ti_deallocate(ti, table);
	if (ti_jni_table(ti, &natives.table) != JVM_OK) return "JVMTI gives no table of JNI functions";
	natives.table[JNI_FROM_REFLECTED_METHOD] = (jvm_function)from_reflected_method;
	return natives.any == NULL ? "the VM is out of memory" : NULL;
}

/* ---- calls ---- */

const vm_klass *whitebox_klass(const vm *v, jni_env *jni, jvm_ref class) {
	const void *pool = (const void *)(uintptr_t)natives.pool(jni, natives.any, class);
	return pool == NULL ? NULL : vm_pointer(pool, v->pool.holder);
}

const vm_klass *whitebox_class(const vm *v, jni_env *jni) { return whitebox_klass(v, jni, natives.any); }

/* begin and end enclose a call of a native that reads the method of an object. */
static const jvm_function *begin(jni_env *jni, const vm_method *const *word, jvm_method id) {
	const jvm_function *own = jni->functions;
	current = id != NULL ? id : (jvm_method)(uintptr_t)word;
	jni->functions = natives.table;
	return own;
}

static void end(jni_env *jni, const jvm_function *own) {
	jni->functions = own;
	current = NULL;
	if (jni_exception_check(jni)) jni_exception_clear(jni);
}

vm_data *whitebox_make_data(const vm *v, jni_env *jni, const vm_method *m, jvm_method id) {
	const jvm_function *own = begin(jni, &m, id);
	natives.make(jni, natives.any, natives.any);
	end(jni, own);
	return vm_method_data(v, m);
}

/* ---- compilations ---- */

bool whitebox_compiles(void) {
	return natives.queue != NULL && natives.queued != NULL && natives.level != NULL && natives.able != NULL &&
		natives.compile != NULL;
}

int32_t whitebox_queue(jni_env *jni, int32_t level) { return natives.queue(jni, natives.any, level); }

int32_t whitebox_level(jni_env *jni, const vm_method *m) {
	const jvm_function *own = begin(jni, &m, NULL);
	int32_t level = natives.level(jni, natives.any, natives.any, 0);
	end(jni, own);
	return level;
}

bool whitebox_is_queued(jni_env *jni, const vm_method *m) {
	const jvm_function *own = begin(jni, &m, NULL);
	bool queued = natives.queued(jni, natives.any, natives.any) != 0;
	end(jni, own);
	return queued;
}

bool whitebox_can_compile(jni_env *jni, const vm_method *m, int32_t level) {
	const jvm_function *own = begin(jni, &m, NULL);
	bool able = natives.able(jni, natives.any, natives.any, level, 0) != 0;
	end(jni, own);
	return able;
}

bool whitebox_compile(jni_env *jni, const vm_method *m, int32_t level) {
	enum { METHOD_ENTRY = -1 };
	const jvm_function *own = begin(jni, &m, NULL);
	bool done = natives.compile(jni, natives.any, natives.any, level, METHOD_ENTRY) != 0;
	end(jni, own);
	return done;
}
