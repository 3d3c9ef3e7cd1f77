/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drift: what an archive says of the methods that adopted it, against what the VM counted since. Compiled code of the
 * last tier counts nothing, so that this is what was seen while the program warmed up.
 */
#ifndef PROFARC_AGENT_DRIFT_H
#define PROFARC_AGENT_DRIFT_H

#include <stdio.h>

#include "adopt.h"

/* drift_add remembers a method that has adopted a profile. Those of classes that may be unloaded are left out. */
void drift_add(const prepared *holder, const pa_method *m, const pa_profile *p, scale s);

/* drift_write writes the comparison as members of a JSON object. It is called at the end of the VM. */
void drift_write(FILE *f, const vm *v);

#endif
