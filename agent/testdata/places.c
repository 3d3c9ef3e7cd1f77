/* Compares the places of functions in agent/jvm.h with the headers of a JDK. */
#include <stddef.h>

#include "places.h"

#include <jvmti.h>

#define PLACE(table, function, place) \
	_Static_assert(offsetof(struct table, function) == sizeof(void *) * (place), #function)

PLACE(JNIInvokeInterface_, GetEnv, AGENT_VM_GET_ENV);
PLACE(JNINativeInterface_, DefineClass, AGENT_JNI_DEFINE_CLASS);
PLACE(JNINativeInterface_, FromReflectedMethod, AGENT_JNI_FROM_REFLECTED_METHOD);
PLACE(JNINativeInterface_, GetSuperclass, AGENT_JNI_GET_SUPERCLASS);
PLACE(JNINativeInterface_, ExceptionClear, AGENT_JNI_EXCEPTION_CLEAR);
PLACE(JNINativeInterface_, NewGlobalRef, AGENT_JNI_NEW_GLOBAL_REF);
PLACE(JNINativeInterface_, DeleteLocalRef, AGENT_JNI_DELETE_LOCAL_REF);
PLACE(JNINativeInterface_, NewLocalRef, AGENT_JNI_NEW_LOCAL_REF);
PLACE(JNINativeInterface_, EnsureLocalCapacity, AGENT_JNI_ENSURE_LOCAL_CAPACITY);
PLACE(JNINativeInterface_, NewObject, AGENT_JNI_NEW_OBJECT);
PLACE(JNINativeInterface_, GetMethodID, AGENT_JNI_GET_METHOD_ID);
PLACE(JNINativeInterface_, NewStringUTF, AGENT_JNI_NEW_STRING_UTF);
PLACE(JNINativeInterface_, GetObjectClass, AGENT_JNI_GET_OBJECT_CLASS);
PLACE(JNINativeInterface_, GetFieldID, AGENT_JNI_GET_FIELD_ID);
PLACE(JNINativeInterface_, GetObjectField, AGENT_JNI_GET_OBJECT_FIELD);
PLACE(JNINativeInterface_, GetStaticMethodID, AGENT_JNI_GET_STATIC_METHOD_ID);
PLACE(JNINativeInterface_, CallStaticVoidMethod, AGENT_JNI_CALL_STATIC_VOID_METHOD);
PLACE(JNINativeInterface_, GetStringUTFChars, AGENT_JNI_GET_STRING_UTF_CHARS);
PLACE(JNINativeInterface_, ReleaseStringUTFChars, AGENT_JNI_RELEASE_STRING_UTF_CHARS);
PLACE(JNINativeInterface_, RegisterNatives, AGENT_JNI_REGISTER_NATIVES);
PLACE(JNINativeInterface_, NewWeakGlobalRef, AGENT_JNI_NEW_WEAK_GLOBAL_REF);
PLACE(JNINativeInterface_, DeleteWeakGlobalRef, AGENT_JNI_DELETE_WEAK_GLOBAL_REF);
PLACE(JNINativeInterface_, ExceptionCheck, AGENT_JNI_EXCEPTION_CHECK);
PLACE(jvmtiInterface_1_, SetEventNotificationMode, AGENT_TI_SET_EVENT_NOTIFICATION_MODE);
PLACE(jvmtiInterface_1_, RunAgentThread, AGENT_TI_RUN_AGENT_THREAD);
PLACE(jvmtiInterface_1_, Deallocate, AGENT_TI_DEALLOCATE);
PLACE(jvmtiInterface_1_, GetClassSignature, AGENT_TI_GET_CLASS_SIGNATURE);
PLACE(jvmtiInterface_1_, GetClassStatus, AGENT_TI_GET_CLASS_STATUS);
PLACE(jvmtiInterface_1_, GetClassLoader, AGENT_TI_GET_CLASS_LOADER);
PLACE(jvmtiInterface_1_, GetLoadedClasses, AGENT_TI_GET_LOADED_CLASSES);
PLACE(jvmtiInterface_1_, GetJNIFunctionTable, AGENT_TI_GET_JNI_FUNCTION_TABLE);
PLACE(jvmtiInterface_1_, SetEventCallbacks, AGENT_TI_SET_EVENT_CALLBACKS);
PLACE(jvmtiInterface_1_, GetSystemProperty, AGENT_TI_GET_SYSTEM_PROPERTY);
PLACE(jvmtiInterface_1_, AddCapabilities, AGENT_TI_ADD_CAPABILITIES);
PLACE(jvmtiInterface_1_, FollowReferences, AGENT_TI_FOLLOW_REFERENCES);
PLACE(jvmtiInterface_1_, DisposeEnvironment, AGENT_TI_DISPOSE_ENVIRONMENT);
_Static_assert(offsetof(jvmtiHeapCallbacks, heap_reference_callback) == sizeof(void *) &&
		sizeof(jvmtiHeapCallbacks) == sizeof(void *) * AGENT_TI_HEAP_CALLBACKS &&
		JVMTI_VISIT_ABORT == AGENT_TI_VISIT_ABORT,
	"callbacks of the heap");

#define EVENT(callback, event) \
	_Static_assert( \
		offsetof(jvmtiEventCallbacks, callback) == sizeof(void *) * ((event)-AGENT_TI_EVENT_VM_INIT), #callback)

EVENT(VMInit, AGENT_TI_EVENT_VM_INIT);
EVENT(VMDeath, AGENT_TI_EVENT_VM_DEATH);
EVENT(ClassPrepare, AGENT_TI_EVENT_CLASS_PREPARE);
EVENT(ResourceExhausted, AGENT_TI_EVENT_RESOURCE_EXHAUSTED);
_Static_assert(AGENT_TI_EVENT_RESOURCE_EXHAUSTED == JVMTI_EVENT_RESOURCE_EXHAUSTED &&
		sizeof(jvmtiCapabilities) * 8 == AGENT_TI_CAPABILITY_BITS,
	"exhaustion");
_Static_assert(
	AGENT_TI_EVENT_VM_INIT == JVMTI_EVENT_VM_INIT && AGENT_TI_EVENT_CLASS_PREPARE == JVMTI_EVENT_CLASS_PREPARE,
	"numbers of events");
_Static_assert(
	AGENT_JVMTI_VERSION == JVMTI_VERSION_11 && AGENT_TI_CLASS_PREPARED == JVMTI_CLASS_STATUS_PREPARED, "constants");
