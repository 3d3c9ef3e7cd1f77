/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay records the calls of a journal with a builder, writes the archive, and copies it.
 *
 *	replay JOURNAL ARCHIVE         exit status 3 if the builder refuses a call; prints the reason
 *	replay JOURNAL ARCHIVE fail    first repeats this, and makes the n-th allocation fail in the n-th repetition
 *
 * A journal is a config and calls. Each call is a number and its arguments, which are u64 or texts preceded by their
 * size. An interned item is named by the number of its call among the calls of its kind, from 1. The program is linked
 * with --wrap for malloc, calloc and realloc.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profarc_archive.h"

enum {
	CALL_SYMBOL = 1,
	CALL_TYPE,
	CALL_DESCRIBE_TYPE,
	CALL_METHOD,
	CALL_DESCRIBE_METHOD,
	CALL_SEEN,
	CALL_CONTEXT,
	CALL_BEGIN,
	CALL_DONE,
	CALL_TABLE,
	CALL_ROW,
	CALL_RUN,
	CALL_INVOCATIONS,
	CALL_BACKEDGES,
	CALL_INTERPRETED,
	CALL_SIZE,
	CALL_HISTORY,
	CALL_COMPILE,
	CALL_ESCAPE,
	CALL_TRAPS,
	CALL_BIT,
	CALL_COUNTER,
	CALL_JUMP,
	CALL_BRANCH,
	CALL_RECEIVER_TYPE,
	CALL_VIRTUAL_CALL,
	CALL_RET,
	CALL_MULTI_BRANCH,
	CALL_ARG_INFO,
	CALL_CALL_TYPE,
	CALL_VIRTUAL_CALL_TYPE,
	CALL_PARAMETERS,
	CALL_SPECULATIVE_TRAP,
	CALL_COUNTERS,
	CALL_VALUE_SITE,
	CALL_BITMAP,
	CALL_SUCCESSORS,
	CALL_RECEIVERS,
	CALL_CALLEES,
	CALL_COUNT,
	CALL_DECLARE,
	CALL_CUSTOM,
	CALL_UNDECODED,
	CALL_DISCARD
};
enum { SYMBOLS, TYPES, METHODS, CONTEXTS, PROFILES, KINDS };
enum { MOST = 1 << 16 };

/* ---- failing allocations ---- */

static uint64_t allocations, failing; /* 0 for no failure */

static bool fails(void) {
	bool now = ++allocations == failing;
	if (now) errno = ENOMEM;
	return now;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }

/* ---- the journal ---- */

static uint8_t *journal;
static size_t size, at;
static uint32_t *refs[KINDS]; /* indexed by the number of the call */
static size_t count[KINDS];

static void must(bool ok, const char *what) {
	if (ok) return;
	fprintf(stderr, "replay: %s\n", what);
	exit(1);
}

static uint64_t number(void) {
	uint64_t v;
	must(size - at >= 8, "the journal is cut off");
	memcpy(&v, journal + at, 8);
	at += 8;
	return v;
}

static pa_text text(void) {
	size_t n = (size_t)number();
	must(size - at >= n, "the journal is cut off");
	pa_text t = {(const char *)journal + at, n};
	at += n;
	return t;
}

static void bytes(void *to, size_t n) {
	pa_text t = text();
	must(t.size == n, "another size");
	memcpy(to, t.bytes, n);
}

static void interned(unsigned kind, uint32_t ref) { refs[kind][count[kind]++] = ref; }

/* ref returns the reference from a call. A number without a call gives an invalid reference. */
static uint32_t ref(unsigned kind) {
	uint64_t n = number();
	return n == 0 ? 0 : n <= count[kind] ? refs[kind][n - 1] : UINT32_MAX;
}

static pa_at where(void) {
	pa_at a = {.point = (int32_t)number()};
	a.flags = (uint8_t)number();
	a.traps = (uint32_t)number();
	a.in = (pa_section)number();
	return a;
}

static pa_others others(void) {
	pa_others o = {.count = number()};
	o.gap = number();
	return o;
}

static pa_type_count rows[MOST];
static uint64_t numbers[MOST];

