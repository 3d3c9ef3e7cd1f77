/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redefinition: agents for Java code and debuggers give classes new methods, and the VM frees the old ones with their
 * MethodData while a thread in native code may look at them.
 *
 * All JVMTI environments of a VM share one table of functions, in memory of libjvm.so that can be written. Two places
 * of it are replaced: RedefineClasses and RetransformClasses. The replacement forgets the classes of its list, and then
 * calls the VM's function. Whoever touches a MethodData holds redefinition back meanwhile and asks whether its class is
 * forgotten. So every agent is seen, in whatever order they are loaded, and no event and no capability costs anything.
 * Nothing that runs Java code may be called while redefinition is held back.
 */
#ifndef PROFARC_AGENT_REDEFINITION_H
#define PROFARC_AGENT_REDEFINITION_H

#include <stdbool.h>

#include "vm.h"

/* redefinition_watch replaces the two functions. Where they are not the VM's own, or the table cannot be written, it
 * changes nothing. It is called before the VM starts. */
void redefinition_watch(const vm *v, java_vm *java, jvmti_env *ti);

/* redefinition_begin is called once classes can be told apart: whitebox_klass works. */
void redefinition_begin(void);

/* redefinition_is_unseen reports whether some agent may redefine classes without being seen here: nothing may be
 * adopted then. */
bool redefinition_is_unseen(const vm *v);

/* redefinition_hold holds redefinitions back until redefinition_release, on any number of threads. */
void redefinition_hold(void);
void redefinition_release(void);

/* redefinition_is_running reports whether a class is being redefined now. redefinition_forgot reports whether it ever
 * was, in this run. Both are asked while redefinition is held back. */
bool redefinition_is_running(jni_env *jni, jvm_ref class);
bool redefinition_forgot(const vm_klass *k);

#endif
