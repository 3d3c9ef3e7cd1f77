/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interception of class redefinition. Agents for Java code and debuggers give classes new methods. The VM then frees
 * the old methods with their MethodData, even while a thread in native code reads them.
 *
 * All JVMTI environments of a VM share one table of functions, in writable memory of libjvm.so. The agent replaces two
 * entries, RedefineClasses and RetransformClasses. The replacements mark the given classes as forgotten and then call
 * the VM's functions. Code that accesses a MethodData holds redefinitions back meanwhile, and first checks that the
 * class is not forgotten. This intercepts all agents, in any load order, and needs no event or capability. Nothing that
 * runs Java code may be called while redefinitions are held back.
 */
#ifndef PROFARC_AGENT_REDEFINITION_H
#define PROFARC_AGENT_REDEFINITION_H

#include <stdbool.h>

#include "vm.h"

/* redefinition_watch replaces the two functions. It does nothing if they are not the VM's, or if the table is not
 * writable. Call it before the VM starts. */
void redefinition_watch(const vm *v, java_vm *java, jvmti_env *ti);

/* redefinition_begin must be called once whitebox_klass works. */
void redefinition_begin(void);

/* redefinition_is_unseen reports whether an agent may redefine classes without interception. Nothing may be adopted
 * then. */
bool redefinition_is_unseen(const vm *v);

/* redefinition_hold holds redefinitions back until redefinition_release. Several threads may hold them at the same
 * time. */
void redefinition_hold(void);
void redefinition_release(void);

/* redefinition_is_running reports whether a class is being redefined now. redefinition_forgot reports whether it ever
 * was in this run. Call both while redefinitions are held back. */
bool redefinition_is_running(jni_env *jni, jvm_ref class);
bool redefinition_forgot(const vm_klass *k);

#endif