static uint32_t length(void) {
	uint64_t n = number();
	must(n <= MOST, "a long list");
	return (uint32_t)n;
}

static uint32_t read_rows(void) {
	uint32_t n = length();
	for (uint32_t i = 0; i < n; i++) {
		rows[i].type = ref(TYPES);
		rows[i].count = number();
	}
	return n;
}

static uint32_t read_numbers(void) {
	uint32_t n = length();
	for (uint32_t i = 0; i < n; i++) numbers[i] = number();
	return n;
}

static pa_type_word word(void) {
	pa_type_word w = {.type = ref(TYPES)};
	uint64_t tags = number();
	w.null_seen = tags & 1;
	w.several = tags & 2;
	return w;
}

static pa_slot slots[64];
static pa_type_word returned;

static pa_call_types types(void) {
	pa_call_types t = {slots, length(), NULL};
	for (uint32_t i = 0; i < t.n; i++) {
		slots[i].stack = number();
		slots[i].type = word();
	}
	if (number() != 0) {
		returned = word();
		t.returned = &returned;
	}
	return t;
}

/* ---- calls ---- */

static void intern(pa_builder *b, uint64_t call) {
	pa_text name;
	pa_key k;
	uint32_t m, inner;
	switch (call) {
	case CALL_SYMBOL: interned(SYMBOLS, pa_intern_symbol(b, text())); break;
	case CALL_TYPE: name = text(); interned(TYPES, pa_intern_type(b, name, text())); break;
	case CALL_DESCRIBE_TYPE: m = ref(TYPES); name = text(); pa_describe_type(b, m, name, (uint32_t)number()); break;
	case CALL_METHOD:
		k.class_name = text();
		k.name = text();
		k.signature = text();
		k.loader = text();
		interned(METHODS, pa_intern_method(b, &k));
		break;
	case CALL_DESCRIBE_METHOD:
		m = ref(METHODS);
		inner = (uint32_t)number();
		pa_describe_method(b, m, inner, (uint32_t)number());
		break;
	case CALL_SEEN: pa_record_seen(b, ref(METHODS)); break;
	case CALL_CONTEXT: {
		m = ref(METHODS);
		inner = ref(CONTEXTS);
		uint32_t caller = ref(METHODS);
		interned(CONTEXTS, pa_intern_context(b, m, inner, caller, (int32_t)number()));
	}
	}
}

static void table(pa_builder *b, uint64_t call) {
	static const unsigned kinds[] = {[PA_COLUMN_SYMBOL] = SYMBOLS,
		[PA_COLUMN_TYPE] = TYPES,
		[PA_COLUMN_METHOD] = METHODS,
		[PA_COLUMN_PROFILE] = PROFILES,
		[PA_COLUMN_CONTEXT] = CONTEXTS};
	uint32_t kind = (uint32_t)number();
	uint64_t cells[128];
	uint8_t columns[128];
	if (call == CALL_TABLE) {
		uint32_t flags = (uint32_t)number(), n = read_numbers();
		for (uint32_t i = 0; i < n; i++) columns[i] = (uint8_t)numbers[i];
		pa_declare_table(b, kind, flags, columns, n);
		return;
	}
	uint32_t n = length();
	for (uint32_t i = 0; i < n; i++) {
		uint64_t column = number();
		cells[i] = column == PA_COLUMN_WORD ? number() : ref(kinds[column]);
	}
	pa_record_row(b, kind, cells, n);
}

static void run(pa_builder *b) {
	static pa_class_path path[16];
	pa_provenance r = {0};
	bytes(r.since, 16);
	bytes(r.boot, 16);
	r.name_space = number();
	r.process = number();
	r.start = number();
	r.begun = (int64_t)number();
	r.exit = number();
	r.vm = text();
	r.vendor = text();
	r.main = text();
	r.command = text();
	r.options = text();
	r.selection = text();
	if (number() != 0) {
		r.class_path = path;
		r.class_path_size = length();
		for (size_t i = 0; i < r.class_path_size; i++) {
			path[i].path = text();
			path[i].kind = number();
			path[i].size = number();
			path[i].sum = number();
		}
	}
	pa_describe_run(b, &r);
}

