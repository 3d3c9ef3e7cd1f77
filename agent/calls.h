/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls and their possible receiver classes. A code id does not cover names, and an archive does not record
 * superclasses. In a changed program the same bytecodes can call a method of another class, and a recorded receiver can
 * have another superclass. C2 loads the callee from the vtable of a profiled receiver without a check of the class. A
 * receiver that is impossible at the call would make it read beyond the vtable.
 */
#ifndef PROFARC_AGENT_CALLS_H
#define PROFARC_AGENT_CALLS_H

#include "vm.h"

/* The constraint on the receivers of a call. */
typedef enum callee_kind { CALLEE_UNKNOWN, CALLEE_ANY, CALLEE_CLASS } callee_kind;
typedef struct callee {
	callee_kind kind;
	const vm_symbol *name; /* name of the class that the call names, for CALLEE_CLASS; compare its address only */
	const void *loader;    /* ClassLoaderData of the class with the call */
} callee;

/* calls_at finds the constraint of the call of a method at a bytecode. Calls of interface methods have no constraint,
 * because the VM checks their receiver's class. */
callee calls_at(const vm *v, const vm_method *m, uint32_t bci);

/* calls_class reports whether a class is or extends the class that a call names. It returns false if this cannot be
 * decided because of loaders. */
bool calls_class(const vm *v, const callee *c, const vm_klass *k);

/* calls_is_bound reports whether the call of a method at a bytecode has the same callee for every receiver. The callee
 * is private or final, or its class is final. It returns false for a call that has not run yet. */
bool calls_is_bound(const vm *v, const vm_method *m, uint32_t bci);

#endif
