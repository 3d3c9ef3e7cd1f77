/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and snapshots of archives. A copy interns every record and records every profile. */
#include <unistd.h>

#include "build.h"

enum { ORDER_RUNS = 18 };

/* References in the builder of the archive's records. The maps' keys are pa_refs. */
typedef struct copier {
	pa_builder *b;
	const pa_archive *a;
	pa_counts take;
	const along *with; /* may be NULL */
	pa_error e;
	pa_ref method;       /* method of the current profile */
	const pa_profile *p; /* current profile */
	uint64_t met; /* number of profiles met, readable or not */
	bool partial; /* the copy omits some profiles */
	buffer types; /* uint32_t references by ordinal */
	ref_index methods, contexts, profiles;
} copier;

/* ---- maps ---- */

static uint32_t hash_ref(pa_ref at) { return at * 0x9e3779b1; } /* distinct for distinct refs */

static bool any(const void *with, uint32_t ref) { return (void)with, (void)ref, true; }

static uint32_t get(const ref_index *x, pa_ref at) { return at == 0 ? 0 : pai_find(x, hash_ref(at), any, NULL); }

/* keep maps a record to its reference. After a failed call ref is 0, and the builder has the error. */
static bool keep(copier *c, ref_index *x, pa_ref at, uint32_t ref) {
	return ref != 0 && pai_insert(c->b, x, hash_ref(at), ref);
}

/* failed stores an error of the archive. PA_NOT_FOUND only ends an iteration. */
static bool failed(copier *c, pa_error e) {
	if (e.code != PA_OK && e.code != PA_NOT_FOUND) c->e = e;
	return c->e.code != PA_OK || !sound(c->b);
}

/* ---- types ---- */

static uint32_t type_ref(copier *c, uint32_t ordinal) {
	pa_type t;
	if (ordinal == PA_NO_TYPE) return 0;
	size_t missing =
		(size_t)ordinal + 1 > COUNT(uint32_t, c->types) ? (size_t)ordinal + 1 - COUNT(uint32_t, c->types) : 0;
	if (pai_extend(c->b, &c->types, missing * sizeof(uint32_t)) == NULL) return 0;
	uint32_t ref = *ITEM(uint32_t, c->types, (size_t)ordinal + 1);
	if (ref != 0 || failed(c, pa_type_get(c->a, ordinal, &t))) return ref;
	ref = pa_intern_type(c->b, t.name, t.loader);
	pa_describe_type(c->b, ref, t.alias, t.flags);
	return *ITEM(uint32_t, c->types, (size_t)ordinal + 1) = ref;
}

static bool copy_types(copier *c) {
	pa_types it = pa_types_of(c->a);
	pa_type t;
	pa_error e;
	while ((e = pa_types_next(&it, &t)).code == PA_OK)
		if (type_ref(c, t.ordinal) == 0) return false;
	return !failed(c, e);
}

/* ---- methods ---- */

static bool add_method(copier *c, const pa_method *m, const pa_key *key) {
	uint32_t ref = pa_intern_method(c->b, key);
	if (ref == 0) return false;
	pa_describe_method(c->b, ref, m->access, m->flags);
	if (m->flags & PA_METHOD_UNEXECUTED) pa_record_seen(c->b, ref);
	return keep(c, &c->methods, m->at, ref);
}

static bool copy_method(copier *c, const pa_method *m) {
	pa_key key = m->key;
	if (key.signature.bytes != NULL || key.signature.size == 0) return add_method(c, m, &key);
	char *text = malloc(key.signature.size);
	if (text == NULL) return pai_no_memory(c->b);
	key.signature.bytes = text;
	bool ok = !failed(c, pa_signature(c->a, m, text, key.signature.size)) && add_method(c, m, &key);
	free(text);
	return ok;
}

static bool copy_contexts(copier *c, const pa_method *m) {
	pa_contexts it = pa_contexts_of(c->a, m);
	pa_context n;
	pa_error e;
	uint32_t of = get(&c->methods, m->at);
	while ((e = pa_contexts_next(&it, &n)).code == PA_OK) {
		uint32_t caller = get(&c->methods, n.caller),
				 ref = pa_intern_context(c->b, of, get(&c->contexts, n.inner), caller, n.point);
		if (!keep(c, &c->contexts, n.at, ref)) return false;
	}
	return !failed(c, e);
}

