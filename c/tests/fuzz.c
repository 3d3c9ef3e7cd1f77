/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz gives libFuzzer an archive whose checksums are not verified. It iterates, looks up, adopts at another address
 * than the requested one, and counts. An input is an archive without the padding before rw, which is most of a small
 * file. fuzz inserts the padding and fixes the header's checksum.
 *
 *	clang -fsanitize=fuzzer,address,undefined ... fuzz.c libprofarc.a && ./a.out SEEDS
 */
#include <stdlib.h>
#include <string.h>

#include "../src/internal.h"

enum { MOST = 1 << 22 };

/* expand returns the archive of an input, or NULL. */
static uint8_t *expand(const uint8_t *input, size_t n, size_t *size) {
	if (n < HEADER) return NULL;
	uint64_t ex = get64(input + 288 + 24 * 4), ex_size = get64(input + 288 + 24 * 4 + 8),
			 rw = get64(input + 288 + 24 * 5), front = ex + ex_size;
	if (ex > MOST || ex_size > MOST || rw > MOST || front > n || rw < front) return NULL;
	*size = (size_t)(rw + (n - front));
	uint8_t *bytes = calloc(1, *size), rest[HEADER];
	memcpy(bytes, input, (size_t)front);
	memcpy(bytes + rw, input + front, n - (size_t)front);
	uint64_t file = *size, sum;
	memcpy(bytes + 24, &file, 8);
	memcpy(rest, bytes, 32);
	memcpy(rest + 32, bytes + 40, HEADER - 40);
	sum = pai_xxh64(NULL, 0, rest, HEADER - 8);
	memcpy(bytes + 32, &sum, 8);
	return bytes;
}

static void entries(const pa_archive *a, pa_profile *p) {
	bool claimed = pa_claim(p).code == PA_OK;
	pa_summary s;
	pa_entry entry;
	pa_method m;
	pa_receiver r;
	pa_summarize(p, &s);
	for (pa_section section = PA_DATA; section <= PA_HANDLERS; section++)
		for (pa_entries it = pa_entries_of(p, section); pa_entries_next(&it, &entry);) {
			uint32_t row;
			pa_entry other;
			for (uint32_t i = 0; i < entry.cells && i < 64; i++) pa_cell_type(&entry, i, NULL);
			pa_cell_method(&entry, 0, &m);
			pa_entry_at(p, entry.point, &other);
			if (pa_bitmap_of(&entry) != NULL && entry.rows > 0) s.has += pa_bitmap_of(&entry)[entry.rows - 1];
			for (row = 0; row < 4; row++) pa_receiver_at(&entry, row, &r);
			row = 0;
			pa_next_bound(&entry, &row, &r);
			if (!claimed) continue;
			for (uint32_t type = 0; type < 4; type++) pa_count_receiver(&entry, type, &row);
			pa_mark_null(&entry);
			pa_mark_trap(&entry, 3, true);
			if (entry.tag < 64 && entry.cells > 0) pa_count(pa_word(&entry, 0), 1);
		}
	for (uint32_t i = 0; i < s.trap_reasons; i++) s.has += s.traps[i];
	pa_method_at(a, s.method, &m);
}

static void method(const pa_archive *a, const pa_method *m) {
	pa_profiles profiles = pa_profiles_of(a, m);
	pa_contexts contexts = pa_contexts_of(a, m);
	pa_profile p;
	pa_context c, d;
	pa_method found;
	pa_frame frames[8];
	size_t n, depth;
	while (pa_contexts_next(&contexts, &c).code == PA_OK)
		if (pa_context_at(a, c.at, &d).code == PA_OK && pa_context_frames(a, &d, frames, 8, &n).code == PA_OK)
			pa_find_profile_in(a, m, PA_ANY_CODE, frames, n < 8 ? n : 8, &p, &depth);
	while (pa_profiles_next(&profiles, &p).code == PA_OK) entries(a, &p);
	char *signature = malloc(m->key.signature.size + 1);
	pa_key key = m->key;
	if (pa_signature(a, m, signature, m->key.signature.size).code == PA_OK) {
		key.signature.bytes = signature;
		pa_find_method(a, &key, &found);
		pa_find_profile(a, &key, 1, &p);
		pa_find_profile_id(a, m->id, PA_ANY_CODE, &p);
	}
	free(signature);
}

static void tables(const pa_archive *a) {
	pa_table t;
	pa_method m;
	pa_context c;
	pa_profile p;
	pa_text text;
	for (uint32_t i = 0; pa_table_number(a, i, &t).code == PA_OK; i++)
		for (uint32_t row = 0; row < t.rows && row < 100; row++)
			for (uint32_t column = 0; column < t.columns; column++) {
				pa_ref at = (pa_ref)pa_table_cell(&t, column, row);
				pa_table_method(a, at, &m);
				pa_context_at(a, at, &c);
				pa_profile_at(a, at, &p);
				pa_symbol_at(a, at, &text);
			}
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n) {
	size_t size;
	uint8_t *bytes = expand(input, n, &size);
	pa_archive *a = NULL;
	pa_method m;
	pa_type t;
	if (bytes != NULL && pa_open_memory(bytes, size, &(pa_options){.check = PA_CHECK_NONE}, &a).code == PA_OK) {
		pa_adopt(a, PA_BASE_ANYWHERE);
		pa_bind(a, 0, a);
		pa_types types = pa_types_of(a);
		for (uint32_t ordinal; pa_types_next(&types, &t).code == PA_OK;) {
			pa_class_methods of = pa_class_methods_of(a, t.ordinal);
			pa_find_type(a, t.name, t.loader, &ordinal);
			while (pa_class_methods_next(&of, &m).code == PA_OK) {}
		}
		pa_methods methods = pa_methods_of(a);
		while (pa_methods_next(&methods, &m).code == PA_OK) method(a, &m);
		tables(a);
	}
	pa_close(a);
	free(bytes);
	return 0;
}
