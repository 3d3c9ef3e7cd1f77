/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFARC_AGENT_LISTS_H
#define PROFARC_AGENT_LISTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* list_grow ensures the capacity for needed elements of a size. It returns false and leaves the list unchanged if
 * memory runs out. */
static inline bool list_grow(void **list, uint32_t needed, uint32_t *room, size_t size) {
	enum { LEAST = 64 };
	if (needed <= *room) return true;
	uint32_t more = 2 * needed + LEAST;
	void *p = realloc(*list, more * size);
	if (p == NULL) return false;
	*list = p;
	*room = more;
	return true;
}

#endif
