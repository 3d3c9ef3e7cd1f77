/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording for an AOT cache (-XX:AOTMode=record, JEP 514): the VM writes the MethodData of methods that were compiled,
 * whatever is in others. So each method that has adopted is compiled with profiling, once its class is initialised, and
 * the profiles of many training runs get into a cache for JVMs without the agent.
 */
#ifndef PROFARC_AGENT_AOT_RECORD_H
#define PROFARC_AGENT_AOT_RECORD_H

#include "receivers.h"

/* aot_record_begin starts the thread that asks for compilations. It returns NULL, or what it can't do. */
const char *aot_record_begin(const vm *v, jvmti_env *ti, jni_env *jni, jvm_ref thread);

/* aot_record_add has a method of a class compiled, if the class is never unloaded. */
void aot_record_add(const prepared *holder, const vm_method *m);

/* aot_record_end has the thread end. */
void aot_record_end(void);

#endif
