/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of JNI and JVMTI that the agent calls. Both interfaces are tables of functions with fixed indexes, which
 * their specifications define. So building the agent needs no headers of a JDK, which a run-time image lacks.
 * TestPlacesOfFunctions compares the indexes with a JDK's headers if there are any.
 */
#ifndef PROFARC_AGENT_JVM_H
#define PROFARC_AGENT_JVM_H

#include <stdbool.h>
#include <stdint.h>

typedef void (*jvm_function)(void);

/* A JNIEnv, a JavaVM or a jvmtiEnv. */
typedef struct jvm_env { const jvm_function *functions; } jvm_env;
typedef jvm_env jni_env, jvmti_env, java_vm;

typedef void *jvm_ref; /* jobject and its subtypes */
typedef void *jvm_method;

enum { JVM_OK = 0 };

/* Indexes in the table of a JavaVM. */
enum { VM_GET_ENV = 6 };

/* Indexes in the table of a JNIEnv. */
enum {
	JNI_DEFINE_CLASS = 5,
	JNI_FROM_REFLECTED_METHOD = 7,
	JNI_GET_SUPERCLASS = 10,
	JNI_EXCEPTION_CLEAR = 17,
	JNI_NEW_GLOBAL_REF = 21,
	JNI_DELETE_GLOBAL_REF = 22,
	JNI_DELETE_LOCAL_REF = 23,
	JNI_IS_SAME_OBJECT = 24,
	JNI_NEW_LOCAL_REF = 25,
	JNI_ENSURE_LOCAL_CAPACITY = 26,
	JNI_NEW_OBJECT = 28,
	JNI_GET_OBJECT_CLASS = 31,
	JNI_GET_METHOD_ID = 33,
	JNI_GET_FIELD_ID = 94,
	JNI_GET_OBJECT_FIELD = 95,
	JNI_GET_STATIC_METHOD_ID = 113,
	JNI_CALL_STATIC_VOID_METHOD = 141,
	JNI_NEW_STRING_UTF = 167,
	JNI_GET_STRING_UTF_CHARS = 169,
	JNI_RELEASE_STRING_UTF_CHARS = 170,
	JNI_REGISTER_NATIVES = 215,
	JNI_NEW_WEAK_GLOBAL_REF = 226,
	JNI_DELETE_WEAK_GLOBAL_REF = 227,
	JNI_EXCEPTION_CHECK = 228
};

/* Indexes in the table of a jvmtiEnv, which are one less than the numbers in the specification. */
enum {
	TI_SET_EVENT_NOTIFICATION_MODE = 1,
	TI_RUN_AGENT_THREAD = 11,
	TI_DEALLOCATE = 46,
	TI_GET_CLASS_SIGNATURE = 47,
	TI_GET_CLASS_STATUS = 48,
	TI_GET_CLASS_LOADER = 56,
	TI_GET_LOADED_CLASSES = 77,
	TI_REDEFINE_CLASSES = 86,
	TI_FOLLOW_REFERENCES = 114,
	TI_GET_JNI_FUNCTION_TABLE = 120,
	TI_SET_EVENT_CALLBACKS = 121,
	TI_DISPOSE_ENVIRONMENT = 126,
	TI_GET_SYSTEM_PROPERTY = 130,
	TI_ADD_CAPABILITIES = 141,
	TI_RETRANSFORM_CLASSES = 151
};

enum { JVMTI_VERSION = 0x300b0000 }; /* 11 */
enum { JNI_VERSION = 0x00010008 };
enum { TI_ENABLE = 1, TI_DISABLE = 0 };
enum {
	TI_EVENT_VM_INIT = 50,
	TI_EVENT_VM_DEATH = 51,
	TI_EVENT_CLASS_PREPARE = 56,
	TI_EVENT_RESOURCE_EXHAUSTED = 80,
	TI_EVENTS = 39
}; /* 39 events, starting at VM_INIT */
enum { TI_CLASS_PREPARED = 2, TI_CLASS_ARRAY = 16, TI_CLASS_PRIMITIVE = 32 };
enum { TI_VISIT_ABORT = 0x8000, TI_HEAP_CALLBACKS = 16 };
enum {
	TI_CAN_TAG_OBJECTS = 0,
	TI_CAN_TELL_EXHAUSTION = 39,
	TI_CAPABILITY_BITS = 128
}; /* capability bit for exhaustion of the heap and the metaspace */

/* ---- JavaVM ---- */

static inline int32_t vm_get_env(java_vm *vm, jvm_env **env, int32_t version) {
	return ((int32_t (*)(java_vm *, void **, int32_t))vm->functions[VM_GET_ENV])(vm, (void **)env, version);
}

/* ---- JNI ---- */

typedef struct jni_native { char *name, *signature; void *function; } jni_native;

