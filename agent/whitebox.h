/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to the natives of the class WhiteBox. Product builds of HotSpot contain these natives for the JDK's tests. One
 * of them makes a MethodData, one returns the constant pool of a class, and others request compilations. A VM registers
 * them only for the class WhiteBox, and only if the flag WhiteBoxAPI is set. The agent defines a class with this name
 * and one method, and sets the flag during registration. It passes a private table of JNI functions, which records the
 * natives and binds none. So Java code cannot call them.
 */
#ifndef PROFARC_AGENT_WHITEBOX_H
#define PROFARC_AGENT_WHITEBOX_H

#include "jvm.h"
#include "vm.h"

/* whitebox_open finds the natives. It returns NULL, or why there are none. */
const char *whitebox_open(const vm *v, jvmti_env *ti, jni_env *jni);

/* whitebox_klass returns the class of a class object. The object must not represent an array or a primitive type. */
const vm_klass *whitebox_klass(const vm *v, jni_env *jni, jvm_ref class);

/* whitebox_class returns the class WhiteBox, which the boot loader defines. */
const vm_klass *whitebox_class(const vm *v, jni_env *jni);

/* whitebox_make_data makes the MethodData of a method, or returns NULL. The counters in it are high and must be set at
 * once. id is the method's jmethodID, or NULL in releases in which a jmethodID is the address of a word with the
 * method. */
vm_data *whitebox_make_data(const vm *v, jni_env *jni, const vm_method *m, jvm_method id);

/* ---- compilations; call them in a separate thread, since the VM may load the classes of a method's signature ---- */

/* whitebox_compiles reports whether the VM has the natives below. */
bool whitebox_compiles(void);

/* whitebox_queue returns the length of the queue of the compiler for a level from 1 to 4. */
int32_t whitebox_queue(jni_env *jni, int32_t level);

/* whitebox_level returns the level of a method's code, 0 for none. */
int32_t whitebox_level(jni_env *jni, const vm_method *m);

/* whitebox_is_queued reports whether a method is queued or being compiled. */
bool whitebox_is_queued(jni_env *jni, const vm_method *m);

/* whitebox_can_compile reports whether the VM would compile a method at a level. */
bool whitebox_can_compile(jni_env *jni, const vm_method *m, int32_t level);

/* whitebox_compile requests the compilation of a method. The VM prints an error if it queues nothing and the method has
 * no code, so the method must have some code. */
bool whitebox_compile(jni_env *jni, const vm_method *m, int32_t level);

#endif
