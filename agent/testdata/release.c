/* An agent that stands before profarc's on the command line, and has JVMTI name another release of the JDK: the one in
 * its options. */
#include <jvmti.h>
#include <string.h>

static char release[16];
static jvmtiError (JNICALL *property)(jvmtiEnv *, const char *, char **);

static jvmtiError JNICALL get_property(jvmtiEnv *ti, const char *name, char **value) {
	jvmtiError e = property(ti, name, value);
	if (e != JVMTI_ERROR_NONE || strcmp(name, "java.vm.specification.version") != 0) return e;
	(*ti)->Deallocate(ti, (unsigned char *)*value);
	e = (*ti)->Allocate(ti, sizeof release, (unsigned char **)value);
	if (e == JVMTI_ERROR_NONE) memcpy(*value, release, sizeof release);
	return e;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
	jvmtiEnv *ti;
	(void)reserved;
	if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
	strncpy(release, options, sizeof release - 1);
	property = (*ti)->GetSystemProperty;
	((struct jvmtiInterface_1_ *)*ti)->GetSystemProperty = get_property; /* all environments have this table */
	return JNI_OK;
}
