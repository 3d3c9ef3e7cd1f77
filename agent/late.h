/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VM starts with some 400 to 800 classes, whose methods take milliseconds to adopt. So they adopt in a thread of
 * their own, while the program starts, and not in one that ends at once. Methods may run meanwhile.
 */
#ifndef PROFARC_AGENT_LATE_H
#define PROFARC_AGENT_LATE_H

#include "jvm.h"

/* A list of classes, which late_begin takes, and what is to be done with each. */
typedef struct late_work {
	jvmti_env *ti;
	jvm_ref *classes; /* local references, in memory of JVMTI */
	int32_t n;
	void (*take)(jni_env *, jvm_ref);
	void (*finish)(void); /* once all are taken up, or the VM ends */
} late_work;

/* late_begin takes the classes up in a thread like another one. Without such a thread it does so before it returns. */
void late_begin(jni_env *jni, jvm_ref thread, late_work w);

/* late_end takes up no further class, and waits until the one before is done. */
void late_end(void);

#endif
