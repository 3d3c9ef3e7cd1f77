/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFARC_AGENT_SEARCH_H
#define PROFARC_AGENT_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* search_first does a binary search. It returns the index of the first of n elements that is not before key, or n.
 * before reports whether an element of list is before key. The elements must be sorted accordingly. */
static inline uint32_t search_first(
	const void *list, uint32_t n, const void *key, bool (*before)(const void *list, uint32_t i, const void *key)) {
	uint32_t low = 0, high = n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (before(list, middle, key)) low = middle + 1;
		else high = middle;
	}
	return low;
}

#endif
