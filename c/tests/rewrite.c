/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rewrite writes an archive again, or a snapshot after counting in it.
 *
 *	rewrite ARCHIVE OUT trained            copies the archive
 *	rewrite ARCHIVE OUT live|delta WHERE   adopts it at the requested base, elsewhere (anywhere) or in memory, and
 *	                                       counts in it; unsummed is in memory without verified page checksums
 *
 * It prints LOST, the number of lost profiles. TestSnapshots counts the same in Go.
 */
#include <string.h>

#include "client.h"

static pa_archive *archive;

/* count counts two types of the archive and a late one, or 7 executions, in an entry. */
static void count(const pa_entry *entry, uint32_t late, uint32_t number) {
	uint32_t types = (uint32_t)pa_info_of(archive)->types;
	pa_rows rows;
	if (pa_receivers_of(entry, &rows)) {
		for (uint32_t i = 0; i < 2 && types > 0; i++) check(pa_count_receiver(entry, (number + i) % types, NULL));
		check(pa_count_receiver(entry, late, NULL));
		check(pa_count_receiver(entry, late, NULL));
		check(pa_mark_null(entry));
		check(pa_mark_trap(entry, 1, true));
	} else if (entry->tag == PA_COUNTER || entry->tag == PA_COUNT || entry->tag == PA_JUMP || entry->tag == PA_BRANCH ||
		entry->tag == PA_CALL_TYPE || entry->tag == PA_PRODUCER /* a count in the specimen's cell 0 */) {
		pa_count(pa_word(entry, 0), 7);
	}
}

/* count_all counts in two of three profiles. */
static void count_all(void) {
	pa_methods methods = pa_methods_of(archive);
	pa_method m;
	pa_profile p;
	pa_entry entry;
	uint32_t number = 0, late;
	check(pa_late_type(archive, pa_text_of("Late"), pa_text_of("test"), &late));
	while (pa_methods_next(&methods, &m).code == PA_OK)
		for (pa_profiles it = pa_profiles_of(archive, &m); pa_profiles_next(&it, &p).code == PA_OK; number++) {
			if (number % 3 == 2) continue;
			pa_error e = pa_claim(&p);
			if (e.code == PA_NOT_DECODED || e.code == PA_DAMAGED) continue;
			check(e);
			if (pa_profile_word(&p, PA_FIELD_INVOCATIONS) != NULL)
				pa_count(pa_profile_word(&p, PA_FIELD_INVOCATIONS), number + 1);
			for (pa_entries at = pa_entries_of(&p, PA_DATA); pa_entries_next(&at, &entry);) count(&entry, late, number);
		}
}

/* snapshot does the same as pa_write_snapshot, except for the run, which differs each time. */
static pa_error snapshot(pa_counts take, const char *path, pa_report *report) {
	pa_builder *b;
	if (take != PA_INCREMENTS) return pa_write_snapshot(archive, take, path, report);
	check(pa_builder_like(archive, &b));
	check(pa_snapshot(b, archive, take));
	pa_error e = pa_write(b, path, report);
	pa_builder_free(b);
	return e;
}

int main(int argc, char **argv) {
	must(argc >= 4 && argc <= 6,
		"usage: rewrite ARCHIVE OUT trained|live|delta [requested|anywhere|memory|unsummed [LOST]]");
	pa_counts take = strcmp(argv[3], "live") == 0 ? PA_TOTALS
		: strcmp(argv[3], "delta") == 0       ? PA_INCREMENTS
											  : PA_TRAINED;
	size_t size;
	void *bytes = read_all(argv[1], &size), *again;
	pa_report report;
	bool unsummed = argc >= 5 && strcmp(argv[4], "unsummed") == 0,
		 memory = unsummed || (argc >= 5 && strcmp(argv[4], "memory") == 0);
	pa_options options = {.check = unsummed ? PA_CHECK_NONE : PA_CHECK_TOUCH};
	check(memory ? pa_open_memory(bytes, size, &options, &archive) : pa_open(argv[1], &options, &archive));
	if (argc >= 5) {
		check(pa_adopt(archive, unsummed || strcmp(argv[4], "anywhere") == 0 ? PA_BASE_ANYWHERE : PA_BASE_REQUESTED));
		count_all();
	}
	check(snapshot(take, argv[2], &report));
	must(
		report.dropped.profiles == (argc == 6 ? strtoull(argv[5], NULL, 10) : 0), "another number of profiles is lost");
	must((report.dropped.error.code == PA_OK) == (report.dropped.profiles == 0), "an error of no profile, or none");
	pa_close(archive);
	again = read_all(argv[2], &size);
	must(report.file_size == size, "the report says another size");
	check(pa_open_memory(again, size, &(pa_options){.check = PA_CHECK_ALL}, &archive));
	must(memcmp(pa_info_of(archive)->dump_id, report.dump_id, 16) == 0 &&
			pa_info_of(archive)->requested_base == report.requested_base,
		"the report is wrong");
	pa_close(archive);
	free(bytes);
	free(again);
	return 0;
}
