/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests for compilations: a policy to choose, see docs/agent.md. What training compiled with C2 is asked
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
#ifndef PROFARC_AGENT_COMPILE_REQUESTS_H
#define PROFARC_AGENT_COMPILE_REQUESTS_H

#include "options.h"
#include "receivers.h"
#include "layers.h"
#include "vm.h"

/* compile_requests_open reads from the topmost layer what there is to ask for. It returns NULL, or why there will be no
 * requests. */
const char *compile_requests_open(const vm *v, const layers *l, const options *o);

/* compile_requests_mature_weight returns the weight of a method that is to be asked for, 0 of another one. */
uint32_t compile_requests_mature_weight(layer_method method);

/* compile_requests_note_prepared says that a class was prepared. */
void compile_requests_note_prepared(const class_name *class);

/* compile_requests_note_adopted says that a method of a class has adopted a profile of a layer. */
void compile_requests_note_adopted(
	const layer *from, const prepared *holder, const pa_method *m, const vm_method *is, const pa_profile *p);

/* compile_requests_begin starts the thread that asks. thread is any thread of the program. It returns NULL,
 * or why it can't. */
const char *compile_requests_begin(jvmti_env *ti, jni_env *jni, jvm_ref thread);

/* compile_requests_end ends the requests, and counts what was not asked for. */
void compile_requests_end(void);

#endif
