/* SPDX-License-Identifier: Apache-2.0 */
/* What training compiled with C2: which methods, in which order, and what it inlined into them. */
#ifndef PROFARC_AGENT_COMPILED_H
#define PROFARC_AGENT_COMPILED_H

#include <stdbool.h>
#include <stdint.h>

#include "layers.h"

/* A method, with what it is sorted by: the number of its compilation, or how often it ran. */
typedef struct compiled_method { layer_method method; uint64_t rank; } compiled_method;

/* A class that has a method which C2 inlined into another one, by its number among the types of all layers. */
typedef struct compiled_inlined { layer_method into; uint32_t holder; } compiled_inlined;

typedef struct compiled {
	const layers *of;
	compiled_method *methods; /* in the order of their records */
	uint32_t *order;          /* their places there, the first to be compiled first */
	uint32_t n;
	compiled_inlined *inlined; /* in the order of the methods that they were inlined into */
	uint32_t n_inlined;
} compiled;

/* How the methods are ordered. */
typedef enum compiled_order { COMPILED_AS_TRAINED, COMPILED_HOTTEST } compiled_order;

/* compiled_open lists the methods that had code of C2 at the end of training of the topmost layer, without those that
 * were entered in a loop alone. It returns false if the process is out of memory; the list is empty if the layer has no
 * table of compilations. */
bool compiled_open(compiled *c, const layers *of, compiled_order order);

/* compiled_place returns the place of a method in the list, c->n if it is not there. */
uint32_t compiled_place(const compiled *c, layer_method method);

/* compiled_inlined_first returns the place of the first class that was inlined into a method, c->n_inlined if there is
 * none. */
uint32_t compiled_inlined_first(const compiled *c, layer_method method);

#endif
