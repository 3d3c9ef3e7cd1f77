/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording for an AOT cache (-XX:AOTMode=record, JEP 514). The VM writes the MethodData of compiled methods only. So
 * the agent requests a compilation with profiling for each method that has adopted, once its class is initialized. A
 * cache for JVMs without the agent then contains the profiles of many training runs.
 */
#ifndef PROFARC_AGENT_AOT_RECORD_H
#define PROFARC_AGENT_AOT_RECORD_H

#include "receivers.h"

/* aot_record_begin starts the thread that requests compilations. It returns NULL, or a description of the failure. */
const char *aot_record_begin(const vm *v, jvmti_env *ti, jni_env *jni, jvm_ref thread);

/* aot_record_add requests compilation of a method, if its class is never unloaded. */
void aot_record_add(const prepared *holder, const vm_method *m);

/* aot_record_end stops the thread. */
void aot_record_end(void);

#endif