static inline jvm_ref jni_define_class(jni_env *e, const char *name, const void *bytes, int32_t size) {
	return ((jvm_ref(*)(jni_env *, const char *, jvm_ref, const void *, int32_t))e->functions[JNI_DEFINE_CLASS])(
		e, name, 0, bytes, size);
}
static inline jvm_ref jni_get_superclass(jni_env *e, jvm_ref class) {
	return ((jvm_ref (*)(jni_env *, jvm_ref))e->functions[JNI_GET_SUPERCLASS])(e, class);
}
static inline void jni_exception_clear(jni_env *e) { ((void (*)(jni_env *))e->functions[JNI_EXCEPTION_CLEAR])(e); }
static inline uint8_t jni_exception_check(jni_env *e) {
	return ((uint8_t(*)(jni_env *))e->functions[JNI_EXCEPTION_CHECK])(e);
}
static inline jvm_ref jni_new_global_ref(jni_env *e, jvm_ref r) {
	return ((jvm_ref (*)(jni_env *, jvm_ref))e->functions[JNI_NEW_GLOBAL_REF])(e, r);
}
static inline void jni_delete_global_ref(jni_env *e, jvm_ref r) {
	((void (*)(jni_env *, jvm_ref))e->functions[JNI_DELETE_GLOBAL_REF])(e, r);
}
static inline bool jni_is_same(jni_env *e, jvm_ref a, jvm_ref b) {
	return ((uint8_t(*)(jni_env *, jvm_ref, jvm_ref))e->functions[JNI_IS_SAME_OBJECT])(e, a, b) != 0;
}
static inline jvm_ref jni_new_local_ref(jni_env *e, jvm_ref r) {
	return ((jvm_ref (*)(jni_env *, jvm_ref))e->functions[JNI_NEW_LOCAL_REF])(e, r);
}
static inline int32_t jni_ensure_local_refs(jni_env *e, int32_t n) {
	return ((int32_t (*)(jni_env *, int32_t))e->functions[JNI_ENSURE_LOCAL_CAPACITY])(e, n);
}
static inline jvm_ref jni_new_weak_ref(jni_env *e, jvm_ref r) {
	return ((jvm_ref (*)(jni_env *, jvm_ref))e->functions[JNI_NEW_WEAK_GLOBAL_REF])(e, r);
}
static inline void jni_delete_weak_ref(jni_env *e, jvm_ref r) {
	((void (*)(jni_env *, jvm_ref))e->functions[JNI_DELETE_WEAK_GLOBAL_REF])(e, r);
}
static inline void jni_delete_local_ref(jni_env *e, jvm_ref r) {
	((void (*)(jni_env *, jvm_ref))e->functions[JNI_DELETE_LOCAL_REF])(e, r);
}
static inline jvm_ref jni_get_object_class(jni_env *e, jvm_ref r) {
	return ((jvm_ref (*)(jni_env *, jvm_ref))e->functions[JNI_GET_OBJECT_CLASS])(e, r);
}
static inline jvm_method jni_get_static_method(jni_env *e, jvm_ref class, const char *name, const char *signature) {
	return ((jvm_method(*)(jni_env *, jvm_ref, const char *, const char *))e->functions[JNI_GET_STATIC_METHOD_ID])(
		e, class, name, signature);
}
static inline void jni_call_static_void(jni_env *e, jvm_ref class, jvm_method method) {
	((void (*)(jni_env *, jvm_ref, jvm_method, ...))e->functions[JNI_CALL_STATIC_VOID_METHOD])(e, class, method);
}
/* jni_new_object makes an object with a constructor that has one argument. */
static inline jvm_ref jni_new_object(jni_env *e, jvm_ref class, const char *signature, jvm_ref argument) {
	jvm_method init = ((jvm_method(*)(jni_env *, jvm_ref, const char *, const char *))e->functions[JNI_GET_METHOD_ID])(
		e, class, "<init>", signature);
	return init == 0
		? 0
		: ((jvm_ref(*)(jni_env *, jvm_ref, jvm_method, ...))e->functions[JNI_NEW_OBJECT])(e, class, init, argument);
}
static inline jvm_ref jni_new_string(jni_env *e, const char *text) {
	return ((jvm_ref (*)(jni_env *, const char *))e->functions[JNI_NEW_STRING_UTF])(e, text);
}
static inline void *jni_get_field(jni_env *e, jvm_ref class, const char *name, const char *signature) {
	return ((void *(*)(jni_env *, jvm_ref, const char *, const char *))e->functions[JNI_GET_FIELD_ID])(
		e, class, name, signature);
}
static inline jvm_ref jni_get_object_field(jni_env *e, jvm_ref object, void *field) {
	return ((jvm_ref (*)(jni_env *, jvm_ref, void *))e->functions[JNI_GET_OBJECT_FIELD])(e, object, field);
}
static inline const char *jni_get_string(jni_env *e, jvm_ref string) {
	return ((const char *(*)(jni_env *, jvm_ref, uint8_t *))e->functions[JNI_GET_STRING_UTF_CHARS])(e, string, 0);
}
static inline void jni_release_string(jni_env *e, jvm_ref string, const char *text) {
	((void (*)(jni_env *, jvm_ref, const char *))e->functions[JNI_RELEASE_STRING_UTF_CHARS])(e, string, text);
}

