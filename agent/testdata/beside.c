/*
 * An agent that stands before profarc's on the command line. While that one asks for the classes that are loaded,
 * another thread initialises the classes listed in the options; and the references that it holds are counted as
 * HotSpot's -Xcheck:jni did, up to JDK 17 at least: 32, or as many as it has asked for.
 */
#define _GNU_SOURCE
#include <jvmti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOADED_CLASSES = 77, CAPACITY = 32, WAITED_FOR = 2 }; /* a half of the classes is there before the answer */

static JavaVM *vm;
static char prefix[64];
static int classes;
static jclass *list;
static pthread_barrier_t begun;
static jvmtiError (JNICALL *loaded_classes)(jvmtiEnv *, jint *, jclass **);
static jniNativeInterface *own;
static _Thread_local jint live, ensured;

/* ---- classes ---- */

static jclass load(JNIEnv *jni, jclass class, jmethodID for_name, jobject loader, int i) {
	char name[80];
	snprintf(name, sizeof name, "%s%d", prefix, i);
	jclass found =
		(*jni)->CallStaticObjectMethod(jni, class, for_name, (*jni)->NewStringUTF(jni, name), JNI_FALSE, loader);
	return found == NULL ? NULL : (*jni)->NewGlobalRef(jni, found);
}

static void load_all(JNIEnv *jni) {
	jclass class = (*jni)->FindClass(jni, "java/lang/Class"), loaders = (*jni)->FindClass(jni, "java/lang/ClassLoader");
	jmethodID for_name = (*jni)->GetStaticMethodID(
		jni, class, "forName", "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
	jmethodID system = (*jni)->GetStaticMethodID(jni, loaders, "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
	jobject loader = (*jni)->CallStaticObjectMethod(jni, loaders, system);
	list = calloc((size_t)classes, sizeof *list);
	for (int i = 0; i < classes; i++)
		if ((list[i] = load(jni, class, for_name, loader, i)) == NULL) abort();
}

/* initialise_all initialises the classes: a method is asked for. */
static void *initialise_all(void *unused) {
	JNIEnv *jni;
	(*vm)->AttachCurrentThread(vm, (void **)&jni, NULL);
	for (int i = 0; i < classes; i++) {
		if (i == classes / WAITED_FOR) pthread_barrier_wait(&begun);
		if ((*jni)->GetMethodID(jni, list[i], "<init>", "()V") == NULL) abort();
	}
	(*vm)->DetachCurrentThread(vm);
	return unused;
}

static jvmtiError JNICALL get_loaded_classes(jvmtiEnv *ti, jint *n, jclass **to) {
	pthread_t thread;
	if (classes > 0) {
		pthread_create(&thread, NULL, initialise_all, NULL);
		pthread_detach(thread);
		pthread_barrier_wait(&begun);
	}
	jvmtiError e = loaded_classes(ti, n, to);
	live = *n;
	ensured = CAPACITY;
	return e;
}

/* ---- references ---- */

static jint JNICALL ensure_local_capacity(JNIEnv *jni, jint n) {
	jint e = own->EnsureLocalCapacity(jni, n);
	if (e == 0 && n > ensured) ensured = n;
	return e;
}

static void JNICALL delete_local_ref(JNIEnv *jni, jobject r) {
	if (live > ensured && ensured > 0) {
		fprintf(stderr, "beside: %d local references, %d asked for\n", (int)live, (int)ensured);
		ensured = 0;
	}
	own->DeleteLocalRef(jni, r);
	live--;
}

static void JNICALL on_init(jvmtiEnv *ti, JNIEnv *jni, jthread thread) {
	jniNativeInterface *table;
	(void)thread;
	load_all(jni);
	(*ti)->GetJNIFunctionTable(ti, &own);
	(*ti)->GetJNIFunctionTable(ti, &table);
	table->EnsureLocalCapacity = ensure_local_capacity;
	table->DeleteLocalRef = delete_local_ref;
	(*ti)->SetJNIFunctionTable(ti, table);
	void **functions = (void **)*ti; /* all environments share it */
	loaded_classes = functions[LOADED_CLASSES];
	functions[LOADED_CLASSES] = (void *)get_loaded_classes;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved) {
	jvmtiEnv *ti;
	jvmtiEventCallbacks callbacks = {.VMInit = on_init};
	(void)reserved;
	vm = java;
	if (sscanf(options, "%63[^,],%d", prefix, &classes) != 2) return 1;
	pthread_barrier_init(&begun, NULL, 2);
	if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_11) != JNI_OK) return 1;
	(*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks);
	return (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) == JVMTI_ERROR_NONE ? 0 : 1;
}
