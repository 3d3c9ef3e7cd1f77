/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VM starts with 400 to 800 classes, and adopting their methods takes milliseconds. So a separate thread adopts them
 * while the program starts. It waits first, so that a short program does not pay for it. Methods may run meanwhile.
 */
#ifndef PROFARC_AGENT_LATE_H
#define PROFARC_AGENT_LATE_H

#include "jvm.h"

/* A list of classes to process. late_begin takes ownership. */
typedef struct late_work {
	jvmti_env *ti;
	jvm_ref *classes; /* local references, in memory allocated by JVMTI */
	int32_t n;
	void (*take)(jni_env *, jvm_ref);
	void (*finish)(void); /* called when all are processed or the VM ends */
} late_work;

/* late_begin processes the classes in a new thread like thread. If that fails, it processes them before it returns. */
void late_begin(jni_env *jni, jvm_ref thread, late_work w);

/* late_end stops the thread after the current class and waits for it. */
void late_end(void);

#endif