static void field(pa_builder *b, uint64_t call) {
	uint64_t n[5];
	if (call == CALL_TRAPS) {
		pa_text t = text();
		pa_record_traps(b, (const uint8_t *)t.bytes, (uint32_t)t.size);
		return;
	}
	for (unsigned i = 0; i < 5; i++) n[i] = number();
	switch (call) {
	case CALL_INVOCATIONS: pa_record_invocations(b, n[0]); break;
	case CALL_BACKEDGES: pa_record_backedges(b, n[0]); break;
	case CALL_INTERPRETED: pa_record_interpreted(b, n[0]); break;
	case CALL_SIZE: pa_record_size(b, (uint32_t)n[0], (uint32_t)n[1]); break;
	case CALL_HISTORY: pa_record_history(b, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], (uint32_t)n[3]); break;
	case CALL_COMPILE:
		pa_record_compile(b, (uint8_t)n[0], (uint8_t)n[1], (uint8_t)n[2], (uint16_t)n[3], (uint16_t)n[4]);
		break;
	case CALL_ESCAPE: pa_record_escape(b, n[0], n[1], n[2], n[3]); break;
	}
}

static void narrow(pa_builder *b, uint64_t call) {
	static pa_case cases[MOST];
	static pa_ret_row returns[64];
	pa_at a = where();
	pa_others o;
	pa_call_types t;
	pa_branch branch;
	uint64_t v;
	uint32_t n;
	switch (call) {
	case CALL_BIT: pa_record_bit(b, a); break;
	case CALL_COUNTER: pa_record_counter(b, a, number()); break;
	case CALL_JUMP: v = number(); pa_record_jump(b, a, v, (int64_t)number()); break;
	case CALL_BRANCH:
		branch.taken = number();
		branch.not_taken = number();
		branch.displacement = (int64_t)number();
		pa_record_branch(b, a, branch);
		break;
	case CALL_RECEIVER_TYPE: o = others(); n = read_rows(); pa_record_receiver_type(b, a, o, rows, n); break;
	case CALL_VIRTUAL_CALL: o = others(); n = read_rows(); pa_record_virtual_call(b, a, o, rows, n); break;
	case CALL_RET:
		v = number();
		n = length();
		for (uint32_t i = 0; i < n; i++) {
			returns[i].bci = number();
			returns[i].count = number();
			returns[i].displacement = (int64_t)number();
		}
		pa_record_ret(b, a, v, returns, n);
		break;
	case CALL_MULTI_BRANCH:
		n = length();
		for (uint32_t i = 0; i < n; i++) {
			cases[i].count = number();
			cases[i].displacement = (int64_t)number();
		}
		pa_record_multi_branch(b, a, cases[0], cases + 1, n - 1);
		break;
	case CALL_ARG_INFO: n = read_numbers(); pa_record_arg_info(b, numbers, n); break;
	case CALL_CALL_TYPE: v = number(); t = types(); pa_record_call_type(b, a, v, &t); break;
	case CALL_VIRTUAL_CALL_TYPE:
		o = others();
		n = read_rows();
		t = types();
		pa_record_virtual_call_type(b, a, o, rows, n, &t);
		break;
	case CALL_PARAMETERS: t = types(); pa_record_parameters(b, t.arguments, t.n); break;
	case CALL_SPECULATIVE_TRAP: pa_record_speculative_trap(b, a, ref(METHODS)); break;
	}
}

static uint32_t read_cells(pa_new_cell *cells) {
	static pa_text names[40][64];
	uint32_t n = length(), first = cells[0].bits;
	for (uint32_t i = 0; i < n; i++) {
		pa_text *bits = names[first + i];
		cells[i].name = text();
		cells[i].kind = (uint8_t)number();
		cells[i].bit_names = bits;
		uint32_t all = length();
		for (uint32_t k = 0; k < all; k++) bits[k] = text();
		cells[i].bits = all;
	}
	return n;
}

