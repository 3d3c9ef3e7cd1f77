/* SPDX-License-Identifier: Apache-2.0 */
/* nulls calls every function of the library with NULL for each pointer, and with structs of zeros. It fails if one
 * returns no error where it must, and the sanitizers fail it if one reads the pointer.
 *
 *	nulls ARCHIVE FOLDER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profarc_archive.h"

static int wrong;

#define REFUSES(call) refuses((call).code, #call)
#define GIVES_NONE(call) gives_none(!(call), #call)
/* of a builder: the call must leave the error PA_ARGUMENT */
#define SPOILS(call)                                   \
	do {                                               \
		pa_builder *b = opened();                      \
		call;                                          \
		refuses(pa_builder_error(b).code, #call);      \
		pa_builder_free(b);                            \
	} while (0)

static void refuses(pa_code code, const char *call) {
	if (code == PA_ARGUMENT) return;
	printf("%s has the code %d\n", call, code);
	wrong = 1;
}

static void gives_none(bool none, const char *call) {
	if (none) return;
	printf("%s gives a result\n", call);
	wrong = 1;
}

static const pa_config custom = {.domain = PA_CUSTOM, .producer_id = {1}};
static const pa_config hotspot = {.domain = PA_HOTSPOT, .settings = {2, 2, 1}};
static const pa_config *config;
static const pa_key key = {.name = PA_TEXT("f")}, no_bytes = {.name = {NULL, 3}};
static const pa_text missing = {NULL, 3}, name = PA_TEXT("x");

/* opened returns a builder with an open profile. */
static pa_builder *opened(void) {
	pa_builder *b;
	if (pa_builder_new(config, &b).code != PA_OK) abort();
	pa_begin(b, pa_intern_method(b, &key), 7, 0);
	return b;
}

/* ---- reading ---- */

static void archives(const char *path, pa_archive *a) {
	pa_archive *got;
	REFUSES(pa_open(NULL, NULL, &got));
	REFUSES(pa_open(path, NULL, NULL));
	REFUSES(pa_open_memory(NULL, 5, NULL, &got));
	REFUSES(pa_open_memory("", 0, NULL, NULL));
	pa_close(NULL);
	GIVES_NONE(pa_info_of(NULL));
	REFUSES(pa_fits_on(NULL, a));
	REFUSES(pa_fits_on(NULL, NULL));
	pa_fits_on(a, NULL);
	REFUSES(pa_adopt(NULL, PA_BASE_REQUESTED));
	GIVES_NONE(pa_adoption_of(NULL, NULL));
	GIVES_NONE(pa_adoption_of(a, NULL));
}

static void types(pa_archive *a) {
	pa_type t;
	uint32_t n;
	pa_types it = pa_types_of(NULL), zeros = {0};
	REFUSES(pa_types_next(&it, &t));
	REFUSES(pa_types_next(&zeros, &t));
	REFUSES(pa_types_next(NULL, &t));
	it = pa_types_of(a);
	REFUSES(pa_types_next(&it, NULL));
	REFUSES(pa_type_get(NULL, 0, &t));
	REFUSES(pa_type_get(a, 0, NULL));
	REFUSES(pa_find_type(NULL, name, name, &n));
	REFUSES(pa_find_type(a, missing, name, &n));
	REFUSES(pa_find_type(a, name, missing, &n));
	REFUSES(pa_find_type(a, name, name, NULL));
	REFUSES(pa_late_type(NULL, name, name, &n));
	REFUSES(pa_late_type(a, missing, name, &n));
	REFUSES(pa_late_type(a, name, name, NULL));
	REFUSES(pa_type_at(NULL, 1, &t));
	REFUSES(pa_type_at(a, 1, NULL));
	REFUSES(pa_symbol_at(NULL, 1, &t.name));
	REFUSES(pa_symbol_at(a, 1, NULL));
	REFUSES(pa_bind(NULL, 0, &t));
	REFUSES(pa_bind(a, 0, NULL));
	REFUSES(pa_exclude(NULL, 0));
	GIVES_NONE(pa_bound(NULL, 0, NULL));
}

static void methods(pa_archive *a) {
	pa_method m, zero = {0};
	pa_methods it = pa_methods_of(NULL);
	REFUSES(pa_methods_next(&it, &m));
	REFUSES(pa_methods_next(NULL, &m));
	it = pa_methods_of(a);
	REFUSES(pa_methods_next(&it, NULL));
	pa_class_methods of = pa_class_methods_of(NULL, 0);
	REFUSES(pa_class_methods_next(&of, &m));
	REFUSES(pa_class_methods_next(NULL, &m));
	of = pa_class_methods_of(a, 0);
	REFUSES(pa_class_methods_next(&of, NULL));
	GIVES_NONE(pa_key_id(NULL, &key));
	GIVES_NONE(pa_key_id(a, NULL));
	GIVES_NONE(pa_key_id(a, &no_bytes));
	REFUSES(pa_find_method(NULL, &key, &m));
	REFUSES(pa_find_method(a, NULL, &m));
	REFUSES(pa_find_method(a, &no_bytes, &m));
	REFUSES(pa_find_method(a, &key, NULL));
	REFUSES(pa_find_method_id(NULL, 1, &m));
	REFUSES(pa_find_method_id(a, 1, NULL));
	REFUSES(pa_method_at(NULL, 1, &m));
	REFUSES(pa_method_at(a, 1, NULL));
	REFUSES(pa_table_method(NULL, 1, &m));
	REFUSES(pa_table_method(a, 1, NULL));
	REFUSES(pa_signature(NULL, &zero, NULL, 0));
	REFUSES(pa_signature(a, NULL, NULL, 0));
	zero.key.signature.size = 1;
	REFUSES(pa_signature(a, &zero, NULL, 1));
	GIVES_NONE(pa_hotspot_code_id(NULL, 5));
}

static void contexts(pa_archive *a) {
	pa_method zero = {0};
	pa_context c = {0};
	pa_contexts it = pa_contexts_of(NULL, &zero);
	size_t n;
	REFUSES(pa_contexts_next(&it, &c));
	it = pa_contexts_of(a, NULL);
	REFUSES(pa_contexts_next(&it, &c));
	REFUSES(pa_contexts_next(NULL, &c));
	it = pa_contexts_of(a, &zero);
	REFUSES(pa_contexts_next(&it, NULL));
	REFUSES(pa_context_at(NULL, 1, &c));
	REFUSES(pa_context_at(a, 1, NULL));
	REFUSES(pa_context_frames(NULL, &c, NULL, 0, &n));
	REFUSES(pa_context_frames(a, NULL, NULL, 0, &n));
	REFUSES(pa_context_frames(a, &c, NULL, 1, &n));
	REFUSES(pa_context_frames(a, &c, NULL, 0, NULL));
}

static void profiles(pa_archive *a) {
	pa_method zero = {0};
	pa_profile p = {0}, none = {0};
	pa_summary s;
	size_t n;
	pa_profiles it = pa_profiles_of(NULL, &zero);
	REFUSES(pa_profiles_next(&it, &p));
	it = pa_profiles_of(a, NULL);
	REFUSES(pa_profiles_next(&it, &p));
	REFUSES(pa_profiles_next(NULL, &p));
	it = pa_profiles_of(a, &zero);
	REFUSES(pa_profiles_next(&it, NULL));
	REFUSES(pa_find_profile(NULL, &key, 1, &p));
	REFUSES(pa_find_profile(a, NULL, 1, &p));
	REFUSES(pa_find_profile(a, &no_bytes, 1, &p));
	REFUSES(pa_find_profile(a, &key, 1, NULL));
	REFUSES(pa_find_profile_id(NULL, 1, 1, &p));
	REFUSES(pa_find_profile_id(a, 1, PA_ANY_CODE, NULL));
	REFUSES(pa_find_profile_in(NULL, &zero, 1, NULL, 0, &p, &n));
	REFUSES(pa_find_profile_in(a, NULL, 1, NULL, 0, &p, &n));
	REFUSES(pa_find_profile_in(a, &zero, 1, NULL, 1, &p, &n));
	REFUSES(pa_find_profile_in(a, &zero, 1, NULL, 0, NULL, &n));
	REFUSES(pa_find_profile_in(a, &zero, 1, NULL, 0, &p, NULL));
	REFUSES(pa_profile_at(NULL, 1, &p));
	REFUSES(pa_profile_at(a, 1, NULL));
	pa_summarize(NULL, &s);
	GIVES_NONE(s.has);
	pa_summarize(&none, &s);
	pa_summarize(&none, NULL);
	REFUSES(pa_claim(NULL));
	REFUSES(pa_claim(&none));
	REFUSES(pa_claim_all(NULL, 1, &n));
	REFUSES(pa_claim_all(NULL, 0, NULL));
	GIVES_NONE(pa_profile_word(NULL, PA_FIELD_INVOCATIONS));
	GIVES_NONE(pa_profile_word(&none, PA_FIELD_INVOCATIONS));
}

/* use_entry calls the functions of an entry of zeros, or of none. */
static void use_entry(const pa_entry *entry) {
	uint64_t n;
	uint32_t k = 0;
	pa_branch branch;
	pa_rows rows;
	pa_method m;
	pa_receiver r;
	GIVES_NONE(pa_cell(entry, 0));
	GIVES_NONE(pa_trained(entry, 0));
	GIVES_NONE(pa_word(entry, 0));
	GIVES_NONE(pa_cell_type(entry, 0, NULL) != PA_NO_TYPE);
	REFUSES(pa_cell_method(entry, 0, &m));
	GIVES_NONE(pa_count_of(entry, &n));
	GIVES_NONE(pa_branch_of(entry, &branch));
	GIVES_NONE(pa_rows_of(entry, &rows));
	GIVES_NONE(pa_receivers_of(entry, &rows));
	GIVES_NONE(pa_arguments_of(entry, &rows, &k));
	GIVES_NONE(pa_bitmap_of(entry));
	REFUSES(pa_count_receiver(entry, 0, NULL));
	GIVES_NONE(pa_receiver_at(entry, 0, &r));
	GIVES_NONE(pa_next_bound(entry, &k, &r));
	GIVES_NONE(pa_flags(entry));
	GIVES_NONE(pa_traps(entry));
}

static void entries(const pa_archive *a) {
	pa_profile none = {0};
	pa_entry entry = {0};
	pa_entries it = pa_entries_of(NULL, PA_DATA), zeros = {0};
	GIVES_NONE(pa_entries_next(&it, &entry));
	GIVES_NONE(pa_entries_next(&zeros, &entry));
	GIVES_NONE(pa_entries_next(NULL, &entry));
	GIVES_NONE(pa_entries_next(&it, NULL));
	it = pa_entries_of(&none, PA_DATA);
	it = pa_entries_at(&none, 0);
	it = pa_entries_at(NULL, 0);
	GIVES_NONE(pa_entry_at(NULL, 0, &entry));
	GIVES_NONE(pa_entry_at(&none, 0, NULL));
	use_entry(NULL);
	use_entry(&entry);
	REFUSES(pa_mark_null(NULL));
	REFUSES(pa_mark_trap(NULL, 0, false));
	for (unsigned tag = 0; tag < 256; tag++) {
		pa_entry some = {.archive = a, .tag = (uint8_t)tag};
		GIVES_NONE(pa_count_of(&some, NULL));
		GIVES_NONE(pa_branch_of(&some, NULL));
		GIVES_NONE(pa_rows_of(&some, NULL));
		GIVES_NONE(pa_receivers_of(&some, NULL));
		GIVES_NONE(pa_arguments_of(&some, NULL, NULL));
		GIVES_NONE(pa_receiver_at(&some, 0, NULL));
		GIVES_NONE(pa_next_bound(&some, NULL, NULL));
		REFUSES(pa_cell_method(&some, 0, NULL));
	}
}

static void tables(const pa_archive *a) {
	pa_table t = {0};
	pa_shape s = {0};
	pa_cell_shape cell;
	REFUSES(pa_table_get(NULL, 1, &t));
	REFUSES(pa_table_get(a, 1, NULL));
	REFUSES(pa_table_number(NULL, 0, &t));
	REFUSES(pa_table_number(a, 0, NULL));
	GIVES_NONE(pa_table_cell(NULL, 0, 0));
	GIVES_NONE(pa_table_cell(&t, 0, 0));
	GIVES_NONE(pa_shape_of(NULL, PA_PRODUCER, &s));
	GIVES_NONE(pa_shape_of(a, PA_PRODUCER, NULL));
	GIVES_NONE(pa_shape_cell(NULL, 0, &cell));
	GIVES_NONE(pa_shape_cell(&s, 0, &cell));
	GIVES_NONE(pa_shape_cell(&s, 0, NULL));
	GIVES_NONE(pa_shape_bit(NULL, 0, 0).size);
	GIVES_NONE(pa_shape_bit(&s, 0, 0).size);
}

/* ---- writing ---- */

/* record calls all functions that record. b may be NULL, and everything else is zero. */
static void record(pa_builder *b) {
	pa_at at = {0};
	pa_others others = {0};
	pa_describe_type(b, 0, missing, 0);
	pa_describe_method(b, 0, 0, 0);
	pa_record_seen(b, 0);
	GIVES_NONE(pa_intern_context(b, 0, 0, 0, 0));
	pa_begin(b, 0, 0, 0);
	pa_record_invocations(b, 0);
	pa_record_backedges(b, 0);
	pa_record_interpreted(b, 0);
	pa_record_size(b, 0, 0);
	pa_record_history(b, 0, 0, 0, 0);
	pa_record_compile(b, 0, 0, 0, 0, 0);
	pa_record_escape(b, 0, 0, 0, 0);
	pa_record_traps(b, NULL, 0);
	pa_record_counters(b, 0, NULL, 0);
	pa_record_value_site(b, 0, 0, NULL, 0);
	pa_record_bitmap(b, 0, NULL, 0);
	pa_record_successors(b, 0, 0, NULL, 0);
	pa_record_receivers(b, NULL, NULL, 0);
	pa_record_callees(b, 0, NULL, 0);
	pa_record_count(b, 0, 0, 0, 0);
	pa_record_undecoded(b, 0, 0, NULL, 0);
	pa_declare_shape(b, NULL);
	pa_record_custom(b, NULL, NULL, 0);
	pa_record_bit(b, at);
	pa_record_counter(b, at, 0);
	pa_record_jump(b, at, 0, 0);
	pa_record_branch(b, at, (pa_branch){0});
	pa_record_receiver_type(b, at, others, NULL, 0);
	pa_record_virtual_call(b, at, others, NULL, 0);
	pa_record_ret(b, at, 0, NULL, 0);
	pa_record_multi_branch(b, at, (pa_case){0}, NULL, 0);
	pa_record_call_type(b, at, 0, NULL);
	pa_record_virtual_call_type(b, at, others, NULL, 0, NULL);
	pa_record_arg_info(b, NULL, 0);
	pa_record_speculative_trap(b, at, 0);
	pa_record_parameters(b, NULL, 0);
	pa_declare_table(b, 0, 0, NULL, 0);
	pa_record_row(b, 0, NULL, 0);
	pa_describe_run(b, NULL);
	pa_discard(b);
}

static void spoil(void) {
	pa_at at = {0};
	pa_others others = {0};
	pa_call_types none = {.n = 1};
	pa_new_shape shape = {.n = 1};
	SPOILS(pa_intern_symbol(b, missing));
	SPOILS(pa_intern_type(b, missing, name));
	SPOILS(pa_intern_type(b, name, missing));
	SPOILS(pa_describe_type(b, pa_intern_type(b, name, name), missing, 0));
	SPOILS(pa_intern_method(b, NULL));
	SPOILS(pa_intern_method(b, &no_bytes));
	SPOILS(pa_record_traps(b, NULL, 1));
	SPOILS(pa_record_counters(b, 0, NULL, 1));
	SPOILS(pa_record_value_site(b, 0, 0, NULL, 1));
	SPOILS(pa_record_bitmap(b, 0, NULL, 1));
	SPOILS(pa_record_successors(b, 0, 0, NULL, 1));
	SPOILS(pa_record_receivers(b, NULL, NULL, 0));
	SPOILS(pa_record_receivers(b, &(pa_new_receivers){0}, NULL, 1));
	SPOILS(pa_record_callees(b, 0, NULL, 1));
	SPOILS(pa_record_undecoded(b, 0, 0, NULL, 1));
	SPOILS(pa_declare_shape(b, NULL));
	SPOILS(pa_declare_shape(b, &shape));
	SPOILS(pa_record_custom(b, NULL, NULL, 0));
	SPOILS(pa_record_custom(b, &(pa_custom){.n = 1}, NULL, 0));
	SPOILS(pa_record_custom(b, &(pa_custom){0}, NULL, 1));
	SPOILS(pa_record_receiver_type(b, at, others, NULL, 1));
	SPOILS(pa_record_virtual_call(b, at, others, NULL, 1));
	SPOILS(pa_record_ret(b, at, 0, NULL, 1));
	SPOILS(pa_record_multi_branch(b, at, (pa_case){0}, NULL, 1));
	SPOILS(pa_record_call_type(b, at, 0, NULL));
	SPOILS(pa_record_call_type(b, at, 0, &none));
	SPOILS(pa_record_virtual_call_type(b, at, others, NULL, 1, &(pa_call_types){0}));
	SPOILS(pa_record_virtual_call_type(b, at, others, NULL, 0, NULL));
	SPOILS(pa_record_arg_info(b, NULL, 1));
	SPOILS(pa_record_parameters(b, NULL, 1));
	SPOILS(pa_declare_table(b, 2, 0, NULL, 2));
	SPOILS(pa_record_row(b, 2, NULL, 2));
	SPOILS(pa_describe_run(b, NULL));
	SPOILS(pa_describe_run(b, &(pa_provenance){.class_path_size = 1}));
	SPOILS(pa_describe_run(b, &(pa_provenance){.vm = missing}));
	SPOILS(pa_describe_process(b, &(pa_provenance){.vm = missing}));
	SPOILS(pa_snapshot(b, NULL, PA_TRAINED));
}

static void builders(pa_archive *a, const char *to) {
	pa_builder *b;
	void *bytes;
	size_t size;
	REFUSES(pa_builder_new(NULL, &b));
	REFUSES(pa_builder_new(&(pa_config){0}, &b));
	REFUSES(pa_builder_new(&(pa_config){.domain = PA_GRAAL, .producer = missing}, &b));
	REFUSES(pa_builder_new(&hotspot, NULL));
	REFUSES(pa_builder_like(NULL, &b));
	REFUSES(pa_builder_like(a, NULL));
	REFUSES(pa_builder_error(NULL));
	pa_builder_free(NULL);
	GIVES_NONE(pa_intern_symbol(NULL, name));
	GIVES_NONE(pa_intern_type(NULL, name, name));
	GIVES_NONE(pa_intern_method(NULL, &key));
	record(NULL);
	REFUSES(pa_done(NULL, NULL));
	REFUSES(pa_describe_process(NULL, NULL));
	REFUSES(pa_snapshot(NULL, a, PA_TRAINED));
	REFUSES(pa_write(NULL, to, NULL));
	REFUSES(pa_write_memory(NULL, &bytes, &size, NULL));
	REFUSES(pa_publish(NULL, "", 0));
	REFUSES(pa_publish(to, NULL, 1));
	REFUSES(pa_write_snapshot(NULL, PA_TRAINED, to, NULL));
	REFUSES(pa_write_snapshot(a, PA_TRAINED, NULL, NULL));
	for (unsigned i = 0; i < 2; i++) {
		config = i == 0 ? &custom : &hotspot;
		spoil();
		b = opened();
		record(b);
		pa_builder_free(b);
		b = opened();
		pa_discard(b);
		REFUSES(pa_write(b, NULL, NULL));
		REFUSES(pa_write_memory(b, NULL, &size, NULL));
		REFUSES(pa_write_memory(b, &bytes, NULL, NULL));
		pa_builder_free(b);
	}
}

/* ---- runs ---- */

static void texts(void) {
	char buffer[16];
	pa_key made;
	GIVES_NONE(pa_error_text((pa_error){0}, NULL, NULL, 0));
	pa_error_text((pa_error){0}, NULL, buffer, sizeof buffer);
	GIVES_NONE(pa_text_of(NULL).size);
	if (pa_code_id(missing) != pa_code_id((pa_text){0})) gives_none(false, "pa_code_id");
	GIVES_NONE(pa_anonymous_key(NULL, 0, buffer, sizeof buffer, &made));
	GIVES_NONE(pa_anonymous_key(&no_bytes, 0, buffer, sizeof buffer, &made));
	GIVES_NONE(pa_anonymous_key(&key, 0, NULL, sizeof buffer, &made));
	GIVES_NONE(pa_anonymous_key(&key, 0, buffer, sizeof buffer, NULL));
}

/* use_function uses a function, which may be NULL, with NULL for all else. */
static void use_function(pa_function *f) {
	pa_counter *words[2];
	const pa_class *class_;
	pa_profile p;
	uint64_t n;
	double certainty;
	uint32_t row = 0;
	pa_receivers *r = pa_receivers_at(f, 3);
	pa_count1(pa_calls(f));
	pa_count1(pa_backedges(f));
	pa_count1(pa_loop(f, 0));
	pa_count1(pa_deopts(f, 0, 0));
	pa_branch_words(f, 0, NULL, NULL);
	pa_branch_words(f, 0, &words[0], &words[1]);
	pa_count1(words[0]);
	pa_words(f, 0, PA_PRODUCER, NULL, 2);
	pa_words(f, 0, PA_PRODUCER, words, 2);
	GIVES_NONE(pa_count_class(r, NULL));
	GIVES_NONE(pa_count_class1(r, NULL));
	GIVES_NONE(pa_next_class(r, NULL, &class_, &n));
	GIVES_NONE(pa_next_class(r, &row, NULL, NULL));
	pa_other_classes(r);
	GIVES_NONE(pa_target(r, NULL, NULL));
	GIVES_NONE(pa_target(r, &class_, &certainty));
	pa_advice_of(f, NULL);
	GIVES_NONE(pa_profile_of(f, NULL));
	GIVES_NONE(f == NULL && pa_profile_of(f, &p));
}

static void runs(const char *folder) {
	pa_vm vm = {.id = {1}, .name = PA_TEXT("VM")}, none = {0}, broken = vm;
	pa_run *run;
	uint32_t row = 0;
	pa_hot_function hot;
	REFUSES(pa_start(folder, NULL, &run));
	REFUSES(pa_start(folder, &vm, NULL));
	REFUSES(pa_start_in(folder, NULL, &run));
	REFUSES(pa_start_in(folder, &vm, NULL));
	broken.name = missing;
	REFUSES(pa_start(folder, &broken, &run));
	broken = vm;
	broken.n_shapes = 1;
	REFUSES(pa_start(folder, &broken, &run));
	REFUSES(pa_start_in(NULL, &vm, &run)); /* the run counts all the same */
	pa_end(run);
	REFUSES(pa_start(folder, &none, &run));
	REFUSES(pa_dump(run, folder, NULL));
	pa_end(run);
	REFUSES(pa_start(NULL, &vm, &run));
	GIVES_NONE(pa_function_of(NULL, &key, 1));
	GIVES_NONE(pa_function_of(run, NULL, 1));
	GIVES_NONE(pa_function_of(run, &no_bytes, 1));
	use_function(NULL);
	use_function(pa_function_of(run, &key, 1));
	GIVES_NONE(pa_load_class(NULL, name, &vm));
	GIVES_NONE(pa_load_class(run, missing, &vm));
	pa_load_class(run, name, NULL);
	GIVES_NONE(pa_hot(NULL, &row, &hot));
	GIVES_NONE(pa_hot(run, NULL, NULL));
	GIVES_NONE(pa_coverage(NULL) > 0);
	GIVES_NONE(pa_archive_of(NULL));
	REFUSES(pa_dump(run, NULL, NULL));
	REFUSES(pa_checkpoint(run, NULL, NULL));
	GIVES_NONE(pa_dump(NULL, folder, NULL).code == PA_OK);
	GIVES_NONE(pa_checkpoint(NULL, folder, NULL).code == PA_OK);
	pa_release(NULL);
	pa_end(run);
	pa_end(NULL);
}

int main(int argc, char **argv) {
	pa_archive *a;
	char to[4096];
	if (argc != 3 || pa_open(argv[1], NULL, &a).code != PA_OK) return 2;
	snprintf(to, sizeof to, "%s/a.parc", argv[2]);
	archives(argv[1], a);
	types(a);
	methods(a);
	contexts(a);
	profiles(a);
	entries(a);
	tables(a);
	builders(a, to);
	texts();
	runs(argv[2]);
	pa_close(a);
	return wrong;
}
