/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls, and which classes can be their receivers. A code id does not cover names, and an archive says nothing of
 * parents: in a program that changed, the same bytecodes call a method of another class, and a class that was a
 * receiver has another parent. C2 takes a method of a profile's receiver from its table of virtual methods without a
 * look at what class it is, so that a receiver that can't be one leads it beyond the table.
 */
#ifndef PROFARC_AGENT_CALLS_H
#define PROFARC_AGENT_CALLS_H

#include "vm.h"

/* What the receivers of a call must extend. */
typedef enum callee_kind { CALLEE_UNKNOWN, CALLEE_ANY, CALLEE_CLASS } callee_kind;
typedef struct callee {
	callee_kind kind;
	const vm_symbol *name; /* of the class that the call names, for CALLEE_CLASS; compared by address alone */
	const void *loader;    /* the ClassLoaderData of the class with the call */
} callee;

/* calls_at finds what the call of a method at a bytecode names. Nothing is required of the receivers of a call by an
 * interface: the VM looks at their class. */
callee calls_at(const vm *v, const vm_method *m, uint32_t bci);

/* calls_class reports whether a class extends what a call names, or is it. It is false where loaders leave a doubt. */
bool calls_class(const vm *v, const callee *c, const vm_klass *k);

/* calls_is_bound reports whether the call of a method at a bytecode has one callee whatever the receiver is: a method
 * that is private or final, or whose class is final. It is false for a call that did not run yet. */
bool calls_is_bound(const vm *v, const vm_method *m, uint32_t bci);

#endif
