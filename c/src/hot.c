/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the hottest profiles, which every writer computes anew. */
#include "build.h"

typedef struct weights { const pa_builder *b; const uint64_t *of; } weights;

/* field returns the number in a field of a recorded block, or 0. */
static uint64_t field(const uint8_t *bytes, const block *b, unsigned i) {
	uint64_t at = pai_field(b, i);
	return at == 0 ? 0 : get64(bytes + at);
}

/* weight_of returns the calls and loop iterations of a profile. */
static uint64_t weight_of(const pa_builder *b, uint32_t ref) {
	const new_profile *p = ITEM(new_profile, b->profiles, ref);
	const uint8_t *bytes = b->blocks.bytes + p->at;
	const block own = {.presence = get32(bytes + 8)};
	if (p->context != 0) return 0;
	return add_up(field(bytes, &own, PA_FIELD_INVOCATIONS), field(bytes, &own, PA_FIELD_BACKEDGES));
}

/* order puts heavy profiles first. Its numbers are references - 1. */
static int order(const void *with, uint32_t x, uint32_t y) {
	const weights *w = with;
	if (w->of[x] != w->of[y]) return w->of[x] > w->of[y] ? -1 : 1;
	return pai_compare_profiles(w->b, x + 1, y + 1);
}

/* add_rows adds profiles until they have 99% of the total. */
static bool add_rows(pa_builder *b, const uint32_t *refs, const uint64_t *of, uint64_t total) {
	static const uint8_t columns[] = {PA_COLUMN_PROFILE, PA_COLUMN_WORD};
	uint64_t left = total;
	pa_declare_table(b, PA_TABLE_HOT, 0, columns, sizeof columns);
	for (size_t i = 0; left > total / 100 && sound(b); i++) {
		uint64_t weight = of[refs[i]];
		pa_record_row(b, PA_TABLE_HOT, (uint64_t[]){refs[i] + 1, weight}, 2);
		left -= left < weight ? left : weight;
	}
	return sound(b);
}

static bool list(pa_builder *b, uint32_t *refs, uint64_t *of, uint32_t n) {
	uint64_t total = 0;
	size_t heavy = 0;
	for (uint32_t i = 0; i < n; i++) {
		of[i] = weight_of(b, i + 1);
		total = add_up(total, of[i]);
		if (of[i] > 0) refs[heavy++] = i;
	}
	pai_sort(refs, refs + n, heavy, order, &(weights){b, of});
	return total == 0 || add_rows(b, refs, of, total);
}

bool pai_list_hot(pa_builder *b) {
	uint32_t n = (uint32_t)COUNT(new_profile, b->profiles);
	pai_drop_table(b, PA_TABLE_HOT);
	const new_table *advice = pai_table(b, PA_TABLE_ADVICE);
	if (advice == NULL || advice->cells.size == 0 || n == 0) return true;
	uint32_t *refs = malloc(2 * (size_t)n * sizeof *refs);
	uint64_t *of = malloc((size_t)n * sizeof *of);
	bool ok = refs != NULL && of != NULL ? list(b, refs, of, n) : pai_no_memory(b);
	free(refs);
	free(of);
	return ok;
}
