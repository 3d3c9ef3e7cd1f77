/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adoption of a profile: a MethodData that the VM has made gets what the archive has. The VM lays a MethodData out from
 * the method's bytecodes; the archive has it cell for cell. Both are walked side by side, and a method whose entries
 * differ in anything that is not a count, a type or a trap is refused before one cell is written.
 */
#ifndef PROFARC_AGENT_ADOPT_H
#define PROFARC_AGENT_ADOPT_H

#include "profarc_archive.h"
#include "receivers.h"
#include "layers.h"
#include "vm.h"

/* The scale of counts: the counts of a method that was invoked n times are multiplied by weight / n. Counts are
 * ratios: the compiler compares those of a call with the invocations of the same MethodData. */
typedef struct scale {
	uint32_t weight; /* invocations that the VM sees; WEIGHT_PRESENCE: each count is 1 */
	uint32_t share;  /* a method that was invoked n times weighs n / share at most; 0: no bound */
} scale;

/* adopt_weight returns the number of invocations that the VM sees of a method, adopt_factor what its counts are
 * multiplied by: 0 for WEIGHT_PRESENCE. */
uint32_t adopt_weight(const pa_summary *s, scale to);
double adopt_factor(const pa_summary *s, scale to);

/* adopt_scaled returns a count, scaled. A count that is not 0 stays so. */
uint64_t adopt_scaled(uint64_t count, double factor);

/* adopt_fits reports whether a profile has the entries of a MethodData, which was not counted in yet. point becomes
 * that of the entry that differs; -1 if there is none. */
bool adopt_fits(const vm *v, const vm_data *d, const pa_profile *p, int32_t *point);

/* adopt_was_trained reports whether a MethodData that was just made, and that a profile fits, has counts of the VM's
 * own cache (JEP 515). cached is what the file of the cache has of it, or NULL. If the file is not mapped, any count is
 * taken for one of the cache, also one of a thread that runs the method meanwhile. */
bool adopt_was_trained(const vm *v, const vm_data *d, const vm_data *cached, const pa_profile *p);

/* A method that adopts, from which layer, and what the VM has made for it. */
typedef struct adopter {
	const layer *from;
	const prepared *holder;
	const vm_method *method;
	vm_data *data;
	bool trained; /* the MethodData has counts of the VM's own cache, which are replaced */
} adopter;

/* adopt writes a profile that fits. It returns false if there is no memory to list what it would write. */
bool adopt(const vm *v, jni_env *jni, const adopter *to, const pa_profile *p, scale s);

/* adopt_kept gives a MethodData of the VM's cache, which was just made, what the file of the cache has of it: cached.
 * adopt_list_cached lists what of a MethodData comes from the cache, since it is no count of this run. The MethodData
 * has the entries of a profile. */
void adopt_kept(const vm *v, vm_data *d, const vm_data *cached);
void adopt_list_cached(const vm *v, const vm_method *m, vm_data *d, const vm_data *cached, const pa_profile *p);

/* adopt_nothing makes a MethodData that was just made, and whose profile does not fit, one that was not counted in. */
void adopt_nothing(const vm *v, vm_data *d);

#endif
