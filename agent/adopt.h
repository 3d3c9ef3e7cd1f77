/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adoption of a profile: a MethodData that the VM has made gets what the archive has. The VM lays a MethodData out from the
 * method's bytecodes; the archive has it cell for cell. Both are walked side by side, and a method whose entries differ in
 * anything that is not a count, a type or a trap is refused before one cell is written.
 */
#ifndef PROFARC_AGENT_ADOPT_H
#define PROFARC_AGENT_ADOPT_H

#include "profarc.h"
#include "receivers.h"
#include "vm.h"

/* What counts are scaled by: those of a method that was invoked n times are multiplied by weight / n. Counts are ratios: the
 * compiler compares those of a call with the invocations of the same MethodData. */
typedef struct scale {
	uint32_t weight; /* invocations that the VM sees; WEIGHT_PRESENCE: each count is 1 */
} scale;

/* adopt_fits reports whether a profile has the entries of a MethodData, which was not counted in yet. */
bool adopt_fits(const vm *v, const vm_data *d, const pa_profile *p);

/* A method that adopts, and what the VM has made for it. */
typedef struct adopter { const prepared *holder; const vm_method *method; vm_data *data; } adopter;

/* adopt writes a profile that fits. */
void adopt(const vm *v, jni_env *jni, const adopter *to, const pa_profile *p, scale s);

/* adopt_nothing makes a MethodData that was just made, and whose profile does not fit, one that was not counted in. */
void adopt_nothing(const vm *v, vm_data *d);

#endif
