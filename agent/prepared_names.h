/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the classes that loaders which the VM comes with have prepared, as hashes: a name that was not seen is
 * seldom taken for one that was. */
#ifndef PROFARC_AGENT_PREPARED_NAMES_H
#define PROFARC_AGENT_PREPARED_NAMES_H

#include <stdbool.h>

#include "profarc_archive.h"

/* prepared_names_add adds a name; without memory it is left out. */
void prepared_names_add(pa_text name);

/* prepared_names_has reports whether a name was added. */
bool prepared_names_has(pa_text name);

#endif