/* each calls take for every method. */
static bool each(copier *c, bool (*take)(copier *c, const pa_method *m)) {
	pa_methods it = pa_methods_of(c->a);
	pa_method m;
	pa_error e;
	while ((e = pa_methods_next(&it, &m)).code == PA_OK)
		if (!take(c, &m)) return false;
	return !failed(c, e);
}

/* ---- entries ---- */

static counted *since(const copier *c) { return c->with == NULL ? NULL : c->with->since; }

/* count returns the count of a word of the profile according to c->take. offset is the word's offset in the block. */
static uint64_t count(const copier *c, uint64_t offset, uint64_t trained, uint64_t now) {
	if (c->take == PA_TRAINED) return trained;
	if (c->take == PA_TOTALS && since(c) == NULL) return now;
	uint64_t before = pai_counted(since(c), c->p, offset);
	if (since(c) != NULL && !pai_note_counted(since(c), c->p, offset, now)) pai_no_memory(c->b);
	return now - before + (c->take == PA_TOTALS ? trained : 0);
}

/* offset_of returns the offset of a cell in its block. */
static uint64_t offset_of(const pa_profile *p, const pa_entry *entry, uint32_t cell) {
	return (uint64_t)(entry->bytes - p->bytes) + header_of(entry->tag) + 8 * (uint64_t)cell;
}

static uint64_t count_of(const copier *c, const pa_entry *entry, uint32_t cell) {
	return count(c, offset_of(c->p, entry, cell), pa_trained(entry, cell), pa_cell(entry, cell));
}

/* drop records that the copy omits a live cell, since its value v refers to no type or method. If the cell has changed,
 * another thread is writing it, and nothing is recorded. */
static void drop(copier *c, const pa_entry *entry, uint32_t cell, uint64_t v, const char *reason) {
	pa_dropped *d = &c->b->dropped;
	if (c->take == PA_TRAINED || entry->live == NULL || pa_cell(entry, cell) != v) return;
	if (d->rows++ == 0) {
		d->method = c->method;
		d->point = entry->point;
		d->reason = reason;
	}
}

static const char no_type[] = "what stands in the place of a type leads to none",
				  no_method[] = "what stands in the place of a method leads to none";

/* miss_type checks a live cell that held v and refers to no type. The copy already has the count of the cell's row. */
static void miss_type(copier *c, const pa_entry *entry, uint32_t cell, uint64_t v, uint8_t kind, const uint8_t *cells) {
	pa_rows rows;
	if (kind == TYPE_WORD ? (v & ~(uint64_t)TYPE_TAGS) != 0 : v != 0) drop(c, entry, cell, v, no_type);
	else if (kind == POINTS_TO_TYPE && pa_receivers_of(entry, &rows) && get64(cells + 8 * ((uint64_t)cell + 1)) != 0)
		drop(c, entry, cell, 0, "a count has no type");
}

/* method_of returns a reference to a method. VMs never write such cells. */
static uint64_t method_of(copier *c, const pa_entry *entry, uint32_t cell) {
	uint64_t trained = pa_trained(entry, cell);
	uint32_t method = trained == 0 ? 0 : get(&c->methods, ref_of(trained - c->a->info.requested_base));
	if (trained != 0 && method == 0)
		pai_damage(c->a, &c->e, (uint64_t)(entry->bytes - c->a->bytes), "an entry points to a method that is none");
	return pai_method_cell(c->b, method);
}

static uint64_t pointer_of(copier *c, const pa_entry *entry, uint32_t cell, uint8_t kind, const uint8_t *cells) {
	pa_entry trained = *entry;
	unsigned tags = 0;
	trained.live = NULL;
	if (kind == POINTS_TO_METHOD) return method_of(c, entry, cell);
	uint64_t held = pa_cell(entry, cell);
	uint32_t type = pa_cell_type(kind == TYPE_WORD && c->take == PA_TRAINED ? &trained : entry, cell, &tags);
	if (type == PA_NO_TYPE) miss_type(c, entry, cell, held, kind, cells);
	return pai_type_cell(c->b, type_ref(c, type)) | (kind == TYPE_WORD ? tags : 0);
}

