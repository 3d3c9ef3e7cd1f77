/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options opens an archive of the domain hotspot in all ways, and calls functions with invalid arguments.
 *
 *	options ARCHIVE DAMAGED    DAMAGED has a wrong byte in its last page
 *
 * The exit status is 0, or 1 with a description of the error.
 */
#include <stdio.h>
#include <string.h>

#include "profarc_archive.h"

static int wrong;

static void expect(const char *what, pa_error e, pa_code code) {
	if (e.code == code && e.message != NULL && (code != PA_SYSTEM || e.system != 0)) return;
	fprintf(stderr, "options: %s: %s (%d), want %d\n", what, e.message, e.code, code);
	wrong = 1;
}

static void open_with(const char *what, const char *path, const pa_options *options, pa_code code) {
	pa_archive *a = NULL;
	expect(what, pa_open(path, options, &a), code);
	if ((a != NULL) != (code == PA_OK)) expect(what, (pa_error){.message = "an archive, or none"}, PA_ARGUMENT);
	pa_close(a);
}

static void expectations(const char *path, const pa_info *info) {
	char producer[65] = {0};
	uint8_t other[16] = {1};
	memcpy(producer, info->producer.bytes, info->producer.size);
	open_with("its domain", path, &(pa_options){.domain = PA_HOTSPOT}, PA_OK);
	open_with("another domain", path, &(pa_options){.domain = PA_GRAAL}, PA_MISMATCH);
	open_with("its producer", path, &(pa_options){.producer = producer}, PA_OK);
	open_with("another producer", path, &(pa_options){.producer = "x"}, PA_MISMATCH);
	open_with("its fingerprint", path, &(pa_options){.fingerprint = info->fingerprint}, PA_OK);
	open_with("another fingerprint", path, &(pa_options){.fingerprint = other}, PA_MISMATCH);
	open_with("no such file", "no such file", NULL, PA_SYSTEM);
}

/* damaged iterates over an archive with a wrong byte in its last profile. */
static void damaged(const char *path, pa_check check, pa_code code) {
	pa_archive *a;
	pa_error e = pa_open(path, &(pa_options){.check = check}, &a);
	if (e.code != PA_OK) return expect("a wrong byte", e, code);
	pa_methods methods = pa_methods_of(a);
	pa_method m;
	pa_profile p;
	while (e.code == PA_OK && (e = pa_methods_next(&methods, &m)).code == PA_OK) {
		pa_profiles profiles = pa_profiles_of(a, &m);
		while ((e = pa_profiles_next(&profiles, &p)).code == PA_OK) {}
		if (e.code == PA_NOT_FOUND) e.code = PA_OK; /* the end */
	}
	if (e.code == PA_NOT_FOUND) e.code = PA_OK;
	expect("a wrong byte", e, code);
	if (e.code == PA_DAMAGED && (e.region != PA_RW || e.offset == 0)) expect("the place of a wrong byte", e, PA_OK);
	pa_close(a);
}

static void no_such_thing(pa_archive *a) {
	pa_type t;
	pa_method m;
	pa_context c;
	pa_profile p;
	pa_table table;
	uint32_t ordinal;
	const pa_info *info = pa_info_of(a);
	expect("a type after the last", pa_type_get(a, (uint32_t)info->types, &t), PA_NOT_FOUND);
	expect("no type", pa_type_get(a, PA_NO_TYPE, &t), PA_NOT_FOUND);
	expect("an unknown type", pa_find_type(a, pa_text_of("no such type"), pa_text_of(""), &ordinal), PA_NOT_FOUND);
	expect("an unknown table", pa_table_get(a, 999, &table), PA_NOT_FOUND);
	expect("a table after the last", pa_table_number(a, 999, &table), PA_NOT_FOUND);
	expect("no method", pa_method_at(a, 0, &m), PA_NOT_FOUND);
	expect("a method in the header", pa_method_at(a, 1, &m), PA_DAMAGED);
	expect("a method behind the file", pa_method_at(a, UINT32_MAX, &m), PA_DAMAGED);
	expect("a row in the header", pa_table_method(a, 1, &m), PA_DAMAGED);
	expect("a context in the header", pa_context_at(a, 1, &c), PA_DAMAGED);
	expect("a profile in the header", pa_profile_at(a, 1, &p), PA_DAMAGED);
	expect("a type in the header", pa_type_at(a, 1, &t), PA_DAMAGED);
	expect("an id of no method", pa_find_profile_id(a, 1, PA_ANY_CODE, &p), PA_NOT_FOUND);
	expect("an empty key", pa_find_profile(a, &(pa_key){.name = {NULL, 0}}, PA_ANY_CODE, &p), PA_NOT_FOUND);
	expect("no such choice", pa_adopt(a, (pa_base)7), PA_ARGUMENT);
	expect(
		"a late type too early", pa_late_type(a, pa_text_of("no such type"), pa_text_of(""), &ordinal), PA_NOT_ADOPTED);
	expect("bound to nothing", pa_bind(a, 0, NULL), PA_ARGUMENT);
}

/* unclaimed tries to count in unclaimed profiles. */
static void unclaimed(pa_archive *a) {
	pa_methods methods = pa_methods_of(a);
	pa_method m;
	pa_profile p;
	pa_entry entry;
	while (pa_methods_next(&methods, &m).code == PA_OK)
		for (pa_profiles profiles = pa_profiles_of(a, &m); pa_profiles_next(&profiles, &p).code == PA_OK;) {
			expect("a claim without adoption", pa_claim(&p), PA_NOT_ADOPTED);
			if (pa_profile_word(&p, PA_FIELD_INVOCATIONS) != NULL)
				expect("a word", (pa_error){.message = "of a profile that is not claimed"}, PA_ARGUMENT);
			for (pa_entries it = pa_entries_of(&p, PA_DATA); pa_entries_next(&it, &entry);) {
				pa_rows rows;
				expect("a receiver", pa_count_receiver(&entry, 0, NULL),
					pa_receivers_of(&entry, &rows) ? PA_NOT_ADOPTED : PA_ARGUMENT);
				if (pa_word(&entry, 0) != NULL)
					expect("a word", (pa_error){.message = "of an entry that is not claimed"}, PA_ARGUMENT);
				if (pa_cell(&entry, entry.cells) != 0)
					expect("a cell", (pa_error){.message = "after the last"}, PA_ARGUMENT);
			}
		}
}

int main(int argc, char **argv) {
	pa_archive *a;
	pa_error e;
	if (argc != 3) return 2;
	if ((e = pa_open(argv[1], NULL, &a)).code != PA_OK) {
		fprintf(stderr, "options: %s\n", e.message);
		return 1;
	}
	expectations(argv[1], pa_info_of(a));
	open_with("all sums", argv[1], &(pa_options){.check = PA_CHECK_ALL}, PA_OK);
	open_with("no sums", argv[1], &(pa_options){.check = PA_CHECK_NONE}, PA_OK);
	damaged(argv[2], PA_CHECK_ALL, PA_DAMAGED);
	damaged(argv[2], PA_CHECK_TOUCH, PA_DAMAGED);
	damaged(argv[2], PA_CHECK_NONE, PA_OK);
	no_such_thing(a);
	unclaimed(a);
	pa_close(a);
	pa_close(NULL);
	return wrong;
}
