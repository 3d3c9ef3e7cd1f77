/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The archive and its base, with the types and profiles for the classes that the VM prepares. An archive can be a layer
 * over a base, which has the profiles that the archive lacks (docs/embedding.md).
 */
#ifndef PROFARC_AGENT_LAYERS_H
#define PROFARC_AGENT_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

#include "folded.h"
#include "image.h"
#include "profarc_archive.h"

/* The name of a prepared class and the identity of its loader as in archives, without the suffix that distinguishes
 * loaders of one class. */
typedef struct class_name {
	pa_text name, loader;
	bool builtin; /* defined by the boot, platform or application loader */
} class_name;

enum { MOST_REASONS = 64 };

typedef struct layer {
	image image;
	pa_archive *archive;
	uint32_t number;             /* number of the layer; 0 is the topmost */
	/* number of the archive's types, and number of the first one among the types of all layers */
	uint32_t types, first_type;
	/* classes of other loaders, by name and loader */
	struct other_class *others;
	uint32_t n_others;
	uint32_t *same; /* by type, the type that stands for it if several loaders have its class; otherwise the type */
	folded folded;  /* methods of these classes */
	uint8_t reasons[MOST_REASONS]; /* the VM's number of each trap reason of the archive; 0 if it has none */
} layer;

/* A class of other loaders in a layer. Its methods are in the list folded of the layer if several loaders have it. */
typedef struct other_class { uint32_t type, first_method, methods; } other_class;

/* A method of a layer. The lower half is its record, the upper half the number of the layer. */
typedef uint64_t layer_method;

static inline layer_method layer_method_of(const layer *t, pa_ref method) {
	return (uint64_t)t->number << 32 | method;
}

enum { MOST_LAYERS = 2 };

/* An archive and its base, if any. */
typedef struct layers { layer list[MOST_LAYERS]; uint32_t n, types; } layers;

/* layers_open opens an archive as the only layer and indexes its classes. */
pa_error layers_open(layers *l, const char *path);

/* layers_add opens the base of the open archive and checks that it is the base. With NULL it checks that the archive
 * needs no base. After an error the archive is the only layer. */
pa_error layers_add(layers *l, const char *path);

/* layers_method finds the layer with a profile of a method that a table of the topmost layer names. */
layer_method layers_method(const layers *l, pa_ref method);

/* layer_has_profile reports whether the archive has a profile of a method and the method's key is the same in each
 * run. */
bool layer_has_profile(const layer *t, const pa_method *m);

/* compare_texts compares texts bytewise. text_is reports whether a text is equal to a string. */
int compare_texts(pa_text a, pa_text b);
bool text_is(pa_text text, const char *s);

/* is_builtin_loader reports whether an identity in archives belongs to the boot, platform or application loader. */
bool is_builtin_loader(pa_text loader);

/* layer_find_class finds the type of a class, or PA_NO_TYPE. methods has the methods of all loaders that have the
 * class, and is empty if only one has. */
uint32_t layer_find_class(const layer *t, const class_name *class, folded *methods);

/* layer_type returns the number among the types of all layers of the type that stands for one of the archive. */
static inline uint32_t layer_type(const layer *t, uint32_t type) {
	return t->first_type + (type < t->types ? t->same[type] : type);
}

#endif
