/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets calls of the agent to JNI and JVMTI fail. The agent is built with -DAgent_OnLoad=agent_on_load, and the
 * Agent_OnLoad below puts functions into the VM's tables that fail within the agent's callbacks and threads alone. JNI
 * throws an OutOfMemoryError, as the VM does. The two calls by which the agent watches redefinitions stay.
 */
#include <stdio.h>
#include <string.h>

#include "../jvm.h"
#include "failing.h"

enum { JNI_FIND_CLASS = 6, JNI_THROW_NEW = 14, JNI_FUNCTIONS = 229, TI_SET_JNI_FUNCTION_TABLE = 119 };
enum { TI_FUNCTIONS = 156, TI_OUT_OF_MEMORY = 110 };
enum { QUIET = 0, THROWS = 1 };

typedef uintptr_t word;
typedef word call(void *env, word a, word b, word c, word d); /* with as many arguments as any of them */

static jvm_function jni_real[JNI_FUNCTIONS], ti_real[TI_FUNCTIONS], callbacks[TI_EVENTS];
static word out_of_memory; /* the class of the error, found before a loader of the program would be asked for it */
static _Thread_local bool inside; /* the agent, and nothing that it called */

static word forward(jvm_function f, void *env, word a, word b, word c, word d) {
	bool was = inside;
	inside = false;
	word result = ((call *)f)(env, a, b, c, d);
	inside = was;
	return result;
}

/* ---- JNI ---- */

static word fail_jni(jni_env *jni, word none, int throws) {
	if (throws == THROWS) {
		forward(jni_real[JNI_THROW_NEW], jni, out_of_memory, (word) "a test lets it fail", 0, 0);
	}
	return none;
}

#define JNI_CALLS(X) \
	X(JNI_DEFINE_CLASS, 0, THROWS) \
	X(JNI_NEW_GLOBAL_REF, 0, QUIET) \
	X(JNI_NEW_LOCAL_REF, 0, QUIET) \
	X(JNI_ENSURE_LOCAL_CAPACITY, (word)-1, THROWS) \
	X(JNI_NEW_OBJECT, 0, THROWS) \
	X(JNI_GET_METHOD_ID, 0, THROWS) \
	X(JNI_GET_FIELD_ID, 0, THROWS) \
	X(JNI_GET_STATIC_METHOD_ID, 0, THROWS) \
	X(JNI_CALL_STATIC_VOID_METHOD, 0, THROWS) \
	X(JNI_NEW_STRING_UTF, 0, THROWS) \
	X(JNI_GET_STRING_UTF_CHARS, 0, THROWS) \
	X(JNI_NEW_WEAK_GLOBAL_REF, 0, THROWS)

#define JNI_CALL(place, none, throws) \
	static word call_##place(void *jni, word a, word b, word c, word d) { \
		if (inside && failing_call(true)) return fail_jni(jni, none, throws); \
		return forward(jni_real[place], jni, a, b, c, d); \
	}
JNI_CALLS(JNI_CALL)

/* replace_jni replaces functions of all threads. The VM allows it once it has started. */
static void replace_jni(jvmti_env *ti, jni_env *jni) {
	jvm_function *table;
	if (ti_jni_table(ti, &table) != JVM_OK) return;
	memcpy(jni_real, table, sizeof jni_real);
	word class = forward(jni_real[JNI_FIND_CLASS], jni, (word) "java/lang/OutOfMemoryError", 0, 0, 0);
	out_of_memory = forward(jni_real[JNI_NEW_GLOBAL_REF], jni, class, 0, 0, 0);
#define REPLACE_JNI(place, none, throws) table[place] = (jvm_function)call_##place;
	JNI_CALLS(REPLACE_JNI)
	((int (*)(jvmti_env *, const jvm_function *))ti->functions[TI_SET_JNI_FUNCTION_TABLE])(ti, table);
	ti_deallocate(ti, table);
}

/* ---- JVMTI ---- */

/* check_left reports an exception that the agent leaves to the program. */
static void check_left(jni_env *jni) {
	if (forward(jni_real[JNI_EXCEPTION_CHECK], jni, 0, 0, 0, 0) & 1) fprintf(stderr, "an exception is left\n");
}