/* copy_declared copies the cells of a producer's entry other than counts and types. Only a copy of the file's counts
 * takes them from the file. Other copies take the current values, because only the VM knows which cells it writes. */
static void copy_declared(copier *c, const pa_entry *entry, uint8_t *cells) {
	const shape *s = pai_shape(c->a, entry->tag);
	uint64_t base = entry->live != NULL ? (uint64_t)(uintptr_t)c->a->live->base : c->a->info.requested_base;
	for (uint32_t i = 0; s != NULL && c->take != PA_TRAINED && i < entry->cells; i++) {
		uint8_t kind = s->kinds[i < s->cells ? i : s->cells + (i - s->cells) % s->row_cells];
		uint64_t v = pa_cell(entry, i), at = v - base;
		if (kind == PA_CELL_METHOD) {
			uint32_t method = v == 0 || at % 8 != 0 || at >> 35 != 0 ? 0 : get(&c->methods, ref_of(at));
			if (method == 0 && v != 0) drop(c, entry, i, v, no_method);
			put64(cells + 8 * (uint64_t)i, pai_method_cell(c->b, method));
		} else if (kind != PA_CELL_TYPE && kind != PA_CELL_COUNT) put64(cells + 8 * (uint64_t)i, v);
	}
}

static void copy_cells(copier *c, const pa_entry *entry, uint8_t *to) {
	slots list[MAX_SLOTS];
	uint8_t *cells = to + header_of(entry->tag);
	to[1] = pa_flags(entry);
	if (entry->tag < 64) put32(to + 4, pa_traps(entry));
	else if (entry->tag == PA_RECEIVERS) put64(cells + 8, pa_traps(entry));
	for (unsigned n = pai_counts(entry, list), i = 0; i < n; i++)
		for (uint32_t k = 0, cell = list[i].first; k < list[i].n; k++, cell += list[i].stride)
			put64(cells + 8 * (uint64_t)cell, count_of(c, entry, cell));
	for (unsigned n = pai_slots(entry, list), i = 0; i < n; i++)
		for (uint32_t k = 0, cell = list[i].first; k < list[i].n; k++, cell += list[i].stride)
			put64(cells + 8 * (uint64_t)cell, pointer_of(c, entry, cell, list[i].kind, cells));
	for (uint32_t i = 0; entry->tag == PA_BITMAP && c->take != PA_TRAINED && i < entry->cells; i++)
		put64(cells + 8 * (uint64_t)i, pa_cell(entry, i));
	if (entry->tag >= PA_PRODUCER && sound(c->b)) {
		copy_declared(c, entry, cells);
		pai_unite_rows(c->b, cells, entry->tag, entry->rows);
	}
}

static bool copy_entries(copier *c, const pa_profile *p) {
	pa_entry entry;
	for (unsigned section = PA_DATA; section < DIRECTORY; section++)
		for (pa_entries it = pa_entries_of(p, (pa_section)section); pa_entries_next(&it, &entry);) {
			uint8_t *to = pai_put_bytes(c->b, (pa_section)section, entry.bytes, 8 * (uint64_t)entry.units);
			if (to == NULL) return false;
			copy_cells(c, &entry, to);
		}
	return sound(c->b) && c->e.code == PA_OK;
}

/* ---- profiles ---- */

/* number_of returns the count of a field according to c->take. */
static uint64_t number_of(const copier *c, const block *own, unsigned field, uint64_t now, uint64_t trained) {
	return count(c, pai_field(own, field), trained, now);
}

