/* SPDX-License-Identifier: Apache-2.0 */
/* The archive by class: which profiles a class that the VM prepares has in it. */
#ifndef PROFARC_AGENT_TRAINED_H
#define PROFARC_AGENT_TRAINED_H

#include <stdbool.h>
#include <stdint.h>

#include "profarc.h"

/* A class that was prepared: its name, and the identity of its loader as archives have it, without what tells loaders of one
 * class apart. */
typedef struct class_name { pa_text name, loader; bool builtin; /* the boot, platform or application loader */ } class_name;

typedef struct trained {
	pa_archive *archive;
	uint32_t types;              /* of the archive */
	uint32_t *others, n_others; /* types of other loaders, by name and loader */
} trained;

/* trained_open opens an archive and finds the classes in it. */
pa_error trained_open(trained *t, const char *path);
void trained_close(trained *t);

/* trained_has_profile reports whether the archive has a profile of a method, and its key is the same in each run. */
bool trained_has_profile(const trained *t, const pa_method *m);

/* trained_compare orders texts by their bytes. */
int trained_compare(pa_text a, pa_text b);

/* trained_is_builtin reports whether an identity of archives is that of the boot, platform or application loader. */
bool trained_is_builtin(pa_text loader);

/* trained_type iterates over the types that a class may be: one of a built-in loader, or all that other loaders of the same
 * class had. *from is 0 at first; it returns PA_NO_TYPE at the end. */
uint32_t trained_type(const trained *t, const class_name *class, uint32_t *from);

#endif