static void declare(pa_builder *b) {
	static pa_new_cell cells[33], row[9];
	pa_new_shape s = {.name = text(), .cells = cells, .row = row};
	s.tag = (uint8_t)number();
	s.unit = (uint8_t)number();
	cells[0].bits = 0;
	row[0].bits = 32; /* where the names of their bits are stored */
	s.n = read_cells(cells);
	s.row_cells = read_cells(row);
	pa_declare_shape(b, &s);
}

/* read_references reads cells with their kinds. A cell is a number or an interned item. */
static uint32_t read_references(uint64_t *to) {
	uint32_t n = length();
	for (uint32_t i = 0; i < n; i++) {
		uint64_t kind = number();
		to[i] = kind == PA_CELL_TYPE ? ref(TYPES) : kind == PA_CELL_METHOD ? ref(METHODS) : number();
	}
	return n;
}

static void custom(pa_builder *b, int32_t point, uint16_t sub, uint8_t flags) {
	static uint64_t cells[MOST];
	pa_custom c = {.point = point, .sub = sub, .flags = flags, .cells = cells};
	c.tag = (uint8_t)number();
	c.n = read_references(cells);
	uint32_t n = length();
	read_references(numbers);
	pa_record_custom(b, &c, numbers, n);
}

static void wide(pa_builder *b, uint64_t call) {
	static pa_value_count values[MOST];
	static pa_successor successors[MOST];
	static pa_method_count callees[MOST];
	int32_t point = (int32_t)number();
	uint16_t sub = (uint16_t)number();
	uint8_t flags = (uint8_t)number();
	pa_new_receivers r = {point, sub, flags, 0, 0};
	pa_text t;
	uint32_t n;
	switch (call) {
	case CALL_COUNTERS: n = read_numbers(); pa_record_counters(b, point, numbers, n); break;
	case CALL_VALUE_SITE:
		n = length();
		for (uint32_t i = 0; i < n; i++) {
			values[i].value = number();
			values[i].count = number();
		}
		pa_record_value_site(b, point, sub, values, n);
		break;
	case CALL_BITMAP: t = text(); pa_record_bitmap(b, point, (const uint8_t *)t.bytes, (uint32_t)t.size); break;
	case CALL_SUCCESSORS:
		n = length();
		for (uint32_t i = 0; i < n; i++) {
			successors[i].point = (int32_t)number();
			successors[i].index = (uint32_t)number();
			successors[i].count = number();
		}
		pa_record_successors(b, point, sub, successors, n);
		break;
	case CALL_RECEIVERS:
		r.other = number();
		r.traps = (uint32_t)number();
		n = read_rows();
		pa_record_receivers(b, &r, rows, n);
		break;
	case CALL_CALLEES:
		n = length();
		for (uint32_t i = 0; i < n; i++) {
			callees[i].method = ref(METHODS);
			callees[i].count = number();
		}
		pa_record_callees(b, point, callees, n);
		break;
	case CALL_COUNT: pa_record_count(b, point, sub, flags, number()); break;
	case CALL_UNDECODED: n = read_numbers(); pa_record_undecoded(b, point, flags, numbers, n); break;
	case CALL_CUSTOM: custom(b, point, sub, flags); break;
	}
}

static void begin(pa_builder *b) {
	uint32_t m = ref(METHODS);
	uint64_t code = number();
	pa_begin(b, m, code, ref(CONTEXTS));
}

static void replay(pa_builder *b) {
	while (at < size) {
		uint64_t call = number();
		uint32_t profile = 0;
		if (call <= CALL_CONTEXT) intern(b, call);
		else if (call == CALL_BEGIN) begin(b);
		else if (call == CALL_DONE) {
			pa_done(b, &profile);
			interned(PROFILES, profile);
		} else if (call == CALL_DISCARD) pa_discard(b);
		else if (call <= CALL_ROW) table(b, call);
		else if (call == CALL_RUN) run(b);
		else if (call == CALL_DECLARE) declare(b);
		else if (call <= CALL_TRAPS) field(b, call);
		else if (call <= CALL_SPECULATIVE_TRAP) narrow(b, call);
		else wide(b, call);
	}
}

