/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drift: what an archive says of the methods that adopted it, against what the VM counted since. Compiled code of the
 * last tier counts nothing, so that this is what was seen while the program warmed up.
 */
#ifndef PROFARC_AGENT_SINCE_ADOPTION_H
#define PROFARC_AGENT_SINCE_ADOPTION_H

#include <stdio.h>

#include "adopt.h"

/* since_adoption_add remembers a method that has adopted a profile, unless its class may be unloaded. */
void since_adoption_add(const prepared *holder, const pa_method *m, const pa_profile *p, scale s);

/* since_adoption_write writes the comparison as members of a JSON object. It is called at the end of the VM. */
void since_adoption_write(FILE *f, const vm *v);

#endif