/* ---- JVMTI ---- */

static inline int ti_enable(jvmti_env *t, int on, int event) {
	return ((int (*)(jvmti_env *, int, int, jvm_ref, ...))t->functions[TI_SET_EVENT_NOTIFICATION_MODE])(
		t, on, event, 0);
}
typedef void (*ti_thread)(jvmti_env *, jni_env *, void *);

/* ti_run runs a function in a thread that is invisible to the program. */
static inline int ti_run(jvmti_env *t, jvm_ref thread, ti_thread run, int priority) {
	return ((int (*)(jvmti_env *, jvm_ref, ti_thread, const void *, int32_t))t->functions[TI_RUN_AGENT_THREAD])(
		t, thread, run, 0, priority);
}
/* ti_start runs a function in a new thread object with the class of another one. It returns false on failure. */
static inline bool ti_start(jvmti_env *t, jni_env *e, jvm_ref other, ti_thread run) {
	enum { NORMAL_PRIORITY = 5 };
	jvm_ref class = jni_get_object_class(e, other), name = jni_new_string(e, "profarc"), thread = 0;
	if (class != 0 && name != 0) thread = jni_new_object(e, class, "(Ljava/lang/String;)V", name);
	if (jni_exception_check(e)) jni_exception_clear(e);
	return thread != 0 && ti_run(t, thread, run, NORMAL_PRIORITY) == JVM_OK;
}
static inline int ti_deallocate(jvmti_env *t, void *p) {
	return ((int (*)(jvmti_env *, void *))t->functions[TI_DEALLOCATE])(t, p);
}
static inline int ti_class_signature(jvmti_env *t, jvm_ref class, char **signature) {
	return ((int (*)(jvmti_env *, jvm_ref, char **, char **))t->functions[TI_GET_CLASS_SIGNATURE])(
		t, class, signature, 0);
}
static inline int ti_class_status(jvmti_env *t, jvm_ref class, int32_t *status) {
	return ((int (*)(jvmti_env *, jvm_ref, int32_t *))t->functions[TI_GET_CLASS_STATUS])(t, class, status);
}
static inline int ti_class_loader(jvmti_env *t, jvm_ref class, jvm_ref *loader) {
	return ((int (*)(jvmti_env *, jvm_ref, jvm_ref *))t->functions[TI_GET_CLASS_LOADER])(t, class, loader);
}
static inline int ti_loaded_classes(jvmti_env *t, int32_t *n, jvm_ref **classes) {
	return ((int (*)(jvmti_env *, int32_t *, jvm_ref **))t->functions[TI_GET_LOADED_CLASSES])(t, n, classes);
}
static inline int ti_jni_table(jvmti_env *t, jvm_function **table) {
	return ((int (*)(jvmti_env *, jvm_function **))t->functions[TI_GET_JNI_FUNCTION_TABLE])(t, table);
}
static inline int ti_set_callbacks(jvmti_env *t, const jvm_function *callbacks, int32_t size) {
	return ((int (*)(jvmti_env *, const jvm_function *, int32_t))t->functions[TI_SET_EVENT_CALLBACKS])(
		t, callbacks, size);
}
static inline int ti_add_capability(jvmti_env *t, int bit) {
	uint8_t bits[TI_CAPABILITY_BITS / 8] = {0};
	bits[bit / 8] = (uint8_t)(1 << bit % 8);
	return ((int (*)(jvmti_env *, const uint8_t *))t->functions[TI_ADD_CAPABILITIES])(t, bits);
}
static inline int ti_dispose(jvmti_env *t) {
	return ((int (*)(jvmti_env *))t->functions[TI_DISPOSE_ENVIRONMENT])(t);
}
typedef int32_t (*ti_reference)(int, const void *, int64_t, int64_t, int64_t, int64_t *, int64_t *, int32_t, void *);

/* ti_visit_references visits the references of the heap at a safepoint, those from stacks first. */
static inline int ti_visit_references(jvmti_env *t, ti_reference visit, void *data) {
	jvm_function callbacks[TI_HEAP_CALLBACKS] = {0, (jvm_function)visit};
	return ((int (*)(jvmti_env *, int32_t, jvm_ref, jvm_ref, const jvm_function *, void *))
			t->functions[TI_FOLLOW_REFERENCES])(t, 0, 0, 0, callbacks, data);
}
static inline int ti_property(jvmti_env *t, const char *name, char **value) {
	return ((int (*)(jvmti_env *, const char *, char **))t->functions[TI_GET_SYSTEM_PROPERTY])(t, name, value);
}

#endif