/* copy copies an archive in memory. The copy must be identical. */
static pa_error copy(const void *bytes, size_t n) {
	pa_archive *a = NULL;
	pa_builder *b = NULL;
	void *again = NULL;
	size_t again_size = 0;
	pa_error e = pa_open_memory(bytes, n, NULL, &a);
	if (e.code == PA_OK) e = pa_builder_like(a, &b);
	if (e.code == PA_OK) e = pa_snapshot(b, a, PA_TRAINED);
	if (e.code == PA_OK) e = pa_write_memory(b, &again, &again_size, NULL);
	must(e.code != PA_OK || (again_size == n && memcmp(again, bytes, n) == 0), "the copy is another archive");
	free(again);
	pa_builder_free(b);
	pa_close(a);
	return e;
}

/* record replays the journal once and writes the archive, to memory, to a path, and as a copy. */
static pa_error record(const char *path, void **archive, size_t *archive_size) {
	pa_config c = {0};
	pa_builder *b = NULL;
	at = 0;
	memset(count, 0, sizeof count);
	c.domain = (uint32_t)number();
	for (unsigned i = 0; i < PA_SETTINGS; i++) c.settings[i] = (uint32_t)number();
	c.producer = text();
	bytes(c.producer_id, 16);
	bytes(c.fingerprint, 16);
	bytes(c.dump_id, 16);
	c.dump_time = (int64_t)number();
	c.flags = number();
	pa_error e = pa_builder_new(&c, &b);
	if (e.code != PA_OK) return e;
	replay(b);
	e = pa_builder_error(b);
	if (e.code == PA_OK) e = pa_write_memory(b, archive, archive_size, NULL);
	if (e.code == PA_OK) e = pa_write(b, path, NULL); /* the second layout of the archive */
	if (e.code == PA_OK) e = copy(*archive, *archive_size);
	pa_builder_free(b);
	return e;
}

/* fail_each makes each allocation fail in turn. */
static void fail_each(const char *path, const void *want, size_t want_size) {
	for (uint64_t n = 1;; n++) {
		void *archive = NULL;
		size_t archive_size = 0;
		allocations = 0;
		failing = n;
		pa_error e = record(path, &archive, &archive_size);
		uint64_t made = allocations;
		failing = 0;
		must(e.code == PA_OK || (e.code == PA_SYSTEM && e.system == ENOMEM), e.message);
		must(
			e.code != PA_OK || (archive_size == want_size && memcmp(archive, want, want_size) == 0), "another archive");
		free(archive);
		if (made < n) {
			printf("%" PRIu64 " allocations failed\n", n - 1);
			return;
		}
		must(e.code != PA_OK, "a failed allocation was not noticed");
	}
}

int main(int argc, char **argv) {
	must(argc == 3 || argc == 4, "usage: replay JOURNAL ARCHIVE [fail]");
	FILE *f = fopen(argv[1], "rb");
	must(f != NULL && fseek(f, 0, SEEK_END) == 0, "the journal can't be read");
	size = (size_t)ftell(f);
	journal = malloc(size + 1);
	must(fseek(f, 0, SEEK_SET) == 0 && fread(journal, 1, size, f) == size, "the journal can't be read");
	fclose(f);
	for (unsigned i = 0; i < KINDS; i++) refs[i] = malloc((size / 8 + 1) * sizeof *refs[i]);
	void *archive = NULL;
	size_t archive_size = 0;
	pa_error e = record(argv[2], &archive, &archive_size);
	if (e.code == PA_OK && argc == 4) fail_each(argv[2], archive, archive_size);
	if (e.code != PA_OK) fprintf(stderr, "replay: %d: %s\n", e.code, e.message);
	f = e.code == PA_OK ? fopen(argv[2], "rb") : NULL;
	if (f != NULL) {
		uint8_t *file = malloc(archive_size + 1);
		must(fread(file, 1, archive_size + 1, f) == archive_size && memcmp(file, archive, archive_size) == 0,
			"the file is another than the archive in memory");
		free(file);
		fclose(f);
	}
	for (unsigned i = 0; i < KINDS; i++) free(refs[i]);
	free(archive);
	free(journal);
	return e.code == PA_OK ? 0 : 3;
}