static void copy_fields(copier *c, const pa_profile *p, const block *own) {
	pa_summary now, trained;
	pa_profile view = *p;
	view.live = NULL;
	pa_summarize(p, &now);
	pa_summarize(&view, &trained);
	for (unsigned i = PA_FIELD_SIZE; i <= PA_FIELD_ESCAPE; i++) {
		static const uint8_t sizes[] = {[PA_FIELD_SIZE] = 8,
			[PA_FIELD_BACKEDGES] = 8,
			[PA_FIELD_INTERPRETED] = 8,
			[PA_FIELD_HISTORY] = 16,
			[PA_FIELD_COMPILE] = 8,
			[PA_FIELD_ESCAPE] = 32};
		if (pai_field(own, i) != 0) pai_set_field(c->b, i, p->bytes + pai_field(own, i), sizes[i]);
	}
	if (now.has >> PA_FIELD_INVOCATIONS & 1)
		pa_record_invocations(
			c->b, number_of(c, own, PA_FIELD_INVOCATIONS, now.invocations, trained.invocations));
	if (now.has >> PA_FIELD_BACKEDGES & 1)
		pa_record_backedges(c->b, number_of(c, own, PA_FIELD_BACKEDGES, now.backedges, trained.backedges));
	if (now.has >> PA_FIELD_INTERPRETED & 1)
		pa_record_interpreted(c->b, number_of(c, own, PA_FIELD_INTERPRETED, now.interpreted, trained.interpreted));
	if (now.has >> PA_FIELD_TRAPS & 1) pa_record_traps(c->b, now.traps, now.trap_reasons);
}

/* has_changed_cells reports whether a Bitmap or a cell other than pointers in a producer's entry has changed. */
static bool has_changed_cells(const pa_profile *p) {
	pa_entry entry;
	for (pa_entries it = pa_entries_of(p, PA_DATA); pa_entries_next(&it, &entry);) {
		const shape *s = pai_shape(p->archive, entry.tag);
		for (uint32_t i = 0; entry.tag == PA_BITMAP && i < entry.cells; i++)
			if (pa_cell(&entry, i) != pa_trained(&entry, i)) return true;
		for (uint32_t i = 0; s != NULL && i < entry.cells; i++) {
			uint8_t kind = s->kinds[i < s->cells ? i : s->cells + (i - s->cells) % s->row_cells];
			if (kind != PA_CELL_TYPE && kind != PA_CELL_METHOD && pa_cell(&entry, i) != pa_trained(&entry, i))
				return true;
		}
	}
	return false;
}

/* has_counted reports whether the count of a field has changed. */
static bool has_counted(const counted *before, const pa_profile *p, const block *own, unsigned field, uint64_t now) {
	uint64_t at = pai_field(own, field);
	return at != 0 && now != pai_counted(before, p, at);
}

/* is_changed reports whether any count of a claimed profile has changed. */
static bool is_changed(const counted *before, const pa_profile *p, const block *own) {
	pa_summary now;
	pa_entry entry;
	slots list[MAX_SLOTS];
	pa_summarize(p, &now);
	if (has_counted(before, p, own, PA_FIELD_INVOCATIONS, now.invocations) ||
		has_counted(before, p, own, PA_FIELD_BACKEDGES, now.backedges) ||
		has_counted(before, p, own, PA_FIELD_INTERPRETED, now.interpreted))
		return true;
	for (pa_entries it = pa_entries_of(p, PA_DATA); pa_entries_next(&it, &entry);)
		for (unsigned n = pai_counts(&entry, list), i = 0; i < n; i++)
			for (uint32_t k = 0, cell = list[i].first; k < list[i].n; k++, cell += list[i].stride)
				if (pa_cell(&entry, cell) != pai_counted(before, p, offset_of(p, &entry, cell))) return true;
	return has_changed_cells(p);
}

/* has_more reports whether a run has counts in addition to a profile. */
static bool has_more(const copier *c, const pa_profile *p) {
	return c->with != NULL && c->with->has != NULL && c->with->has(c->with->run, p->at);
}

/* lose skips a profile that is damaged or already recorded. Any other error ends the copy. */
static bool lose(copier *c, pa_error e) {
	pa_dropped *d = &c->b->dropped;
	if (c->take == PA_TRAINED || (e.code != PA_DAMAGED && e.code != PA_AMBIGUOUS)) return !failed(c, e);
	if (d->profiles++ == 0) {
		d->lost = c->method;
		d->error = e;
	}
	return c->partial = true;
}

/* leave skips the current profile if it is damaged. */
static bool leave(copier *c) {
	pa_error e = c->e;
	if (!sound(c->b) || e.code != PA_DAMAGED) return false;
	c->e = pai_none();
	pa_discard(c->b);
	return lose(c, e);
}

