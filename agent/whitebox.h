/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Product builds of HotSpot contain the natives of the class WhiteBox, with which the JDK's own tests reach into the
 * VM. One of them makes a MethodData, one tells the constant pool of a class; others ask for compilations. A VM
 * registers them for that class alone, and only if the flag WhiteBoxAPI is set. The agent defines a class of that name
 * with one method, sets the flag while it registers, and has a table of JNI functions of its own meanwhile, so that the
 * natives are told to it and bound to nothing: Java code gets no way to them.
 */
#ifndef PROFARC_AGENT_WHITEBOX_H
#define PROFARC_AGENT_WHITEBOX_H

#include "jvm.h"
#include "vm.h"

/* whitebox_open finds the natives. It returns NULL, or why there are none. */
const char *whitebox_open(const vm *v, jvmti_env *ti, jni_env *jni);

/* whitebox_klass returns the class of a class object, which must not stand for an array or a primitive type. */
const vm_klass *whitebox_klass(const vm *v, jni_env *jni, jvm_ref class);

/* whitebox_class returns the class WhiteBox itself, which the boot loader has. */
const vm_klass *whitebox_class(const vm *v, jni_env *jni);

/* whitebox_make_data makes the MethodData of a method; NULL if it can't. Its counters are high, and must be set at
 * once. id is the method's jmethodID, or NULL in releases where that is the address of a word with the method. */
vm_data *whitebox_make_data(const vm *v, jni_env *jni, const vm_method *m, jvm_method id);

/* ---- compilations; for a thread of its own, since the VM may load the classes of a method's signature in it ---- */

/* whitebox_compiles reports whether the VM has the natives that follow. */
bool whitebox_compiles(void);

/* whitebox_queue returns the number of methods that wait for the compiler of a level, 1 to 4. */
int32_t whitebox_queue(jni_env *jni, int32_t level);

/* whitebox_level returns the level of a method's code, 0 for none. */
int32_t whitebox_level(jni_env *jni, const vm_method *m);

/* whitebox_is_queued reports whether a method waits for a compiler or is being compiled. */
bool whitebox_is_queued(jni_env *jni, const vm_method *m);

/* whitebox_can_compile reports whether the VM would compile a method at a level. */
bool whitebox_can_compile(jni_env *jni, const vm_method *m, int32_t level);

/* whitebox_compile asks for the compilation of a method. The VM prints an error if it queues nothing and the method has
 * no code at all, so that it must have some. */
bool whitebox_compile(jni_env *jni, const vm_method *m, int32_t level);

#endif
