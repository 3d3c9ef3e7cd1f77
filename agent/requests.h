/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests for compilations: a policy to choose, see docs/adoption.md. What training compiled with C2 is asked
 * for here as well, in the order of training or the hottest first, each method once
 *
 *   - it has adopted a profile that C2 takes for mature: counts that are all scaled alike, never a counter alone;
 *   - its class, the receivers in its profile, and the classes of what C2 inlined into it in training are initialised;
 *   - the VM runs it, as code of C1: what the program does not call is not compiled for nothing;
 *   - the queue of C2 is shorter than there are processors;
 *   - C2 has worked less for requests than the budget, a share of all processors since the start.
 *
 * Classes that may be unloaded, and their methods, are left to the VM.
 */
#ifndef PROFARC_AGENT_REQUESTS_H
#define PROFARC_AGENT_REQUESTS_H

#include "options.h"
#include "receivers.h"
#include "trained.h"
#include "vm.h"

/* requests_open reads from the topmost layer what there is to ask for. It returns NULL, or why there will be no
 * requests. */
const char *requests_open(const vm *v, const layers *l, const options *o);

/* requests_weight returns the weight of a method that is to be asked for, 0 of another one. */
uint32_t requests_weight(layer_method method);

/* requests_prepared says that a class was prepared. */
void requests_prepared(const class_name *class);

/* requests_adopted says that a method of a class has adopted a profile of a layer. */
void requests_adopted(
	const trained *from, const prepared *holder, const pa_method *m, const vm_method *is, const pa_profile *p);

/* requests_begin starts the thread that asks. thread is any thread of the program. It returns NULL, or why it can't. */
const char *requests_begin(jvmti_env *ti, jni_env *jni, jvm_ref thread);

/* requests_end ends the requests, and counts what was not asked for. */
void requests_end(void);

#endif