static bool copy_profile(copier *c, uint32_t method, pa_profile *p) {
	uint32_t ref = 0;
	block own;
	pa_error e = c->take != PA_TRAINED ? pa_claim(p) : pai_none();
	if (e.code != PA_NOT_DECODED && e.code != PA_DAMAGED && failed(c, e))
		return false; /* a profile that cannot be claimed has no new counts */
	if (!pai_block(c->a, place_of(p->at), &own, &e)) return lose(c, e);
	bool more = has_more(c, p);
	if (c->take == PA_INCREMENTS && !more && !is_changed(since(c), p, &own)) return true;
	pa_begin(c->b, method, own.code, get(&c->contexts, ref_of(own.context)));
	c->p = p;
	copy_fields(c, p, &own);
	if (!copy_entries(c, p)) return leave(c);
	if (more) c->with->record(c->with->run, c->b, p->at);
	e = pa_done(c->b, &ref);
	return e.code != PA_OK ? lose(c, e) : keep(c, &c->profiles, p->at, ref);
}

static bool copy_profiles(copier *c, const pa_method *m) {
	pa_profiles it = pa_profiles_of(c->a, m);
	pa_profile p;
	pa_error e;
	c->method = m->at;
	for (; (e = pa_profiles_next(&it, &p)).code != PA_NOT_FOUND; c->met++)
		if (e.code != PA_OK ? !lose(c, e) : !copy_profile(c, get(&c->methods, m->at), &p)) return false;
	return true;
}

/* copy_all_profiles also counts the profiles that can only be reached through damaged ones. */
static bool copy_all_profiles(copier *c) {
	uint64_t all = c->a->info.profiles;
	if (!each(c, copy_profiles)) return false;
	if (c->partial && all > c->met) c->b->dropped.profiles += all - c->met;
	return true;
}

/* ---- tables ---- */

static uint64_t copy_cell(copier *c, uint8_t kind, uint64_t v) {
	pa_text text = {NULL, 0};
	pa_type type = {.ordinal = PA_NO_TYPE};
	if (v == 0) return 0;
	switch (kind) {
	case PA_COLUMN_SYMBOL: return failed(c, pa_symbol_at(c->a, (pa_ref)v, &text)) ? 0 : pa_intern_symbol(c->b, text);
	case PA_COLUMN_TYPE: return failed(c, pa_type_at(c->a, (pa_ref)v, &type)) ? 0 : type_ref(c, type.ordinal);
	case PA_COLUMN_METHOD: return get(&c->methods, (pa_ref)v);
	case PA_COLUMN_PROFILE: return get(&c->profiles, (pa_ref)v);
	case PA_COLUMN_CONTEXT: return get(&c->contexts, (pa_ref)v);
	default: return v;
	}
}

/* copy_row appends a row, unless it refers to a profile that the copy skipped. */
static bool copy_row(copier *c, const pa_table *t, uint32_t r, buffer *cells) {
	size_t before = cells->size;
	for (uint32_t i = 0; i < t->columns; i++) {
		uint64_t old = pa_table_cell(t, i, r), v = copy_cell(c, t->column_kinds[i], old);
		if (v == 0 && old != 0 && t->column_kinds[i] == PA_COLUMN_PROFILE && c->partial) {
			cells->size = before;
			return true;
		}
		if (!pai_append(c->b, cells, &v, sizeof v)) return false;
	}
	return true;
}

/* copy_rows copies a table, unless all its rows refer to profiles that the copy skipped. */
static bool copy_rows(copier *c, const pa_table *t) {
	buffer cells = {0};
	for (uint32_t r = 0; r < t->rows && copy_row(c, t, r, &cells); r++) {}
	if (cells.size == 0 && t->rows > 0) {
		pai_empty(&cells);
		return sound(c->b) && c->e.code == PA_OK;
	}
	pa_declare_table(c->b, t->kind, t->flags, t->column_kinds, t->columns);
	new_table *to = pai_table(c->b, t->kind);
	bool ok =
		sound(c->b) && c->e.code == PA_OK && pai_add_cells(c->b, to, (const void *)cells.bytes, COUNT(uint64_t, cells));
	pai_empty(&cells);
	return ok;
}

