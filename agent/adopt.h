/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adoption copies a profile of the archive into a MethodData that the VM has made. The VM lays a MethodData out from
 * the method's bytecodes, its release and its flags. Adoption walks the archive's entries and the VM's side by side,
 * and matches their cells by meaning. It refuses a method before the first write if an entry has another bytecode index
 * or another meaning.
 */
#ifndef PROFARC_AGENT_ADOPT_H
#define PROFARC_AGENT_ADOPT_H

#include "narrow.h"
#include "profarc_archive.h"
#include "receivers.h"
#include "layers.h"
#include "vm.h"

/* The scale of counts. The counts of a method that was invoked n times are multiplied by weight / n. This keeps ratios,
 * and the compiler compares the count of a call with the invocations in the same MethodData. */
typedef struct scale {
	uint32_t weight; /* invocations to show to the VM; WEIGHT_PRESENCE sets each count to 1 */
	uint32_t share;  /* a method that was invoked n times weighs at most n / share; 0 for no limit */
} scale;

/* adopt_weight returns the number of invocations to show to the VM. adopt_factor returns the factor for the counts,
 * which is 0 for WEIGHT_PRESENCE. */
uint32_t adopt_weight(const pa_summary *s, scale to);
double adopt_factor(const pa_summary *s, scale to);

/* adopt_scaled returns a scaled count. A nonzero count stays nonzero. */
uint64_t adopt_scaled(uint64_t count, double factor);

/* adopt_fits reports whether the entries of a profile have the same meaning as the entries of a MethodData. It sets
 * point to the point of the first different entry, or -1. adopt_entries iterates over the entries of a profile that
 * fits. */
bool adopt_fits(const vm *v, const vm_data *d, const pa_profile *p, int32_t *point);
narrower adopt_entries(const vm *v, const vm_data *d, const pa_profile *p);

/* adopt_was_trained reports whether a new MethodData with a fitting profile has counts from the VM's cache (JEP 515).
 * cached is the MethodData in the cache's file, or NULL. If the file is not mapped, any count is attributed to the
 * cache, even one of a thread that is running the method. */
bool adopt_was_trained(const vm *v, const vm_data *d, const vm_data *cached, const pa_profile *p);

/* A method that adopts, the layer of the profile, and the MethodData that the VM has made. */
typedef struct adopter {
	const layer *from;
	const prepared *holder;
	const vm_method *method;
	vm_data *data;
	bool trained; /* the MethodData has counts from the VM's cache, which adoption replaces */
	bool started; /* the MethodData has counts of this run, to which adoption adds */
} adopter;

/* adopt_can_add reports whether a MethodData with counts of this run can adopt. The method must have fewer invocations
 * than limit, and the cells of its entries must be recognizable in spite of the counts. */
bool adopt_can_add(const vm *v, const vm_data *d, uint32_t limit);

/* adopt writes a fitting profile. It returns false if there is no memory for listing the writes. */
bool adopt(const vm *v, jni_env *jni, const adopter *to, const pa_profile *p, scale s);

/* adopt_kept restores a new MethodData of the VM's cache from cached, the MethodData in the cache's file.
 * adopt_list_cached lists the counts of a MethodData that come from the cache, not from this run. The MethodData must
 * have the entries of a profile. */
void adopt_kept(const vm *v, vm_data *d, const vm_data *cached);
void adopt_list_cached(const vm *v, const vm_method *m, vm_data *d, const vm_data *cached, const pa_profile *p);

/* adopt_nothing clears the counts of a new MethodData whose profile does not fit. */
void adopt_nothing(const vm *v, vm_data *d);

#endif