static void enter(jvm_function f, jvmti_env *ti, jni_env *jni, word a, word b, word c) {
	if (jni_real[JNI_EXCEPTION_CHECK] == NULL) replace_jni(ti, jni);
	inside = true;
	((void (*)(jvmti_env *, jni_env *, word, word, word))f)(ti, jni, a, b, c);
	inside = false;
	check_left(jni);
}

#define CALLBACK(event) \
	static void on_##event(jvmti_env *ti, jni_env *jni, word a, word b, word c) { \
		enter(callbacks[event - TI_EVENT_VM_INIT], ti, jni, a, b, c); \
	}
CALLBACK(TI_EVENT_VM_INIT)
CALLBACK(TI_EVENT_VM_DEATH)
CALLBACK(TI_EVENT_CLASS_PREPARE)
CALLBACK(TI_EVENT_RESOURCE_EXHAUSTED)

#define TI_CALLS(X) \
	X(TI_SET_EVENT_NOTIFICATION_MODE) \
	X(TI_GET_CLASS_SIGNATURE) \
	X(TI_GET_CLASS_STATUS) \
	X(TI_GET_CLASS_LOADER) \
	X(TI_GET_LOADED_CLASSES) \
	X(TI_GET_JNI_FUNCTION_TABLE) \
	X(TI_GET_SYSTEM_PROPERTY) \
	X(TI_ADD_CAPABILITIES)

#define TI_CALL(place) \
	static word call_##place(void *ti, word a, word b, word c, word d) { \
		if (inside && failing_call(true)) return TI_OUT_OF_MEMORY; \
		return forward(ti_real[place], ti, a, b, c, d); \
	}
TI_CALLS(TI_CALL)

static word call_TI_SET_EVENT_CALLBACKS(void *ti, word list, word size, word c, word d) {
	static const jvm_function ours[TI_EVENTS] = {
		(jvm_function)on_TI_EVENT_VM_INIT,
		[TI_EVENT_VM_DEATH - TI_EVENT_VM_INIT] = (jvm_function)on_TI_EVENT_VM_DEATH,
		[TI_EVENT_CLASS_PREPARE - TI_EVENT_VM_INIT] = (jvm_function)on_TI_EVENT_CLASS_PREPARE,
		[TI_EVENT_RESOURCE_EXHAUSTED - TI_EVENT_VM_INIT] = (jvm_function)on_TI_EVENT_RESOURCE_EXHAUSTED,
	};
	if (!inside) return forward(ti_real[TI_SET_EVENT_CALLBACKS], ti, list, size, c, d);
	if (failing_call(true)) return TI_OUT_OF_MEMORY;
	memcpy(callbacks, (const void *)list, size);
	return forward(ti_real[TI_SET_EVENT_CALLBACKS], ti, (word)ours, sizeof ours, c, d);
}

static void in_thread(jvmti_env *ti, jni_env *jni, void *run) { enter((jvm_function)(word)run, ti, jni, 0, 0, 0); }

static word call_TI_RUN_AGENT_THREAD(void *ti, word thread, word run, word argument, word priority) {
	if (!inside) return forward(ti_real[TI_RUN_AGENT_THREAD], ti, thread, run, argument, priority);
	if (failing_call(true)) return TI_OUT_OF_MEMORY;
	return forward(ti_real[TI_RUN_AGENT_THREAD], ti, thread, (word)in_thread, run, priority);
}

/* ---- the tables ---- */

static void replace_ti(jvmti_env *ti) {
	jvm_function *table = (jvm_function *)(word)ti->functions;
	memcpy(ti_real, table, sizeof ti_real);
#define REPLACE_TI(place) table[place] = (jvm_function)call_##place;
	TI_CALLS(REPLACE_TI)
	REPLACE_TI(TI_SET_EVENT_CALLBACKS)
	REPLACE_TI(TI_RUN_AGENT_THREAD)
}

#undef Agent_OnLoad
int32_t agent_on_load(java_vm *java, const char *text, void *reserved);
__attribute__((visibility("default"))) int32_t Agent_OnLoad(java_vm *java, const char *text, void *reserved);

int32_t Agent_OnLoad(java_vm *java, const char *text, void *reserved) {
	jvm_env *ti;
	if (vm_get_env(java, &ti, JVMTI_VERSION) != JVM_OK) return -1;
	replace_ti(ti);
	inside = true;
	int32_t result = agent_on_load(java, text, reserved);
	inside = false;
	return result;
}