static bool copy_tables(copier *c) {
	pa_table t;
	pa_error e;
	for (uint32_t i = 0; (e = pa_table_number(c->a, i, &t)).code == PA_OK; i++) {
		if (t.kind == PA_TABLE_SHAPES) continue; /* see pai_copy_shapes */
		/* lists all profiles, so it is invalid for a part */
		if (c->partial && (t.kind == PA_TABLE_ORDER || t.kind == ORDER_RUNS)) continue;
		/* the account of the archive does not hold for other counts */
		if (c->take != PA_TRAINED && (t.kind == PA_TABLE_INPUTS || t.kind == PA_TABLE_LOSSES)) continue;
		if (c->take != PA_TRAINED && t.kind == PA_TABLE_VERSIONS) continue; /* its times are of earlier runs */
		if (c->take == PA_INCREMENTS && t.kind != PA_TABLE_PROPERTIES && t.kind != PA_TABLE_CODE &&
			t.kind != PA_TABLE_MOVED && t.kind != PA_TABLE_BASE)
			continue; /* these tables describe all counts, not the increments */
		if (!copy_rows(c, &t)) return false;
	}
	return !failed(c, e);
}

/* ---- all of it ---- */

bool pai_copy_shapes(pa_builder *b, const pa_archive *a) {
	const shapes *s = a->shapes;
	for (unsigned i = 0; s != NULL && i < sizeof s->of / sizeof *s->of; i++) {
		const shape *of = &s->of[i];
		if (of->declared && !pai_declare(b, s->heads + of->first, s->names + of->first, of->rows > 0 ? of->rows : 1))
			return false;
	}
	return true;
}

/* admit prepares the header. A copy of live counts is a new dump. */
static bool admit(pa_builder *b, const pa_archive *a, pa_counts take) {
	pa_config *c = &b->config;
	const pa_info *i = pa_info_of(a);
	pa_error e = pai_none();
	if (!sound(b)) return false;
	if (b->open.open) return pai_refuse(b, PA_ARGUMENT, "a profile was neither done nor discarded");
	if (i->domain != c->domain || memcmp(i->settings, c->settings, 3 * sizeof *c->settings) != 0)
		return pai_refuse(b, PA_MISMATCH, "the archive is of another domain, or has other type rows, bci rows or gap");
	if (take == PA_INCREMENTS && adopted(a) != NULL && a->live->process != getpid())
		return pai_refuse(b, PA_UNSUPPORTED,
			"this process was forked from the one that adopted the archive, whose counts it has: open and adopt the "
			"archive again after the fork");
	if (!pai_may_write(a, &e)) return pai_refuse(b, e.code, e.message);
	if (memcmp(c->producer_id, i->producer_id, 16) != 0)
		return pai_refuse(b, PA_MISMATCH, "the archive is of another producer");
	if (take != PA_TRAINED && memcmp(c->dump_id, i->dump_id, 16) == 0) memset(c->dump_id, 0, 16);
	if (take == PA_INCREMENTS) {
		c->flags |= 1;
		memcpy(b->since, i->dump_id, 16);
	}
	return true;
}

pa_error pai_snapshot(pa_builder *b, const pa_archive *a, pa_counts take, const along *with) {
	copier c = {.b = b, .a = a, .take = take, .with = with, .e = pai_none()};
	if (!admit(b, a, take)) return b->error;
	bool ok = pai_copy_shapes(b, a) && copy_types(&c) && each(&c, copy_method) && each(&c, copy_contexts) &&
		copy_all_profiles(&c) && copy_tables(&c);
	if (!ok && sound(b)) b->error = c.e;
	pai_empty(&c.types);
	free(c.methods.slots);
	free(c.contexts.slots);
	free(c.profiles.slots);
	return b->error;
}

pa_error pa_snapshot(pa_builder *b, const pa_archive *a, pa_counts take) { return pai_snapshot(b, a, take, NULL); }

pa_error pa_write_snapshot(const pa_archive *a, pa_counts take, const char *path, pa_report *report) {
	pa_builder *b;
	pa_error e = pa_builder_like(a, &b);
	if (e.code != PA_OK) return e;
	e = pa_snapshot(b, a, take);
	if (e.code == PA_OK && take == PA_INCREMENTS)
		pa_describe_process(b, NULL); /* may fail if the system does not identify the process */
	if (e.code == PA_OK) e = pa_write(b, path, report);
	pa_builder_free(b);
	return e;
}
