/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in profiles. An archive names a type, and a MethodData has the address of its class. A cell gets the address
 * only when the class is prepared (the barrier of JEP 515). Before, the row stays empty and waits.
 *
 * Classes of built-in loaders are never unloaded. For classes of other loaders the agent keeps a weak reference, and
 * pins it while it accesses the class or a MethodData of it. The VM frees a MethodData before its class only if the
 * class was redefined. So before a cell is written, its MethodData must still belong to a method of the class. If an
 * agent for Java code or a debugger is present, it can redefine classes at any time, and the agent adopts and binds
 * nothing more.
 */
#ifndef PROFARC_AGENT_RECEIVERS_H
#define PROFARC_AGENT_RECEIVERS_H

#include "calls.h"
#include "jvm.h"
#include "profarc_archive.h"
#include "vm.h"

/* A prepared class. */
typedef struct prepared {
	const vm_klass *klass;
	jvm_ref object; /* a local reference */
	bool permanent; /* never unloaded */
} prepared;

/* A cell of a MethodData that holds a type. */
typedef struct type_cell {
	vm_data *data;
	callee callee; /* constraint on the receivers of a call */
	uint64_t *cell;
	uint64_t *count; /* count of a receiver row, written together with the type; NULL for a type word */
	uint64_t trained; /* value of the count, for a receiver row */
	uint32_t rows; /* number of rows from this one on, if the type can take any of them; 0 for this row alone */
} type_cell;

/* receivers_open allocates the states of the types of all layers. */
bool receivers_open(const vm *v, uint32_t types);

/* receivers_prepared records the preparation of the class of a type and binds the cells that wait for it. */
void receivers_prepared(jni_env *jni, uint32_t type, const prepared *class);

/* receivers_bind writes the class of a type to a cell in a MethodData of holder, now or when the type's class is
 * prepared. */
void receivers_bind(jni_env *jni, const prepared *holder, uint32_t type, type_cell cell);

/* receivers_initialized reports whether the class of a type is initialized. It returns false for classes that may be
 * unloaded, and for a name with several classes. */
bool receivers_initialized(uint32_t type);

#endif
