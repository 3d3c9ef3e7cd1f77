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
	bool lazy;    /* records are copied only when a profile refers to them */
	bool checkpoint; /* a checkpoint of a run, without the tables of the archive that the run began with */
	uint64_t shapes;  /* bits of the tags whose shapes were copied */
	buffer words; /* words of the current block, copied from the live one */
	buffer types; /* uint32_t references by ordinal */
	ref_index methods, contexts, profiles;
} copier;

/* ---- maps ---- */

/* hash_ref returns distinct hashes for distinct refs. */
static uint32_t hash_ref(pa_ref at) {
	uint32_t h = at * 0x9e3779b1;
	return h ^ h >> 16;
}

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

/* method_ref returns the reference of a method's record. It returns 0 if there is none at the offset. */
static uint32_t method_ref(copier *c, pa_ref at) {
	pa_method m;
	uint32_t ref = get(&c->methods, at);
	if (ref != 0 || at == 0 || !c->lazy || pa_method_at(c->a, at, &m).code != PA_OK) return ref;
	return copy_method(c, &m) ? get(&c->methods, at) : 0;
}

static bool copy_contexts(copier *c, const pa_method *m) {
	pa_contexts it = pa_contexts_of(c->a, m);
	pa_context n;
	pa_error e;
	uint32_t of = get(&c->methods, m->at);
	while ((e = pa_contexts_next(&it, &n)).code == PA_OK) {
		uint32_t caller = method_ref(c, n.caller),
				 ref = pa_intern_context(c->b, of, get(&c->contexts, n.inner), caller, n.point);
		if (!keep(c, &c->contexts, n.at, ref)) return false;
	}
	return !failed(c, e);
}

static bool intern_contexts(copier *c, const pa_context *outermost, size_t n) {
	for (size_t i = n; i-- > 0;) {
		const pa_context *x = &outermost[i];
		pa_method m;
		if (failed(c, pa_method_at(c->a, x->caller, &m))) return false;
		uint32_t of = method_ref(c, x->method), caller = method_ref(c, x->caller),
				 ref = pa_intern_context(c->b, of, get(&c->contexts, x->inner), caller, x->point);
		if (!keep(c, &c->contexts, x->at, ref)) return false;
	}
	return true;
}

/* copy_context copies a context and its inner ones, unless they were copied. */
static bool copy_context(copier *c, pa_ref at) {
	buffer chain = {0};
	pa_context n;
	bool ok = true;
	for (; ok && at != 0 && get(&c->contexts, at) == 0; at = n.inner)
		ok = !failed(c, pa_context_at(c->a, at, &n)) && pai_append(c->b, &chain, &n, sizeof n);
	ok = ok && intern_contexts(c, (const void *)chain.bytes, COUNT(pa_context, chain));
	pai_empty(&chain);
	return ok;
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
	uint64_t before = pai_counted(since(c), c->a, place_of(c->p->at) + offset);
	return now - before + (c->take == PA_TOTALS ? trained : 0);
}

/* take_words copies the words of a live block, so that each is read once. It begins with the last one, because a type
 * is stored before its count, and stands before it. */
static bool take_words(copier *c, pa_profile *p) {
	c->words.size = 0;
	uint64_t *to = pai_extend(c->b, &c->words, 8 * (size_t)p->units);
	if (to == NULL) return false;
	for (uint32_t i = p->units; i-- > 0;)
		to[i] = atomic_load_explicit((pa_counter *)(void *)(p->live + 8 * (uint64_t)i), memory_order_acquire);
	p->live = (uint8_t *)to;
	return true;
}

/* offset_of returns the offset of a cell in its block. */
static uint64_t offset_of(const pa_profile *p, const pa_entry *entry, uint32_t cell) {
	return (uint64_t)(entry->bytes - p->bytes) + header_of(entry->tag) + 8 * (uint64_t)cell;
}

static uint64_t count_of(const copier *c, const pa_entry *entry, uint32_t cell) {
	return count(c, offset_of(c->p, entry, cell), pa_trained(entry, cell), pa_cell(entry, cell));
}

/* live_cell reads a cell again. */
static uint64_t live_cell(const copier *c, const pa_entry *entry, uint32_t cell) {
	pa_entry live = *entry;
	live.live = c->a->live->base + (entry->bytes - c->a->bytes);
	return pa_cell(&live, cell);
}

/* drop records that the copy omits a live cell, since its value v refers to no type or method. If the cell has changed,
 * another thread is writing it, and nothing is recorded. */
