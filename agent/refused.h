/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that adopted nothing although the archive has profiles for them, for the report. */
#ifndef PROFARC_AGENT_REFUSED_H
#define PROFARC_AGENT_REFUSED_H

#include <stdio.h>

#include "profarc_archive.h"

typedef enum refused_reason { REFUSED_CODE, REFUSED_LAYOUT, REFUSED_ABSENT, REFUSED_REASONS } refused_reason;

/* refused_add records a method, at most a hundred per reason. point is the point of the different entry, or -1. */
void refused_add(refused_reason why, const pa_method *m, int32_t point);

/* refused_write writes the methods as a JSON list. */
void refused_write(FILE *f);

/* refused_write_method writes the name of a method for use in a JSON string. */
void refused_write_method(FILE *f, const pa_method *m);

#endif
