/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in profiles. An archive names a type, a MethodData has the address of its class: a cell gets it only when that
 * class was prepared, from the class itself (the barrier of JEP 515). Until then the row is empty, and waits.
 *
 * Classes of the built-in loaders are never unloaded. Of other loaders a weak reference is kept, and pinned while the
 * class or a MethodData of it is touched. A MethodData is freed before its class only after the class was redefined:
 * before a cell is written, its MethodData must still be that of a method of the class, and once a debugger or an agent
 * for Java code is there, which may redefine classes at any time, nothing is adopted and nothing bound.
 */
#ifndef PROFARC_AGENT_RECEIVERS_H
#define PROFARC_AGENT_RECEIVERS_H

#include "calls.h"
#include "jvm.h"
#include "profarc_archive.h"
#include "vm.h"

/* A class that was prepared. */
typedef struct prepared {
	const vm_klass *klass;
	jvm_ref object; /* a local reference */
	bool permanent; /* it is never unloaded */
} prepared;

/* A cell of a MethodData for a type. */
typedef struct type_cell {
	vm_data *data;
	callee callee; /* of a call: what its receivers must be */
	uint64_t *cell;
	uint64_t *count; /* of a receiver row: its count, which is written with the type; NULL for a type word */
	uint64_t trained; /* of a receiver row: what the count will be */
} type_cell;

/* receivers_open makes room for the types of all layers, by their numbers. */
bool receivers_open(const vm *v, uint32_t types);

/* receivers_prepared says that the class of a type was prepared, and binds the cells that wait for it. */
void receivers_prepared(jni_env *jni, uint32_t type, const prepared *class);

/* receivers_bind writes the class of a type to a cell of a MethodData of a class, now or when the type's class is
 * prepared. */
void receivers_bind(jni_env *jni, const prepared *holder, uint32_t type, type_cell cell);

/* receivers_initialized reports whether the class of a type is initialised. It is false for classes that may be
 * unloaded, and for a name that several classes have. */
bool receivers_initialized(uint32_t type);

#endif
