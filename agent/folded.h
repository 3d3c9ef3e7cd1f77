/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes that several loaders have, as with plugins, hot reload or scripts. An archive has a type for each loader of
 * its run, which cannot be told apart in another run. So a class in this VM adopts from all of them as if they were one
 * type: of each method and code, the profile with the most invocations.
 */
#ifndef PROFARC_AGENT_FOLDED_H
#define PROFARC_AGENT_FOLDED_H

#include <stdbool.h>
#include <stdint.h>

#include "profarc_archive.h"

/* A method with a profile for a code. */
typedef struct folded_method {
	pa_ref method;
	bool more; /* the next element is the same method with another code */
} folded_method;

typedef struct folded { folded_method *list; uint32_t n, room; } folded;

/* folded_add appends the methods of n types of a layer, sorted by name and signature. It returns false if memory runs
 * out or the archive is damaged. */
struct layer;
bool folded_add(folded *to, const struct layer *t, const uint32_t *types, uint32_t n);

#endif
