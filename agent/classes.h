/* SPDX-License-Identifier: Apache-2.0 */
/* Names of classes and loaders, as in archives. */
#ifndef PROFARC_AGENT_CLASSES_H
#define PROFARC_AGENT_CLASSES_H

#include "layers.h"
#include "vm.h"

enum { LONGEST_NAME = 1024 }; /* in bytes; classes and loaders with longer names adopt nothing */

/* A class with its names. The strings in name are in the VM's memory, or in the buffers here. */
typedef struct class_names { class_name name; char class_text[LONGEST_NAME], loader_text[LONGEST_NAME]; } class_names;

/* classes_name finds the names of a class. It returns false for a hidden class, whose name is made by the VM, and for a
 * name that archives cannot have. */
bool classes_name(const vm *v, jvmti_env *ti, jni_env *jni, jvm_ref class, const vm_klass *klass, class_names *names);

/* classes_is_builtin reports whether a ClassLoaderData belongs to the boot, platform or application loader, after one
 * of its classes was prepared. classes_is_boot does the same for the boot loader alone. */
bool classes_is_builtin(const void *data);
bool classes_is_boot(const void *data);

/* classes_symbol compares a symbol of the VM with a name in an archive. */
bool classes_symbol(const vm *v, const vm_symbol *s, pa_text name);

/* classes_method finds the method of a class with the name and signature of an archived method, or returns NULL. */
const vm_method *classes_method(const vm *v, const vm_klass *k, const pa_method *m);

#endif
