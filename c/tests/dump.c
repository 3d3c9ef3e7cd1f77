/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump prints archives through libprofarc, as docs/format.md defines the JSON dump.
 *
 *	dump ARCHIVE        the whole archive
 *	dump ARCHIVE keys   results of lookups for every method, context, version and profile point; see keys
 *	dump                forged archives from standard input; see serve
 *
 * The exit status is 0, or 1 if the archive is damaged or cannot be read.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profarc_archive.h"

static FILE *out;
static const pa_archive *archive;
static pa_error first; /* the first error; output after it is invalid */

static bool failed(pa_error e) {
	if (first.code == PA_OK) first = e;
	return first.code != PA_OK;
}
/* more reports whether an iterator returned an item. */
static bool more(pa_error e) { return e.code != PA_NOT_FOUND && !failed(e); }

/* ---- text ---- */

/* utf8 returns the length of the valid sequence at the start of n bytes and stores its character in *c. It returns 0 if
 * the sequence is invalid. */
static size_t utf8(const uint8_t *p, size_t n, uint32_t *c) {
	size_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0x80 ? 2 : 1;
	uint8_t low = p[0] == 0xe0 ? 0xa0
		: p[0] == 0xf0         ? 0x90
							   : 0x80,
			high = p[0] == 0xed ? 0x9f
		: p[0] == 0xf4          ? 0x8f
								: 0xbf;
	if (length == 1) {
		*c = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4 || n < length || p[1] < low || p[1] > high) return 0;
	*c = p[0] & 0x7f >> length;
	for (size_t i = 1; i < length; i++) {
		if (p[i] >> 6 != 2) return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	return length;
}

static bool escaped(uint32_t c) {
	static const uint32_t ranges[][2] = {{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (c >= ranges[i][0] && c <= ranges[i][1]) return true;
	return false;
}

static void put_text(pa_text t) {
	putc('"', out);
	for (size_t i = 0, n; i < t.size; i += n) {
		const uint8_t *p = (const uint8_t *)t.bytes + i;
		uint32_t c;
		if ((n = utf8(p, t.size - i, &c)) == 0) {
			n = 1;
			fprintf(out, "\\udc%02x", *p);
		} else if (escaped(c) && c > 0xffff) fprintf(out, "\\udb40\\u%04x", (unsigned)(0xdc00 | (c & 0x3ff)));
		else if (escaped(c)) fprintf(out, "\\u%04x", (unsigned)c);
		else fprintf(out, c == '"' || c == '\\' ? "\\%.*s" : "%.*s", (int)n, (const char *)p);
	}
	putc('"', out);
}

static void put_hex(const uint8_t *p, size_t n) {
	putc('"', out);
	while (n-- > 0) fprintf(out, "%02x", *p++);
	putc('"', out);
}

static const char *comma(uint64_t i) { return i > 0 ? "," : ""; }
static void optional_text(const char *key, pa_text t) {
	if (t.size > 0) {
		fprintf(out, ",\"%s\":", key);
		put_text(t);
	}
}
static void optional_number(const char *key, uint64_t n) {
	if (n != 0) fprintf(out, ",\"%s\":%" PRIu64, key, n);
}
static void put_list(const char *key, const uint64_t *list, size_t n) {
	fprintf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < n; i++) fprintf(out, "%s%" PRIu64, comma(i), list[i]);
	putc(']', out);
}

/* ---- keys ---- */

static void put_type(uint32_t ordinal) {
	pa_type t;
	if (ordinal == PA_NO_TYPE) fputs("null", out);
	else if (!failed(pa_type_get(archive, ordinal, &t))) {
		fputs("{\"name\":", out);
		put_text(t.name);
		optional_text("loader", t.loader);
		putc('}', out);
	}
}

static void put_key(const pa_method *m) {
	pa_text signature = m->key.signature;
	char *copy = NULL;
	if (signature.bytes == NULL) {
		copy = malloc(signature.size);
		if (failed(pa_signature(archive, m, copy, signature.size))) signature.size = 0;
		signature.bytes = copy;
	}
	fputs("\"name\":", out);
	put_text(m->key.name);
	optional_text("class", m->key.class_name);
	optional_text("signature", signature);
	optional_text("loader", m->key.loader);
	free(copy);
}

static void put_method(pa_error e, const pa_method *m) {
	if (e.code == PA_NOT_FOUND) fputs("null", out);
	else if (!failed(e)) {
		putc('{', out);
		put_key(m);
		putc('}', out);
	}
}

static void put_record(pa_ref at) {
	pa_method m;
	put_method(pa_method_at(archive, at, &m), &m);
}

static void put_context(pa_ref at) {
	static pa_frame frames[65535];
	pa_context c;
	size_t n;
	if (at == 0 || failed(pa_context_at(archive, at, &c)) || failed(pa_context_frames(archive, &c, frames, 65535, &n)))
		return;
	fputs(",\"context\":[", out);
	for (size_t i = 0; i < n && first.code == PA_OK; i++) {
		fprintf(out, "%s{\"caller\":", comma(i));
		put_record(frames[i].caller);
		fprintf(out, ",\"point\":%" PRId32 "}", frames[i].point);
	}
	putc(']', out);
}

/* ---- entries ---- */

static const char *name_of(uint8_t tag) {
	static const char *const narrow[] = {"", "Bit", "Counter", "Jump", "ReceiverType", "VirtualCall", "Ret", "Branch",
		"MultiBranch", "ArgInfo", "CallType", "VirtualCallType", "ParametersType", "SpeculativeTrap"};
	static const char *const wide[] = {
		"Counters", "ValueSite", "Bitmap", "Successors", "Receivers", "Callees", "Count", "Undecoded"};
	return tag < 64 ? narrow[tag] : wide[tag - 64];
}

static void put_name(const pa_entry *entry) {
	pa_shape shape;
	if (pa_shape_of(archive, entry->tag, &shape)) fprintf(out, "%.*s", (int)shape.name.size, shape.name.bytes);
	else fputs(name_of(entry->tag), out);
}

static void put_cell(const char *key, const pa_entry *entry, uint32_t i) {
	fprintf(out, ",\"%s\":%" PRIu64, key, pa_cell(entry, i));
}

static void put_word(const pa_entry *entry, uint32_t i) {
	unsigned tags;
	uint32_t type = pa_cell_type(entry, i, &tags);
	fputs("{\"type\":", out);
	put_type(type);
	fprintf(out, "%s%s}", tags & 1 ? ",\"null_seen\":true" : "", tags & 2 ? ",\"unknown\":true" : "");
}

static void put_receivers(const pa_entry *entry) {
	pa_rows rows;
	if (!pa_receivers_of(entry, &rows)) return;
	if (entry->tag < 64) {
		fputs(",\"gap\":[", out);
		for (uint32_t i = 1; i < rows.first; i++) fprintf(out, "%s%" PRIu64, comma(i - 1), pa_cell(entry, i));
		putc(']', out);
	}
	fputs(",\"rows\":[", out);
	for (uint32_t i = 0; i < rows.count; i++) {
		fprintf(out, "%s{\"type\":", comma(i));
		put_type(pa_cell_type(entry, rows.first + 2 * i, NULL));
		put_cell("count", entry, rows.first + 2 * i + 1);
		putc('}', out);
	}
	putc(']', out);
}

static void put_arguments(const pa_entry *entry) {
	pa_rows rows;
	uint32_t returned;
	if (!pa_arguments_of(entry, &rows, &returned)) return;
	fputs(",\"args\":[", out);
	for (uint32_t i = 0; i < rows.count; i++) {
		fprintf(out, "%s{\"slot\":%" PRIu64 ",\"type\":", comma(i), pa_cell(entry, rows.first + 2 * i));
		put_word(entry, rows.first + 2 * i + 1);
		putc('}', out);
	}
	putc(']', out);
	if (returned != 0) {
		fputs(",\"return\":", out);
		put_word(entry, returned);
	}
}

static void put_row(const pa_entry *entry, const pa_rows *rows, uint32_t i) {
	uint32_t cell = rows->first + i * rows->width;
	uint64_t v = pa_cell(entry, cell), w = pa_cell(entry, cell + 1);
	pa_method m;
	switch (entry->tag) {
	case PA_MULTI_BRANCH: fprintf(out, "[%" PRIu64 ",%" PRId64 "]", v, (int64_t)w); break;
	case PA_RET: fprintf(out, "[%" PRIu64 ",%" PRIu64 ",%" PRId64 "]", v, w, (int64_t)pa_cell(entry, cell + 2)); break;
	case PA_ARG_INFO: fprintf(out, "%" PRId64, (int64_t)v); break;
	case PA_COUNTERS: case PA_UNDECODED: fprintf(out, "%" PRIu64, v); break;
	case PA_VALUE_SITE: fprintf(out, "[%" PRIu64 ",%" PRIu64 "]", v, w); break;
	case PA_SUCCESSORS: fprintf(out, "[%" PRId32 ",%" PRIu64 ",%" PRIu64 "]", (int32_t)v, v >> 32, w); break;
	default:
		fputs("{\"method\":", out);
		put_method(pa_cell_method(entry, cell, &m), &m);
		put_cell("count", entry, cell + 1);
		putc('}', out);
	}
}

static void put_rows(const pa_entry *entry) {
	static const char *const keys[] = {[PA_MULTI_BRANCH] = "cases",
		[PA_RET] = "rows",
		[PA_ARG_INFO] = "modified",
		[PA_COUNTERS] = "counts",
		[PA_VALUE_SITE] = "values",
		[PA_SUCCESSORS] = "rows",
		[PA_CALLEES] = "rows",
		[PA_UNDECODED] = "words"};
	pa_rows rows;
	if (!pa_rows_of(entry, &rows)) return;
	fprintf(out, ",\"%s\":[", keys[entry->tag]);
	for (uint32_t i = 0; i < rows.count && first.code == PA_OK; i++) {
		fputs(comma(i), out);
		put_row(entry, &rows, i);
	}
	putc(']', out);
}

/* put_front prints the fields of an entry before its lists. */
static void put_front(const pa_entry *entry) {
	uint64_t count;
	pa_branch b;
	pa_method m;
	if (pa_count_of(entry, &count)) fprintf(out, ",\"count\":%" PRIu64, count);
	if (pa_branch_of(entry, &b))
		fprintf(out, ",\"taken\":%" PRIu64 ",\"displacement\":%" PRId64, b.taken, b.displacement);
	switch (entry->tag) {
	case PA_BRANCH: fprintf(out, ",\"not_taken\":%" PRIu64, b.not_taken); break;
	case PA_RECEIVER_TYPE: fprintf(out, ",\"count\":%" PRId64, (int64_t)pa_cell(entry, 0)); break;
	case PA_VIRTUAL_CALL: case PA_VIRTUAL_CALL_TYPE: case PA_RET: put_cell("count", entry, 0); break;
	case PA_MULTI_BRANCH:
		fprintf(out, ",\"default\":[%" PRIu64 ",%" PRId64 "]", pa_cell(entry, 1), (int64_t)pa_cell(entry, 2));
		break;
	case PA_SPECULATIVE_TRAP: fputs(",\"method\":", out); put_method(pa_cell_method(entry, 0, &m), &m); break;
	case PA_BITMAP: fputs(",\"bytes\":", out); put_hex(pa_bitmap_of(entry), entry->rows); break;
	case PA_RECEIVERS: put_cell("other", entry, 0); put_cell("traps", entry, 1); break;
	}
}

static void put_declared_cell(const pa_entry *entry, uint32_t i, uint8_t kind) {
	pa_method m;
	if (kind == PA_CELL_TYPE) put_type(pa_cell_type(entry, i, NULL));
	else if (kind == PA_CELL_METHOD) put_method(pa_cell_method(entry, i, &m), &m);
	else fprintf(out, "%" PRIu64, pa_cell(entry, i));
}

/* put_declared prints the cells of a producer's entry. Rows with pointers are objects. Other rows are lists or
 * numbers. */
static void put_declared(const pa_entry *entry) {
	pa_shape shape;
	pa_cell_shape cell;
	pa_rows rows;
	bool pointers = false;
	if (!pa_shape_of(archive, entry->tag, &shape)) return;
	for (uint32_t i = 0; i < shape.cells && pa_shape_cell(&shape, i, &cell); i++) {
		fprintf(out, ",\"%.*s\":", (int)cell.name.size, cell.name.bytes);
		put_declared_cell(entry, i, cell.kind);
	}
	if (!pa_rows_of(entry, &rows)) return;
	for (uint32_t i = 0; i < rows.width && pa_shape_cell(&shape, rows.first + i, &cell); i++)
		pointers |= cell.kind == PA_CELL_TYPE || cell.kind == PA_CELL_METHOD;
	const char *around = pointers ? "{}" : rows.width > 1 ? "[]" : "";
	fputs(",\"rows\":[", out);
	for (uint32_t row = 0; row < rows.count; row++) {
		fprintf(out, "%s%.1s", comma(row), around);
		for (uint32_t i = 0; i < rows.width && pa_shape_cell(&shape, rows.first + i, &cell); i++) {
			fputs(comma(i), out);
			if (pointers) fprintf(out, "\"%.*s\":", (int)cell.name.size, cell.name.bytes);
			put_declared_cell(entry, rows.first + row * rows.width + i, cell.kind);
		}
		fputs(*around != 0 ? around + 1 : "", out);
	}
	putc(']', out);
}

static void put_section(const char *key, const pa_profile *p, pa_section section, bool always) {
	pa_entries it = pa_entries_of(p, section);
	pa_entry entry;
	uint64_t n = 0;
	for (; first.code == PA_OK && pa_entries_next(&it, &entry); n++) {
		if (n == 0) fprintf(out, ",\"%s\":[", key);
		fprintf(out, "%s{\"tag\":\"", comma(n));
		put_name(&entry);
		fprintf(out, "\",\"point\":%" PRId32, entry.point);
		optional_number("flags", entry.flags);
		optional_number(entry.tag < 64 ? "traps" : "sub", entry.tag < 64 ? entry.traps : entry.sub);
		if (entry.tag >= PA_PRODUCER) put_declared(&entry);
		else {
			put_front(&entry);
			put_receivers(&entry);
			put_arguments(&entry);
			put_rows(&entry);
		}
		putc('}', out);
	}
	if (n > 0) putc(']', out);
	else if (always) fprintf(out, ",\"%s\":[]", key);
}

/* ---- profiles, methods ---- */

static void put_code(const pa_summary *s) {
	fprintf(out, "\"code\":\"%016" PRIx64 "\"", s->code);
	put_context(s->context);
}

static void put_fields(const pa_summary *s) {
	if (s->has >> PA_FIELD_SIZE & 1) put_list("size", (uint64_t[]){s->code_size, s->producer_size}, 2);
	if (s->has >> PA_FIELD_INVOCATIONS & 1) fprintf(out, ",\"invocations\":%" PRIu64, s->invocations);
	if (s->has >> PA_FIELD_BACKEDGES & 1) fprintf(out, ",\"backedges\":%" PRIu64, s->backedges);
	if (s->has >> PA_FIELD_INTERPRETED & 1) fprintf(out, ",\"interpreted\":%" PRIu64, s->interpreted);
	if (s->has >> PA_FIELD_HISTORY & 1)
		put_list("history", (uint64_t[]){s->decompiles, s->overflow_recompiles, s->overflow_traps, s->tenure_traps}, 4);
	if (s->has >> PA_FIELD_COMPILE & 1)
		put_list("compile", (uint64_t[]){s->highest_level, s->state, s->would_profile, s->loops, s->blocks}, 5);
	if (s->has >> PA_FIELD_ESCAPE & 1)
		put_list("escape", (uint64_t[]){s->escape_flags, s->escape_local, s->escape_stack, s->escape_returned}, 4);
	if (!(s->has >> PA_FIELD_TRAPS & 1)) return;
	fputs(",\"traps\":[", out);
	for (uint32_t i = 0; i < s->trap_reasons; i++) fprintf(out, "%s%u", comma(i), s->traps[i]);
	putc(']', out);
}

static void put_profile(const pa_profile *p) {
	pa_summary s;
	pa_summarize(p, &s);
	putc('{', out);
	put_code(&s);
	put_fields(&s);
	put_section("data", p, PA_DATA, true);
	put_section("extra", p, PA_EXTRA, false);
	put_section("parameters", p, PA_PARAMETERS, false);
	put_section("handlers", p, PA_HANDLERS, false);
	putc('}', out);
}

static void put_method_line(const pa_method *m) {
	pa_profiles it = pa_profiles_of(archive, m);
	pa_profile p;
	fprintf(out, "{\"id\":\"%016" PRIx64 "\",", m->id);
	put_key(m);
	optional_number("flags", m->flags & 0x38);
	optional_number("access", m->access);
	fputs(",\"profiles\":[", out);
	for (uint64_t n = 0; first.code == PA_OK && more(pa_profiles_next(&it, &p)); n++) {
		fputs(comma(n), out);
		put_profile(&p);
	}
	fputs("]}", out);
}

/* ---- the dump ---- */

static void put_header(void) {
	static const char *const domains[] = {
		"", "hotspot", "llvm-ir", "llvm-frontend", "graal", "jamaica", "custom", "sampled"};
	const pa_info *i = pa_info_of(archive);
	uint64_t settings[PA_SETTINGS];
	for (unsigned n = 0; n < PA_SETTINGS; n++) settings[n] = i->settings[n];
	fprintf(out,
		"\"header\":{\"format\":\"%u\",\"domain\":\"%s\",\"producer\":", (unsigned)i->version,
		domains[i->domain]);
	put_text(i->producer);
	fprintf(out, ",\"file_size\":%" PRIu64 ",\"base\":\"%016" PRIx64 "\"", i->file_size, i->requested_base);
	fputs(",\"producer_id\":", out);
	put_hex(i->producer_id, 16);
	fputs(",\"fingerprint\":", out);
	put_hex(i->fingerprint, 16);
	fputs(",\"dump_id\":", out);
	put_hex(i->dump_id, 16);
	fprintf(out, ",\"dump_time\":%" PRId64 ",\"flags\":%" PRIu64, i->dump_time, i->flags);
	put_list("settings", settings, PA_SETTINGS);
	fprintf(out, ",\"seed\":\"%016" PRIx64 "\",\"lines\":%" PRIu64 ",\"max_probe\":%u", i->seed, i->index_lines,
		(unsigned)i->max_probe);
	put_list("counts",
		(uint64_t[]){
			i->methods, i->unexecuted, i->profiles, i->contexts, i->types, i->symbols, i->entries, i->pointers},
		8);
	put_list("summary", (uint64_t[]){i->total_invocations, i->max_invocations, i->total_count, i->max_count}, 4);
	fputs("},\n", out);
}

static void put_types(void) {
	pa_types it = pa_types_of(archive);
	pa_type t;
	for (uint64_t n = 0; more(pa_types_next(&it, &t)); n++) {
		fprintf(out, "%s\n{\"id\":\"%016" PRIx64 "\",\"name\":", comma(n), t.id);
		put_text(t.name);
		optional_text("loader", t.loader);
		optional_text("alias", t.alias);
		optional_number("flags", t.flags);
		putc('}', out);
	}
}

static void put_methods(void) {
	pa_methods it = pa_methods_of(archive);
	pa_method m;
	for (uint64_t n = 0; first.code == PA_OK && more(pa_methods_next(&it, &m)); n++) {
		fprintf(out, "%s\n", comma(n));
		put_method_line(&m);
	}
}

/* put_place prints a profile or a context that a table refers to. */
static void put_place(pa_ref profile, pa_ref context) {
	pa_summary s = {.context = context};
	pa_profile p;
	pa_context c;
	if (profile != 0 && !failed(pa_profile_at(archive, profile, &p))) pa_summarize(&p, &s);
	if (context != 0 && !failed(pa_context_at(archive, context, &c))) s.method = c.method;
	fputs("{\"method\":", out);
	put_record(s.method);
	putc(',', out);
	put_code(&s);
	putc('}', out);
}

static void put_table_cell(uint8_t kind, uint64_t v) {
	pa_ref at = (pa_ref)v;
	pa_text text;
	pa_type t;
	pa_method m;
	if (kind == PA_COLUMN_WORD) fprintf(out, "%" PRIu64, v);
	else if (v == 0) fputs("null", out);
	else if (kind == PA_COLUMN_SYMBOL && !failed(pa_symbol_at(archive, at, &text))) put_text(text);
	else if (kind == PA_COLUMN_TYPE && !failed(pa_type_at(archive, at, &t))) put_type(t.ordinal);
	else if (kind == PA_COLUMN_METHOD) put_method(pa_table_method(archive, at, &m), &m);
	else if (kind >= PA_COLUMN_PROFILE)
		put_place(kind == PA_COLUMN_PROFILE ? at : 0, kind == PA_COLUMN_CONTEXT ? at : 0);
}

static void put_table(const pa_table *t) {
	static const char *const names[] = {"", "word", "symbol", "type", "method", "profile", "context"};
	fprintf(out, "\n{\"kind\":%" PRIu32, t->kind);
	optional_number("flags", t->flags);
	fputs(",\"columns\":[", out);
	for (uint32_t i = 0; i < t->columns; i++) fprintf(out, "%s\"%s\"", comma(i), names[t->column_kinds[i]]);
	fputs("],\"rows\":[", out);
	for (uint32_t row = 0; row < t->rows && first.code == PA_OK; row++) {
		fprintf(out, "%s[", comma(row));
		for (uint32_t i = 0; i < t->columns; i++) {
			fputs(comma(i), out);
			put_table_cell(t->column_kinds[i], pa_table_cell(t, i, row));
		}
		putc(']', out);
	}
	fputs("]}", out);
}

static void dump(void) {
	pa_table t;
	fputs("{\n", out);
	put_header();
	fputs("\"types\":[", out);
	put_types();
	fputs("\n],\n\"methods\":[", out);
	put_methods();
	fputs("\n],\n\"tables\":[", out);
	for (uint32_t i = 0; first.code == PA_OK && more(pa_table_number(archive, i, &t)); i++) {
		fputs(comma(i), out);
		put_table(&t);
	}
	fputs("\n]\n}\n", out);
}

/* ---- lookups ---- */

static const char *code_name(pa_error e) {
	static const char *const names[] = {"ok", "not found", "unexecuted", "no profile", "ambiguous"};
	return e.code > PA_AMBIGUOUS && failed(e) ? "error" : names[e.code];
}

/* lookup prints the result of a lookup for a version of the code and some callers. */
static void lookup(const pa_method *m, uint64_t code, const pa_frame *frames, size_t n) {
	pa_profile p = {0};
	size_t depth = 0;
	pa_error e = pa_find_profile_in(archive, m, code, frames, n, &p, &depth);
	fprintf(out, " %s %zu %" PRIu32 ",", code_name(e), depth, p.at);
}

/* contexts prints the results of lookups for every context of a method. It looks up the frames, the frames plus one,
 * and the frames with another outermost point. It uses every version of the code and an unknown one. */
static void contexts(const pa_method *m) {
	static pa_frame frames[65536];
	pa_contexts it = pa_contexts_of(archive, m);
	pa_profiles profiles = pa_profiles_of(archive, m);
	pa_context c;
	pa_profile p;
	size_t n;
	fputs("contexts:", out);
	lookup(m, PA_ANY_CODE, NULL, 0);
	lookup(m, PA_UNKNOWN_CODE, NULL, 0);
	while (first.code == PA_OK && more(pa_contexts_next(&it, &c)) &&
		!failed(pa_context_frames(archive, &c, frames, 65535, &n))) {
		frames[n] = frames[n - 1];
		lookup(m, PA_ANY_CODE, frames, n);
		lookup(m, PA_UNKNOWN_CODE, frames, n);
		lookup(m, PA_ANY_CODE, frames, n + 1);
		lookup(m, 1, frames, n);
		frames[n - 1].point ^= 1;
		lookup(m, PA_ANY_CODE, frames, n);
	}
	fputs("\nversions:", out);
	while (first.code == PA_OK && more(pa_profiles_next(&profiles, &p))) {
		pa_summary s;
		pa_summarize(&p, &s);
		n = 0;
		if (s.context != 0 &&
			(failed(pa_context_at(archive, s.context, &c)) ||
				failed(pa_context_frames(archive, &c, frames, 65535, &n))))
			return;
		lookup(m, s.code, frames, n);
		lookup(m, s.code + 1, frames, n);
	}
	putc('\n', out);
}

/* points checks that pa_entries_at returns the entries at every point and at adjacent points in order. */
static void points(const pa_profile *p) {
	pa_entries all = pa_entries_of(p, PA_DATA);
	pa_entry entry, got;
	while (pa_entries_next(&all, &entry))
		for (int32_t d = -1; d <= 1; d++) {
			int32_t point = (int32_t)((uint32_t)entry.point + (uint32_t)d);
			pa_entries again = pa_entries_of(p, PA_DATA), at = pa_entries_at(p, point);
			while (pa_entries_next(&again, &entry))
				if (entry.point == point && (!pa_entries_next(&at, &got) || got.bytes != entry.bytes))
					fputs("an entry is not found at its point\n", out);
			if (pa_entries_next(&at, &got)) fputs("an entry is found at another point\n", out);
			entry = (pa_entry){.point = (int32_t)((uint32_t)point - (uint32_t)d)};
		}
}

/* types looks up every type. */
static void types(void) {
	pa_types it = pa_types_of(archive);
	pa_type t;
	uint32_t ordinal;
	while (first.code == PA_OK && more(pa_types_next(&it, &t)))
		if (pa_find_type(archive, t.name, t.loader, &ordinal).code != PA_OK || ordinal != t.ordinal)
			fputs("a type is not found by its name\n", out);
}

/* keys prints every method found by its key, and the results of lookups of the method by id, of its profiles by key and
 * by id with their references, and of a slightly different key. */
static void keys(void) {
	pa_methods it = pa_methods_of(archive);
	pa_method m, found;
	types();
	while (first.code == PA_OK && more(pa_methods_next(&it, &m))) {
		char *signature = malloc(m.key.signature.size + 1), *longer = malloc(m.key.name.size + 1);
		pa_key key = m.key;
		pa_profile by_key = {0}, by_id = {0}, again = {0}, p;
		pa_profiles profiles = pa_profiles_of(archive, &m);
		failed(pa_signature(archive, &m, signature, m.key.signature.size));
		key.signature.bytes = signature;
		if (failed(pa_find_method(archive, &key, &found))) break;
		if (pa_key_id(archive, &key) != m.id) fputs("another id: ", out);
		put_method_line(&found);
		fprintf(out, "\nid: %s", code_name(pa_find_method_id(archive, m.id, &found)));
		fprintf(out, ", profile: %s", code_name(pa_find_profile(archive, &key, PA_ANY_CODE, &by_key)));
		fprintf(out, ", by id: %s", code_name(pa_find_profile_id(archive, m.id, PA_ANY_CODE, &by_id)));
		pa_find_profile_id(archive, m.id, PA_ANY_CODE, &again);
		fprintf(out, ", at %" PRIu32 " %" PRIu32 " %" PRIu32, by_key.at, by_id.at, again.at);
		for (size_t i = 0; i < key.name.size; i++) longer[i] = key.name.bytes[i];
		longer[key.name.size] = '?';
		key.name = (pa_text){longer, key.name.size + 1};
		fprintf(out, ", miss: %s\n", code_name(pa_find_method(archive, &key, &found)));
		contexts(&m);
		while (first.code == PA_OK && more(pa_profiles_next(&profiles, &p))) points(&p);
		free(signature);
		free(longer);
	}
}

/* ---- many forgeries ---- */

static uint64_t receive(void) {
	uint8_t b[8];
	uint64_t v = 0;
	if (fread(b, 1, 8, stdin) != 8) exit(0);
	for (int i = 8; i-- > 0;) v = v << 8 | b[i];
	return v;
}

static void send(uint64_t v) {
	for (int i = 0; i < 8; i++) putc((int)(v >> 8 * i & 255), stdout);
}

/* count claims all profiles at another address than the requested one and counts in them. It ignores errors. */
static void count(pa_archive *a) {
	pa_methods methods = pa_methods_of(a);
	pa_method m;
	pa_profile p;
	pa_entry entry;
	if (pa_adopt(a, PA_BASE_ANYWHERE).code != PA_OK) return;
	while (pa_methods_next(&methods, &m).code == PA_OK)
		for (pa_profiles profiles = pa_profiles_of(a, &m); pa_profiles_next(&profiles, &p).code == PA_OK;) {
			if (pa_claim(&p).code != PA_OK) continue;
			for (pa_entries it = pa_entries_of(&p, PA_DATA); pa_entries_next(&it, &entry);)
				if (pa_count_receiver(&entry, 0, NULL).code != PA_OK && entry.cells > 0)
					pa_count(pa_word(&entry, entry.cells - 1), 1);
		}
}

/* forged dumps an archive in memory, and returns whether it is undamaged. */
static bool forged(const uint8_t *bytes, size_t size) {
	pa_archive *a = NULL;
	first = pa_open_memory(bytes, size, NULL, &a);
	archive = a;
	if (first.code == PA_OK) {
		dump();
		count(a);
	}
	pa_close(a);
	return first.code == PA_OK;
}

/* serve reads the size and bytes of an archive. Then it repeatedly reads a number of edits, and for each edit an offset
 * and eight bytes. For each forgery it writes whether the archive is undamaged, and the FNV-1a hash of its dump. */
static int serve(void) {
	size_t size = (size_t)receive(), length;
	uint8_t *bytes = malloc(size), old[64][8];
	char *text;
	if (fread(bytes, 1, size, stdin) != size) return 1;
	out = open_memstream(&text, &length);
	for (;;) {
		uint64_t n = receive(), at[64], hash = 0xcbf29ce484222325;
		for (uint64_t i = 0; i < n && i < 64; i++) {
			at[i] = receive();
			uint64_t v = receive();
			for (int b = 0; b < 8; b++) {
				old[i][b] = bytes[at[i] + (uint64_t)b];
				bytes[at[i] + (uint64_t)b] = (uint8_t)(v >> 8 * b);
			}
		}
		rewind(out);
		bool sound = forged(bytes, size);
		fflush(out);
		long end = ftell(out);
		for (long i = 0; i < end; i++) hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3;
		send(sound);
		send(sound ? hash : 0);
		fflush(stdout);
		while (n-- > 0)
			for (int b = 0; b < 8; b++) bytes[at[n] + (uint64_t)b] = old[n][b];
	}
}

int main(int argc, char **argv) {
	pa_archive *a = NULL;
	if (argc == 1) return serve();
	out = stdout;
	if (!failed(pa_open(argv[1], NULL, &a))) {
		archive = a;
		if (argc > 2) keys();
		else dump();
	}
	pa_close(a);
	if (first.code == PA_OK) return fflush(out) == 0 ? 0 : 1;
	fprintf(stderr, "dump: at 0x%" PRIx64 ": %s (%d, region %d)\n", first.offset, first.message, first.code,
		first.region);
	return 1;
}
