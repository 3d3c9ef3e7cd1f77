/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays in profiles: checks and stores see them, and calls of what arrays have from Object. The class of an array is
 * never prepared, and no event tells of it: the VM makes it when the program first needs it, beside the class of its
 * elements, which leads to it. So the arrays that an archive names are looked for at each preparation of a class, until
 * they are there. The agent makes none. Only arrays of primitive types and of classes that are never unloaded are
 * looked for.
 */
#ifndef PROFARC_AGENT_ARRAYS_H
#define PROFARC_AGENT_ARRAYS_H

#include "layers.h"
#include "vm.h"

/* arrays_open finds the arrays in all layers. */
bool arrays_open(const vm *v, const layers *l);

/* arrays_begin finds the arrays of primitive types. It is called once classes can be looked up, with a class of the
 * boot loader. */
void arrays_begin(const vm_klass *of_boot_loader);

/* arrays_prepared says that a class was prepared that is never unloaded. */
void arrays_prepared(const class_name *name, const vm_klass *k);

/* arrays_look binds the cells that wait for arrays that the VM has made since. */
void arrays_look(jni_env *jni);

#endif
