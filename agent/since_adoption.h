/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drift. It compares the archive's profiles of the methods that adopted them with the VM's counts since. Compiled code
 * of the last tier does not count, so the comparison covers the time until the program has warmed up.
 */
#ifndef PROFARC_AGENT_SINCE_ADOPTION_H
#define PROFARC_AGENT_SINCE_ADOPTION_H

#include <stdio.h>

#include "adopt.h"

/* since_adoption_add registers a method that has adopted a profile, unless its class may be unloaded. */
void since_adoption_add(const prepared *holder, const pa_method *m, const pa_profile *p, scale s);

/* since_adoption_write writes the comparison as members of a JSON object. Call it at the end of the VM. */
void since_adoption_write(FILE *f, const vm *v);

#endif
