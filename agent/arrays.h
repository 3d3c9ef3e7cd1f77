/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Array types in profiles. Type checks, array stores and calls of methods of Object record them. The VM never prepares
 * an array class, and no event announces it. The VM makes it on demand and stores it in the class of its elements. So
 * the agent looks for the archive's array types at each class preparation until they exist. The agent makes none. It
 * looks only for arrays of primitive types and of classes that are never unloaded.
 */
#ifndef PROFARC_AGENT_ARRAYS_H
#define PROFARC_AGENT_ARRAYS_H

#include "layers.h"
#include "vm.h"

/* arrays_open finds the array types in all layers. */
bool arrays_open(const vm *v, const layers *l);

/* arrays_begin finds the arrays of primitive types. Call it with a class of the boot loader once classes can be looked
 * up. */
void arrays_begin(const vm_klass *of_boot_loader);

/* arrays_prepared records the preparation of a class that is never unloaded. */
void arrays_prepared(const class_name *name, const vm_klass *k);

/* arrays_look binds the cells that wait for arrays which the VM has made since. */
void arrays_look(jni_env *jni);

#endif
