/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt counts in every profile of an archive with several threads, which also race for the claims, and checks all
 * totals.
 *
 *	adopt ARCHIVE requested|anywhere|memory THREADS
 *
 * It prints the address of the mapping and some statistics. The exit status is 0, or 1 if a total is wrong or something
 * failed.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "client.h"

enum { ROUNDS = 20, TYPES_OF_A_ROUND = 3 };

static pa_archive *archive;
static uint32_t late;

/* each calls take for every profile of the archive. */
static void each(void (*take)(pa_profile *p, void *to), void *to) {
	pa_methods methods = pa_methods_of(archive);
	pa_method m;
	pa_profile p;
	pa_error e;
	while ((e = pa_methods_next(&methods, &m)).code == PA_OK) {
		pa_profiles profiles = pa_profiles_of(archive, &m);
		while ((e = pa_profiles_next(&profiles, &p)).code == PA_OK) take(&p, to);
		must(e.code == PA_NOT_FOUND, e.message);
	}
	must(e.code == PA_NOT_FOUND, e.message);
}

/* counted stores the cells of an entry that a thread adds 1 to in each round, and returns their number. */
static unsigned counted(const pa_entry *entry, uint32_t cells[2]) {
	cells[0] = 0;
	cells[1] = 2;
	return entry->tag == PA_BRANCH
		? 2
		: entry->tag == PA_COUNTER || entry->tag == PA_COUNT || entry->tag == PA_CALL_TYPE || entry->tag == PA_JUMP;
}

/* type_of returns the type to record in a round, either a type of the archive or a late one. */
static uint32_t type_of(unsigned round, unsigned i) {
	uint32_t n = (uint32_t)pa_info_of(archive)->types;
	return i == 0 || n == 0 ? late : (round + i) % (n < 7 ? n : 7);
}

static void count_profile(pa_profile *p, void *to) {
	unsigned round = *(unsigned *)to;
	pa_entry entry;
	uint32_t cells[2], row;
	pa_summary s;
	pa_error e = pa_claim(p);
	if (e.code == PA_NOT_DECODED) return;
	check(e);
	pa_summarize(p, &s);
	if (pa_profile_word(p, PA_FIELD_INVOCATIONS) != NULL) pa_count(pa_profile_word(p, PA_FIELD_INVOCATIONS), 1);
	for (pa_entries it = pa_entries_of(p, PA_DATA); pa_entries_next(&it, &entry);) {
		for (unsigned i = counted(&entry, cells); i-- > 0;) {
			pa_count(pa_word(&entry, cells[i]), 1);
			must(pa_cell(&entry, cells[i]) > pa_trained(&entry, cells[i]), "a count goes down");
		}
		pa_rows rows;
		if (!pa_receivers_of(&entry, &rows)) continue;
		check(pa_mark_null(&entry));
		check(pa_mark_trap(&entry, 1, true));
		for (unsigned i = 0; i < TYPES_OF_A_ROUND; i++) {
			check(pa_count_receiver(&entry, type_of(round, i), &row));
			must(row == PA_NO_ROW || pa_cell_type(&entry, rows.first + 2 * row, NULL) == type_of(round, i),
				"a row has another type");
		}
	}
}

static void *thread(void *unused) {
	uint32_t ordinal;
	(void)unused;
	for (unsigned round = 0; round < ROUNDS; round++) {
		check(pa_late_type(archive, pa_text_of("Late"), pa_text_of("test"), &ordinal));
		must(ordinal == late, "a late type has two ordinals");
		each(count_profile, &round);
	}
	return NULL;
}

/* ---- expected totals ---- */

typedef struct sums { uint64_t added, profiles, entries, rows; } sums;

static void check_receivers(const pa_entry *entry, const pa_rows *rows, sums *s) {
	uint64_t before = pa_trained(entry, 0), now = pa_cell(entry, 0);
	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t cell = rows->first + 2 * i, type = pa_cell_type(entry, cell, NULL);
		pa_entry old = *entry;
		old.live = NULL;
		uint32_t trained = pa_cell_type(&old, cell, NULL);
		must(trained == PA_NO_TYPE || trained == type, "a row has lost its type");
		for (uint32_t k = 0; k < i && type != PA_NO_TYPE; k++)
			must(pa_cell_type(entry, rows->first + 2 * k, NULL) != type, "a type has two rows");
		before += pa_trained(entry, cell + 1);
		now += pa_cell(entry, cell + 1);
		s->rows += type != PA_NO_TYPE;
	}
	must(now - before == s->added * TYPES_OF_A_ROUND, "receivers are lost");
	must(pa_flags(entry) & 1 && pa_traps(entry) >> 31, "a flag or a trap is lost");
}

