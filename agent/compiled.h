/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that C2 compiled in training, their order, and the methods inlined into them. */
#ifndef PROFARC_AGENT_COMPILED_H
#define PROFARC_AGENT_COMPILED_H

#include <stdbool.h>
#include <stdint.h>

#include "layers.h"

/* A method and its sort key, which is its compile id or its counts. */
typedef struct compiled_method { layer_method method; uint64_t rank; } compiled_method;

/* A class with a method that C2 inlined into another one. holder is its number among the types of all layers. */
typedef struct compiled_inlined { layer_method into; uint32_t holder; } compiled_inlined;

typedef struct compiled {
	const layers *of;
	compiled_method *methods; /* in the order of their records */
	uint32_t *order;          /* indexes into methods, the first to compile first */
	uint32_t n;
	compiled_inlined *inlined; /* sorted by the method that they were inlined into */
	uint32_t n_inlined;
} compiled;

/* The order of the methods. */
typedef enum compiled_order { COMPILED_AS_TRAINED, COMPILED_HOTTEST } compiled_order;

/* compiled_open lists the methods that had C2 code at the end of training of the topmost layer, without those entered
 * only in a loop. It returns false if memory runs out. The list is empty if the layer has no table of compilations. */
bool compiled_open(compiled *c, const layers *of, compiled_order order);

/* compiled_place returns the index of a method in the list, or c->n. */
uint32_t compiled_place(const compiled *c, layer_method method);

/* compiled_inlined_first returns the index of the first class inlined into a method, or c->n_inlined. */
uint32_t compiled_inlined_first(const compiled *c, layer_method method);

#endif
