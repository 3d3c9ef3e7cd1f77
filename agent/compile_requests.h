/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilation requests (policies in docs/agent.md). The agent requests the methods that C2 compiled in training, in
 * training order or the hottest first. It requests each method once, when all of these conditions hold:
 *
 *   - The method has adopted a profile that C2 considers mature. All counts are scaled alike; the agent never raises
 * only a counter.
 *   - Its class, the receivers in its profile, and the classes of the methods that C2 inlined into it in training are
 * initialized.
 *   - The VM runs it as code of C1, so methods that the program does not call are not compiled.
 *   - The queue of C2 is shorter than the number of processors.
 *   - C2 has used less processor time for requests than the budget, a share of all processors since the start.
 *
 * Methods of classes that may be unloaded are left to the VM.
 */
#ifndef PROFARC_AGENT_COMPILE_REQUESTS_H
#define PROFARC_AGENT_COMPILE_REQUESTS_H

#include "options.h"
#include "receivers.h"
#include "layers.h"
#include "vm.h"

/* compile_requests_open reads the list of methods from the topmost layer. It returns NULL, or why there are no
 * requests. */
const char *compile_requests_open(const vm *v, const layers *l, const options *o);

/* compile_requests_mature_weight returns the weight of a method in the list, or 0. */
uint32_t compile_requests_mature_weight(layer_method method);

/* compile_requests_note_prepared records the preparation of a class. */
void compile_requests_note_prepared(const class_name *class);

/* compile_requests_note_adopted records that a method of a class has adopted a profile of a layer. */
void compile_requests_note_adopted(
	const layer *from, const prepared *holder, const pa_method *m, const vm_method *is, const pa_profile *p);

/* compile_requests_begin starts the thread of requests. thread is any thread of the program. It returns NULL, or a
 * description of the failure. */
const char *compile_requests_begin(jvmti_env *ti, jni_env *jni, jvm_ref thread);

/* compile_requests_end stops the requests and counts the methods that were not requested. */
void compile_requests_end(void);

#endif
