/* SPDX-License-Identifier: Apache-2.0 */
/* A set with the names of the classes that built-in loaders have prepared. It stores hashes, so false positives are
 * possible but rare. */
#ifndef PROFARC_AGENT_PREPARED_NAMES_H
#define PROFARC_AGENT_PREPARED_NAMES_H

#include <stdbool.h>

#include "profarc_archive.h"

/* prepared_names_add adds a name, or drops it if memory runs out. */
void prepared_names_add(pa_text name);

/* prepared_names_has reports whether a name was added. */
bool prepared_names_has(pa_text name);

#endif
