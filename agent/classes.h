/* SPDX-License-Identifier: Apache-2.0 */
/* Names of classes and loaders, as archives have them. */
#ifndef PROFARC_AGENT_CLASSES_H
#define PROFARC_AGENT_CLASSES_H

#include "layers.h"
#include "vm.h"

enum { LONGEST_NAME = 1024 }; /* bytes; classes and loaders with a longer one adopt nothing */

/* A named class: the texts of name lie in the VM, or here. */
typedef struct class_names { class_name name; char class_text[LONGEST_NAME], loader_text[LONGEST_NAME]; } class_names;

/* classes_name finds the names of a class. It returns false for a hidden class, whose name the VM made up, and for one
 * whose name can't be in an archive. */
bool classes_name(const vm *v, jvmti_env *ti, jni_env *jni, jvm_ref class, const vm_klass *klass, class_names *names);

/* classes_is_builtin reports whether a ClassLoaderData is that of the boot, platform or application loader, of which a
 * class was prepared; classes_is_boot that it is the boot loader's. */
bool classes_is_builtin(const void *data);
bool classes_is_boot(const void *data);

/* classes_symbol compares a symbol of the VM with a name of an archive. */
bool classes_symbol(const vm *v, const vm_symbol *s, pa_text name);

/* classes_method finds the method of a class with the name and signature of an archived one; NULL if it has none. */
const vm_method *classes_method(const vm *v, const vm_klass *k, const pa_method *m);

#endif
