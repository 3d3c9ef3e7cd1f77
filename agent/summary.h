/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line on stderr at the end of the VM, with the methods that adopted and the reasons of the others. It is written
 * if the archive was recorded by another build of the VM, or if fewer methods adopted than the option warn asks for.
 */
#ifndef PROFARC_AGENT_SUMMARY_H
#define PROFARC_AGENT_SUMMARY_H

#include "counters.h"
#include "jvm.h"
#include "layers.h"
#include "options.h"

/* summary_begin compares the VM's build with the builds that recorded an archive. */
void summary_begin(jvmti_env *ti, const layer *top);

/* summary_other_build reports whether all runs of the archive are known to be of other builds. */
bool summary_other_build(void);

/* summary_looked_up returns the number of methods with a profile whose classes were prepared. */
uint64_t summary_looked_up(const counters *c);

void summary_write(const options *o, const counters *c);

#endif