static void drop(copier *c, const pa_entry *entry, uint32_t cell, uint64_t v, const char *reason) {
	pa_dropped *d = &c->b->dropped;
	if (c->take == PA_TRAINED || entry->live == NULL || live_cell(c, entry, cell) != v) return;
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
	uint32_t method = trained == 0 ? 0 : method_ref(c, ref_of(trained - c->a->info.requested_base));
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
			uint32_t method = v == 0 || at % 8 != 0 || at >> 35 != 0 ? 0 : method_ref(c, ref_of(at));
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

static bool copy_shape(pa_builder *b, const pa_archive *a, uint8_t tag) {
	const shape *of = pai_shape(a, tag);
	return of == NULL ||
		pai_declare(b, a->shapes->heads + of->first, a->shapes->names + of->first, of->rows > 0 ? of->rows : 1);
}

/* need_shape copies the shape of a tag once. */
static bool need_shape(copier *c, uint8_t tag) {
	if (!c->lazy || tag < PA_PRODUCER || c->shapes >> (tag - PA_PRODUCER) & 1) return true;
	c->shapes |= (uint64_t)1 << (tag - PA_PRODUCER);
	return copy_shape(c->b, c->a, tag);
}

/* put_copy adds the bytes of an entry. Receivers get empty rows up to the builder's minimum. */
static uint8_t *put_copy(pa_builder *b, pa_section section, const pa_entry *entry) {
	enum { HEADER = 16 };
	uint32_t rows = b->receiver_rows;
	if (entry->tag != PA_RECEIVERS || entry->rows >= rows)
		return pai_put_bytes(b, section, entry->bytes, 8 * (uint64_t)entry->units);
	uint8_t *cells = pai_put_wide(b, PA_RECEIVERS, 0, entry->sub, entry->point, 2 + 2 * (uint64_t)rows, rows);
	if (cells == NULL) return NULL;
	memcpy(cells, entry->bytes + HEADER, 8 * (size_t)entry->cells);
	return cells - HEADER;
}

static bool copy_entries(copier *c, const pa_profile *p) {
	pa_entry entry;
	for (unsigned section = PA_DATA; section < DIRECTORY; section++)
		for (pa_entries it = pa_entries_of(p, (pa_section)section); pa_entries_next(&it, &entry);) {
			if (!need_shape(c, entry.tag)) return false;
			uint8_t *to = put_copy(c->b, (pa_section)section, &entry);
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

/* The words of a block that are compared. next is the offset of the first one. */
typedef struct comparison { const copier *c; const pa_profile *p; uint64_t next; bool differs, pointers; } comparison;

/* compare_until compares the words before an offset. */
static void compare_until(comparison *m, uint64_t end) {
	uint64_t at = place_of(m->p->at);
	for (; m->next < end && !m->differs; m->next += 8)
		m->differs = get64(m->p->live + (m->next - at)) != pai_counted(since(m->c), m->c->a, m->next);
	m->next = end;
}

/* skip_pointer compares the words before a pointer. Pointers change with the count of their row, and by relocation. */
static bool skip_pointer(void *to, uint64_t at) {
	comparison *m = to;
	compare_until(m, at);
	m->pointers = m->pointers ||
		get64(m->p->live + (at - place_of(m->p->at))) != pai_counted(since(m->c), m->c->a, at);
	m->next = at + 8;
	return !m->differs;
}

/* is_changed reports whether a count, or another word but pointers, of a claimed profile has changed. It notes the
 * block if any word has changed. */
static bool is_changed(copier *c, const pa_profile *p, const block *own) {
	comparison m = {c, p, own->at, false, false};
	if (pai_visit(c->a, own, skip_pointer, &m)) compare_until(&m, own->at + own->size);
	if ((m.differs || m.pointers) && since(c) != NULL &&
		!pai_note_block(since(c), own->at, (const uint64_t *)(const void *)p->live, p->units))
		pai_no_memory(c->b);
	return m.differs;
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
	if (c->b->open.open) pa_discard(c->b);
	return lose(c, e);
}

/* view claims a profile that may have counts, and copies its words. A profile that cannot be claimed has no new
 * counts. */
static bool view(copier *c, pa_profile *p) {
	bool of_run = c->with != NULL; /* functions of a run claim the profiles that they count in */
	if (c->take == PA_TRAINED || (of_run && !pai_may_have_counts(p))) return true;
	pa_error e = pa_claim(p);
	if (e.code != PA_NOT_DECODED && e.code != PA_DAMAGED && failed(c, e)) return false;
	return p->live == NULL || take_words(c, p);
}

/* begin_profile begins the copy of a profile, with the records that it refers to. */
static bool begin_profile(copier *c, const block *own) {
	pa_ref context = ref_of(own->context);
	pa_method m;
	if (c->lazy && failed(c, pa_method_at(c->a, ref_of(own->method), &m))) return false;
	uint32_t method = method_ref(c, ref_of(own->method));
	if (c->lazy && !copy_context(c, context)) return false;
	pa_begin(c->b, method, own->code, get(&c->contexts, context));
	return true;
}

static bool copy_profile(copier *c, pa_profile *p) {
	uint32_t ref = 0;
	block own;
	pa_error e = pai_none();
	if (!view(c, p)) return false;
	if (!pai_block(c->a, place_of(p->at), &own, &e)) return lose(c, e);
	c->p = p;
	bool more = has_more(c, p), changed = c->take == PA_INCREMENTS && p->live != NULL && is_changed(c, p, &own);
	if (c->take == PA_INCREMENTS && !more && !changed) return sound(c->b);
	if (!begin_profile(c, &own)) return leave(c);
	copy_fields(c, p, &own);
	if (!copy_entries(c, p)) return leave(c);
	if (more) c->with->record(c->with->run, c->b, p->at);
	e = pa_done(c->b, &ref);
	if (e.code != PA_OK) return lose(c, e);
	return keep(c, &c->profiles, p->at, ref) &&
		(c->with == NULL || c->with->copied == NULL || c->with->copied(c->with->run, c->b, p->at));
}

/* is_kept reports whether the copy has a profile of this code. */
static bool is_kept(copier *c, const pa_profile *p) {
	block own;
	pa_error e;
	if (c->with == NULL || c->with->keeps == NULL || !pai_block(c->a, place_of(p->at), &own, &e) ||
		c->with->keeps(c->with->choice, own.code))
		return true;
	c->partial = true;
	return false;
}

static bool copy_profiles(copier *c, const pa_method *m) {
	bool chosen = c->with != NULL && c->with->choose != NULL;
	pa_profiles it = pa_profiles_of(c->a, m);
	pa_profile p;
	pa_error e;
	c->method = m->at;
	if (chosen && !c->with->choose(c->with->choice, m)) return pai_no_memory(c->b);
	for (; (e = pa_profiles_next(&it, &p)).code != PA_NOT_FOUND; c->met++)
		if (e.code != PA_OK ? !lose(c, e) : is_kept(c, &p) && !copy_profile(c, &p)) return false;
	return !chosen || c->with->list(c->with->choice, get(&c->methods, m->at)) || pai_no_memory(c->b);
}

/* copy_changed copies a block that may have changed. */
static bool copy_changed(void *to, uint64_t at) {
	copier *c = to;
	pa_profile p;
	block own;
	pa_error e;
	if (!pai_block(c->a, at, &own, &e)) return lose(c, e);
	pai_profile(c->a, &own, &p);
	c->method = ref_of(own.method);
	return copy_profile(c, &p);
}

/* copy_all_changed copies the changed profiles of a run, and those beside which it has counts. */
static bool copy_all_changed(copier *c) {
	if (!pai_each_counted(c->with->since, copy_changed, c)) return false;
	for (size_t i = 0; i < c->with->n_more; i++)
		if (get(&c->profiles, c->with->more[i]) == 0 && !copy_changed(c, place_of(c->with->more[i]))) return false;
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

/* copy_row appends a row, unless it refers to a profile that the copy skipped, or to code that increments lack. */
static bool copy_row(copier *c, const pa_table *t, uint32_t r, buffer *cells) {
	size_t before = cells->size;
	bool of_code = c->take == PA_INCREMENTS && (t->kind == PA_TABLE_CODE || t->kind == PA_TABLE_MOVED);
	if (of_code && get(&c->methods, (pa_ref)pa_table_cell(t, 0, r)) == 0) return true;
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
		/* see pai_copy_shapes, pai_list_hot and pai_list_crowded */
		if (t.kind == PA_TABLE_SHAPES || t.kind == PA_TABLE_HOT || t.kind == PA_TABLE_CROWDED) continue;
		/* lists all profiles, so it is invalid for a part */
		if (c->partial && (t.kind == PA_TABLE_ORDER || t.kind == ORDER_RUNS)) continue;
		/* the account of the archive does not hold for other counts */
		if (c->take != PA_TRAINED && (t.kind == PA_TABLE_INPUTS || t.kind == PA_TABLE_LOSSES)) continue;
		if (c->take != PA_TRAINED && t.kind == PA_TABLE_VERSIONS) continue; /* see pai_list_versions */
		/* a merge has the other tables from the archive that the run began with */
		if (c->checkpoint && t.kind != PA_TABLE_BASE) continue;
		if (c->take == PA_INCREMENTS && t.kind != PA_TABLE_PROPERTIES && t.kind != PA_TABLE_CODE &&
			t.kind != PA_TABLE_MOVED && t.kind != PA_TABLE_BASE)
			continue; /* these tables describe all counts, not the increments */
		if (!copy_rows(c, &t)) return false;
	}
	return !failed(c, e);
}

/* ---- all of it ---- */

bool pai_copy_shapes(pa_builder *b, const pa_archive *a) {
	for (unsigned tag = PA_PRODUCER; tag < 256; tag++)
		if (!copy_shape(b, a, (uint8_t)tag)) return false;
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
	counted none = {.archive = a};
	const along alone = {.since = &none};
	if (!pai_take(b, a != NULL) || !admit(b, a, take)) return pai_error_of(b);
	c.checkpoint = take == PA_INCREMENTS && with != NULL;
	c.lazy = c.checkpoint || (take == PA_INCREMENTS && adopted(a) != NULL);
	if (c.lazy && with == NULL) c.with = &alone;
	bool ok = c.lazy ? (c.checkpoint || pai_copy_shapes(b, a)) && copy_all_changed(&c)
					 : pai_copy_shapes(b, a) && copy_types(&c) && each(&c, copy_method) && each(&c, copy_contexts) &&
			copy_all_profiles(&c);
	ok = ok && copy_tables(&c);
	if (!ok && sound(b)) b->error = c.e;
	pai_free_counted(&none);
	pai_empty(&c.words);
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
