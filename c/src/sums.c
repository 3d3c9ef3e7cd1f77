/* SPDX-License-Identifier: Apache-2.0 */
/* The page checksums, a tree of XXH64. A page is verified after all checksums on its path from the root. */
#include <stdlib.h>

#include "internal.h"

/* locate_levels computes the offsets of the levels and the number of bits for levels and pages. */
static uint64_t locate_levels(pa_archive *a) {
	sums *s = &a->sums;
	uint64_t start = a->region[PA_IX].at, n = a->size > start ? (a->size - 1) / PAGE - start / PAGE + 1 : 0;
	s->first_page = start / PAGE;
	s->pages = s->count[0] = n;
	for (s->levels = 1; s->count[s->levels - 1] > FANOUT; s->levels++)
		s->count[s->levels] = (s->count[s->levels - 1] + FANOUT - 1) / FANOUT;
	uint64_t at = a->region[PA_PS].at, bits = n;
	for (unsigned i = s->levels; i-- > 0; at += 8 * s->count[i]) s->at[i] = at;
	for (unsigned i = 0; i < s->levels; i++) {
		s->bit[i] = bits;
		bits += (s->count[i] + FANOUT - 1) / FANOUT;
	}
	return bits;
}

bool pai_sums_open(pa_archive *a, pa_error *e) {
	uint64_t bits = locate_levels(a), size = a->sums.at[0] + 8 * a->sums.count[0] - a->region[PA_PS].at,
			 room = a->region[PA_PS].size;
	if (size > room || room - size > FANOUT + round_up(size / 256, 8))
		return pai_damage(a, e, a->region[PA_PS].at, "the page sums do not fit into ps");
	a->sums.checked = calloc(bits / 64 + 1, sizeof *a->sums.checked);
	return a->sums.checked != NULL || pai_system(e, "no memory for the bits of the pages");
}

static bool compare(const pa_archive *a, uint64_t at, uint64_t end, uint64_t sum, pa_error *e) {
	if (pai_xxh64(NULL, 0, a->bytes + at, end - at) == sum) return true;
	return pai_damage(a, e, at, "bytes do not have their sum");
}

/* touch_group verifies a group of checksums, after the groups above it. */
static bool touch_group(const pa_archive *a, unsigned level, uint64_t group, pa_error *e) {
	const sums *s = &a->sums;
	for (unsigned top = s->levels; top-- > level;) {
		uint64_t g = group >> 6 * (top - level), n = s->count[top] - g * FANOUT; /* a group has 64 = 2^6 checksums */
		if (has_bit(s->checked, s->bit[top] + g)) continue;
		uint64_t at = s->at[top] + 8 * FANOUT * g;
		uint64_t sum = top + 1 < s->levels ? get64(a->bytes + s->at[top + 1] + 8 * g) : get64(a->bytes + 96);
		if (!compare(a, at, at + 8 * (n < FANOUT ? n : FANOUT), sum, e)) return false;
		add_bit(s->checked, s->bit[top] + g);
	}
	return true;
}

static bool touch_page(const pa_archive *a, uint64_t n, pa_error *e) {
	const sums *s = &a->sums;
	if (has_bit(s->checked, n)) return true;
	if (!touch_group(a, 0, n / FANOUT, e)) return false;
	uint64_t at = (s->first_page + n) * PAGE, end = at + PAGE;
	if (at < a->region[PA_IX].at) at = a->region[PA_IX].at;
	if (end > a->size) end = a->size;
	if (!compare(a, at, end, get64(a->bytes + s->at[0] + 8 * n), e)) return false;
	add_bit(s->checked, n);
	return true;
}

bool pai_touch_pages(const pa_archive *a, uint64_t at, uint64_t n, pa_error *e) {
	uint64_t last = ((at + n - 1) >> PAGE_SHIFT) - a->sums.first_page;
	for (uint64_t page = (at >> PAGE_SHIFT) - a->sums.first_page; page <= last; page++)
		if (!touch_page(a, page, e)) return false;
	return true;
}

bool pai_sums_all(const pa_archive *a, pa_error *e) {
	if (a->sums.pages == 0) return touch_group(a, 0, 0, e);
	for (uint64_t n = 0; n < a->sums.pages; n++)
		if (!touch_page(a, n, e)) return false;
	return true;
}
