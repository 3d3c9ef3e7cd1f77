/* SPDX-License-Identifier: Apache-2.0 */
/* dropped writes invalid values into live rows, and checks what a snapshot omits. Its argument is OUT. */
#include "client.h"

/* record makes an archive in memory. Its profile has one used and two empty rows at point 7. */
static void *record(size_t *size) {
	pa_config config = {.domain = PA_GRAAL};
	pa_key key = {.class_name = pa_text_of("A"), .name = pa_text_of("m")};
	pa_type_count rows[3] = {{0, 0}};
	pa_builder *b;
	void *bytes;
	pa_report report;
	check(pa_builder_new(&config, &b));
	rows[0] = (pa_type_count){pa_intern_type(b, pa_text_of("T"), pa_text_of("")), 4};
	pa_begin(b, pa_intern_method(b, &key), PA_UNKNOWN_CODE, 0);
	pa_record_receivers(b, &(pa_new_receivers){.point = 7, .sub = PA_OF_CALL}, rows, 3);
	check(pa_done(b, NULL));
	pa_begin(b, pa_intern_method(b, &key), PA_UNKNOWN_CODE, 0);
	pa_record_invocations(b, 9);
	must(pa_done(b, NULL).code == PA_AMBIGUOUS, "a profile was recorded twice");
	check(pa_write_memory(b, &bytes, size, &report));
	must(report.duplicates == 1, "the report does not have the duplicate");
	pa_builder_free(b);
	return bytes;
}

static void snapshot(const pa_archive *a, pa_counts take, const char *path, uint64_t rows) {
	pa_report report;
	pa_method m;
	check(pa_write_snapshot(a, take, path, &report));
	must(report.dropped.rows == rows && (report.dropped.reason == NULL) == (rows == 0),
		"another number of dropped rows");
	if (rows == 0) return;
	check(pa_table_method(a, report.dropped.method, &m));
	must(report.dropped.point == 7 && m.key.name.size == 1 && m.key.name.bytes[0] == 'm',
		"the first row that was dropped stands elsewhere");
}

/* copy_beside copies a profile that the builder has already. */
static void copy_beside(const pa_archive *a) {
	pa_key key = {.class_name = pa_text_of("A"), .name = pa_text_of("m")};
	pa_builder *b;
	pa_method m;
	pa_report report;
	void *bytes;
	size_t size;
	check(pa_builder_like(a, &b));
	pa_begin(b, pa_intern_method(b, &key), PA_UNKNOWN_CODE, 0);
	check(pa_done(b, NULL));
	check(pa_snapshot(b, a, PA_TOTALS));
	check(pa_write_memory(b, &bytes, &size, &report));
	must(report.dropped.profiles == 1 && report.dropped.error.code == PA_AMBIGUOUS && report.duplicates == 1,
		"the copy does not say what it lacks");
	check(pa_table_method(a, report.dropped.lost, &m));
	must(m.key.name.size == 1 && m.key.name.bytes[0] == 'm', "it says that of another method");
	free(bytes);
	pa_builder_free(b);
}

int main(int argc, char **argv) {
	must(argc == 2, "usage: dropped OUT");
	size_t size;
	void *bytes = record(&size);
	pa_key key = {.class_name = pa_text_of("A"), .name = pa_text_of("m")};
	pa_archive *a;
	pa_profile p;
	pa_entry entry;
	check(pa_open_memory(bytes, size, NULL, &a));
	check(pa_adopt(a, PA_BASE_ANYWHERE));
	check(pa_find_profile(a, &key, PA_ANY_CODE, &p));
	check(pa_claim(&p));
	must(pa_entry_at(&p, 7, &entry) && entry.rows == 3, "no entry");
	pa_count(pa_word(&entry, 3), 1);
	snapshot(a, PA_TOTALS, argv[1], 0);
	pa_count(pa_word(&entry, 7), 5); /* a count without a type */
	snapshot(a, PA_INCREMENTS, argv[1], 1);
	pa_count(pa_word(&entry, 4), 0x1235); /* not a type */
	snapshot(a, PA_TOTALS, argv[1], 2);
	snapshot(a, PA_TRAINED, argv[1], 0);
	copy_beside(a);
	pa_close(a);
	free(bytes);
	return 0;
}
