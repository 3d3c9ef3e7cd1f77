/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The archive and its base: which types and profiles they have of a class that the VM prepares. An archive may be a
 * layer on another one, its base, which has what it lacks (docs/embedding.md).
 */
#ifndef PROFARC_AGENT_LAYERS_H
#define PROFARC_AGENT_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "image.h"
#include "profarc_archive.h"

/* A class that was prepared: its name, and the identity of its loader as archives have it, without what tells loaders
 * of one class apart. */
typedef struct class_name {
	pa_text name, loader;
	bool builtin; /* the boot, platform or application loader */
} class_name;

/* An archive. */
typedef struct layer {
	image image;
	pa_archive *archive;
	uint32_t number;             /* of the layer: 0 is the topmost */
	uint32_t types, first_type; /* how many the archive has, and which number the first has among those of all layers */
	uint32_t *others, n_others; /* types of other loaders, by name and loader */
} layer;

/* A method of a layer: its record in the lower half, and the number of the layer. */
typedef uint64_t layer_method;

static inline layer_method layer_method_of(const layer *t, pa_ref method) {
	return (uint64_t)t->number << 32 | method;
}

enum { MOST_LAYERS = 2 };

/* An archive and its base, if there is one. */
typedef struct layers { layer list[MOST_LAYERS]; uint32_t n, types; } layers;

/* layers_open opens an archive as the only layer, and finds the classes in it. */
pa_error layers_open(layers *l, const char *path);

/* layers_add opens the base of the archive that is open, and checks that it is; NULL: that the archive needs none.
 * After an error the archive is the only layer. */
pa_error layers_add(layers *l, const char *path);

/* layers_method finds the layer that has a profile of a method which a table of the topmost names. */
layer_method layers_method(const layers *l, pa_ref method);

/* layer_has_profile reports whether the archive has a profile of a method, and its key is the same in each run. */
bool layer_has_profile(const layer *t, const pa_method *m);

/* compare_texts orders texts by their bytes. */
int compare_texts(pa_text a, pa_text b);

/* is_builtin_loader reports whether an identity of archives is that of the boot, platform or application loader. */
bool is_builtin_loader(pa_text loader);

/* layer_next_type iterates over the types that a class may be: one of a built-in loader, or all that other loaders of
 * the same class had. *from is 0 at first; it returns PA_NO_TYPE at the end. */
uint32_t layer_next_type(const layer *t, const class_name *class, uint32_t *from);

#endif
