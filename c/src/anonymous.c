/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of functions without a name. */
#include <stdio.h>

#include "internal.h"

bool pa_anonymous_key(const pa_key *parent, uint32_t ordinal, char *buffer, size_t room, pa_key *key) {
	char suffix[16];
	int size = snprintf(suffix, sizeof suffix, "<%u>", ordinal);
	if (!given_key(parent) || buffer == NULL || key == NULL) return false;
	if (room < parent->name.size + (size_t)size) return false;
	if (parent->name.size > 0) memmove(buffer, parent->name.bytes, parent->name.size);
	memcpy(buffer + parent->name.size, suffix, (size_t)size);
	*key = *parent;
	key->name = (pa_text){buffer, parent->name.size + (size_t)size};
	return true;
}