static void check_profile(pa_profile *p, void *to) {
	sums *s = to;
	pa_summary before, now;
	pa_entry entry;
	uint32_t cells[2];
	pa_summarize(p, &before);
	pa_error e = pa_claim(p);
	if (e.code == PA_NOT_DECODED) return;
	check(e);
	pa_summarize(p, &now);
	must(now.invocations - before.invocations == (before.has >> PA_FIELD_INVOCATIONS & 1 ? s->added : 0),
		"invocations are lost");
	for (pa_entries it = pa_entries_of(p, PA_DATA); pa_entries_next(&it, &entry); s->entries++) {
		pa_rows rows;
		must(entry.tag != PA_UNDECODED, "a profile that was not decoded is adopted");
		for (unsigned i = counted(&entry, cells); i-- > 0;)
			must(pa_cell(&entry, cells[i]) - pa_trained(&entry, cells[i]) == s->added, "counts are lost");
		if (pa_receivers_of(&entry, &rows)) check_receivers(&entry, &rows, s);
	}
	s->profiles++;
}

/* ---- types ---- */

static void check_binding(void) {
	int class_a, class_b;
	void *to;
	check(pa_bind(archive, late, &class_a));
	check(pa_bind(archive, late, &class_a));
	must(pa_bind(archive, late, &class_b).code == PA_AMBIGUOUS, "a type was bound twice");
	must(pa_bound(archive, late, &to) == PA_BOUND && to == &class_a, "a type is not bound to its class");
	check(pa_exclude(archive, late));
	must(pa_bound(archive, late, &to) == PA_EXCLUDED && to == NULL, "a type is not excluded");
	must(pa_bind(archive, late, &class_a).code == PA_AMBIGUOUS, "an excluded type was bound");
	must(pa_bind(archive, late + 1, &class_a).code == PA_NOT_FOUND, "a type that is not there was bound");
	pa_type t;
	check(pa_type_get(archive, late, &t));
	must(
		t.name.size == 4 && memcmp(t.name.bytes, "Late", 4) == 0 && t.loader.size == 4, "a late type has another name");
	must(pa_late_type(archive, (pa_text){"a\0b", 3}, pa_text_of(""), &late).code == PA_ARGUMENT,
		"a name has a NUL byte");
}

static void bind_first(pa_profile *p, void *to) {
	uint64_t *seen = to;
	pa_entry entry;
	pa_receiver r;
	pa_error e = pa_claim(p);
	if (e.code == PA_NOT_DECODED) return;
	check(e);
	for (pa_entries it = pa_entries_of(p, PA_DATA); pa_entries_next(&it, &entry);)
		for (uint32_t row = 0; pa_next_bound(&entry, &row, &r); (*seen)++)
			must(r.type == 0 && r.bound == seen &&
					r.word ==
						pa_word(&entry, (uint32_t)((uint8_t *)r.word - entry.live - (entry.tag < 64 ? 8 : 16)) / 8),
				"a row of an unbound type");
}

int main(int argc, char **argv) {
	must(argc == 4, "usage: adopt ARCHIVE requested|anywhere|memory THREADS");
	size_t size;
	void *bytes = read_all(argv[1], &size), *again;
	pthread_t threads[64];
	unsigned n = (unsigned)atoi(argv[3]);
	uint64_t bound = 0;
	check(strcmp(argv[2], "memory") == 0 ? pa_open_memory(bytes, size, NULL, &archive)
										 : pa_open(argv[1], NULL, &archive));
	must(pa_late_type(archive, pa_text_of("Late"), pa_text_of("test"), &late).code == PA_NOT_ADOPTED,
		"a type before the adoption");
	check(pa_adopt(archive, strcmp(argv[2], "anywhere") == 0 ? PA_BASE_ANYWHERE : PA_BASE_REQUESTED));
	must(pa_adopt(archive, PA_BASE_ANYWHERE).code == PA_ADOPTED, "the archive was adopted twice");
	check(pa_late_type(archive, pa_text_of("Late"), pa_text_of("test"), &late));
	for (unsigned i = 0; i < n; i++) must(pthread_create(&threads[i], NULL, thread, NULL) == 0, "no threads");
	for (unsigned i = 0; i < n; i++) pthread_join(threads[i], NULL);
	sums s = {.added = (uint64_t)n * ROUNDS};
	each(check_profile, &s);
	if (pa_info_of(archive)->types > 0) {
		check(pa_bind(archive, 0, &bound));
		each(bind_first, &bound);
	}
	check_binding();
	pa_adoption adoption;
	must(pa_adoption_of(archive, &adoption), "the archive is not adopted");
	printf("%s: %" PRIu64 " profiles, %" PRIu64 " entries, %" PRIu64 " rows, %" PRIu64 " of them of type 0\n",
		adoption.at_requested ? "requested" : "elsewhere", s.profiles, s.entries, s.rows, bound);
	pa_close(archive);
	again = read_all(argv[1], &size);
	must(memcmp(bytes, again, size) == 0, "the file was changed");
	free(bytes);
	free(again);
	return 0;
}
