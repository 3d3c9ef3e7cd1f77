/* SPDX-License-Identifier: Apache-2.0 */
/* Advice for the JIT of a VM. It comes from two tables. Runs of the VM note in one which functions they have called,
 * and which of these have changed. The other has the hottest profiles of the archive. */
#include <stdio.h>

#include "run.h"

enum { CALLED = 1, CHANGED = 2 };        /* notes */
enum { PROFILE, FIRST, RUNS, CHANGES };  /* columns of PA_TABLE_ADVICE */
enum { WEIGHT = 1 };                     /* column of PA_TABLE_HOT */
enum { HOT_POINT = 100, MATURE_RUNS = 3 };

/* ---- points that have changed ---- */

/* The ways of a point, with their counts in earlier runs and in this one. */
typedef struct ways { uint64_t before, now, most_before, most_now; } ways;

static void add_way(ways *w, const pa_entry *entry, uint32_t cell) {
	uint64_t trained = pa_trained(entry, cell), now = pa_cell(entry, cell) - trained;
	w->before = add_up(w->before, trained);
	w->now = add_up(w->now, now);
	if (trained <= w->most_before) return;
	w->most_before = trained;
	w->most_now = now;
}

/* is_changed reports whether the most frequent way of earlier runs lost a quarter of all counts in this run. */
static bool is_changed(const pa_entry *entry) {
	enum { TAKEN = 1, NOT_TAKEN = 3, CELLS = 4 };
	ways w = {0};
	pa_rows rows;
	if (entry->tag == PA_SUCCESSORS && entry->sub == PA_CONDITIONAL && entry->cells == CELLS) {
		add_way(&w, entry, TAKEN);
		add_way(&w, entry, NOT_TAKEN);
	} else if (entry->tag == PA_RECEIVERS && pa_receivers_of(entry, &rows)) {
		add_way(&w, entry, 0);
		for (uint32_t i = 0; i < rows.count; i++) add_way(&w, entry, rows.first + i * rows.width + 1);
	}
	if (w.before < HOT_POINT || w.now < HOT_POINT) return false;
	return (double)w.most_before / (double)w.before - (double)w.most_now / (double)w.now > 0.25;
}

static bool has_changed(const pa_profile *p) {
	pa_entry entry;
	for (pa_entries it = pa_entries_of(p, PA_DATA); pa_entries_next(&it, &entry);)
		if (is_changed(&entry)) return true;
	return false;
}

/* ---- notes ---- */

/* profile_of returns the claimed profile of a version, if it has one. */
static bool profile_of(const pa_run *r, const version *v, pa_profile *p) {
	block b;
	pa_error e;
	if (v->profile == 0 || r->archive == NULL) return false;
	if (!v->released) *p = ((const pa_function *)v)->profile;
	else if (!pai_block(r->archive, place_of(v->profile), &b, &e)) return false;
	else pai_profile(r->archive, &b, p);
	return pa_claim(p).code == PA_OK;
}

/* calls_in_archive returns the calls that a profile of the archive has counted since since. */
static uint64_t calls_in_archive(const pa_run *r, const pa_profile *p, const counted *since) {
	pa_counter *word = pa_profile_word(p, PA_FIELD_INVOCATIONS);
	return word == NULL
		? 0
		: pa_load(word) - pai_counted(since, r->archive, (uint64_t)((uint8_t *)(void *)word - r->archive->live->base));
}

/* private_calls returns the calls that a version has counted in private words, in total or since the last
 * checkpoint. */
static uint64_t private_calls(const pa_run *r, const version *v, bool all) {
	uint64_t now[2] = {0}, before[2] = {0};
	bool has;
	const pa_function *f = (const pa_function *)v;
	if (v->released) pai_begin_released(r, (const released *)v, &has, now, before);
	else if (f->fields.words != NULL) {
		now[0] = pa_load(&f->fields.words[0]);
		before[0] = count_before(&f->fields, 0);
	}
	return now[0] - (all ? 0 : before[0]);
}

/* add_row adds a row about a version. It returns false if the dump lacks the version. */
static bool add_row(pa_builder *b, const version *v, unsigned news) {
	static const uint8_t columns[] = {PA_COLUMN_PROFILE, PA_COLUMN_WORD, PA_COLUMN_WORD, PA_COLUMN_WORD};
	const pa_key key = pai_key_of(v->method);
	uint32_t method = pai_may_be_key(&key) ? pa_intern_method(b, &key) : 0;
	uint32_t profile = method == 0 ? 0 : pai_find_profile(b, method, v->code, 0);
	if (profile == 0) return false;
	pa_declare_table(b, PA_TABLE_ADVICE, 0, columns, sizeof columns);
	pa_record_row(b, PA_TABLE_ADVICE, (uint64_t[]){profile, v->first, news & CALLED, (news & CHANGED) / CHANGED}, 4);
	return true;
}

bool pai_note(pa_run *r, pa_builder *b, version *v) {
	bool parts = r->form == CHECKPOINTS;
	unsigned before = parts && v->noted_epoch == r->epoch ? v->noted : 0, now = before;
	const counted *since = parts || r->counted.before != NULL ? &r->counted : NULL;
	pa_profile p;
	if (v->dropped || (parts && v->noted_dump == r->dumps)) return true;
	bool trained = profile_of(r, v, &p);
	uint64_t calls = private_calls(r, v, false) + (trained ? calls_in_archive(r, &p, since) : 0);
	if (calls == 0) return true;
	now |= CALLED;
	if (trained && (before & CHANGED) == 0 && has_changed(&p)) now |= CHANGED;
	if (now == before || !add_row(b, v, now & ~before) || !parts) return sound(b);
	v->noted = (uint8_t)now;
	v->noted_before = (uint8_t)before;
	v->noted_epoch = r->epoch;
	v->noted_dump = r->dumps;
	return true;
}

bool pai_note_all(pa_run *r, pa_builder *b) {
	for (pa_function *f = r->functions; f != NULL; f = f->next)
		if (!pai_note(r, b, &f->v)) return false;
	for (released *x = r->released; x != NULL; x = x->next)
		if (!pai_note(r, b, &x->v)) return false;
	return true;
}

bool pai_note_profile(pa_run *r, pa_builder *b, pa_ref profile) {
	pa_method m;
	method *own;
	block of;
	pa_error e;
	if (!pai_block(r->archive, place_of(profile), &of, &e) ||
		pa_method_at(r->archive, ref_of(of.method), &m).code != PA_OK)
		return true;
	if (!pai_find_own(r, &m, &own)) return pai_no_memory(b);
	version *v = own == NULL ? NULL : pai_find_version(r, own, of.code);
	return v == NULL || v->profile != profile || pai_note(r, b, v);
}

static void drop(const pa_run *r, version *v) {
	if (v->noted_dump == r->dumps) v->noted = v->noted_before;
}

void pai_drop_notes(pa_run *r) {
	for (pa_function *f = r->functions; f != NULL; f = f->next) drop(r, &f->v);
	for (released *x = r->released; x != NULL; x = x->next) drop(r, &x->v);
}

/* ---- advice ---- */

void pai_read_advice(pa_run *r) {
	pa_table t;
	if (pa_table_get(r->archive, PA_TABLE_ADVICE, &t).code == PA_OK) r->advice = t;
	if (pa_table_get(r->archive, PA_TABLE_HOT, &t).code == PA_OK) r->hot = t;
}

/* row_of finds the row of a profile in the table of notes. The rows are sorted by profile. */
static bool row_of(const pa_table *t, pa_ref profile, uint32_t *row) {
	uint32_t low = 0, high = t->rows;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (pa_table_cell(t, PROFILE, middle) < profile) low = middle + 1;
		else high = middle;
	}
	*row = low;
	return low < t->rows && pa_table_cell(t, PROFILE, low) == profile;
}

static uint64_t deopts_of(const pa_profile *p) {
	uint64_t n = 0;
	pa_entry entry;
	for (pa_entries it = pa_entries_of(p, PA_DATA); pa_entries_next(&it, &entry);)
		if (entry.tag == PA_COUNT && entry.sub >= PA_DEOPTS && entry.sub < PA_DEOPTS + PA_DEOPT_CAUSES)
			n = add_up(n, pa_cell(&entry, 0));
	return n;
}

/* weight_of returns the calls and loop iterations of earlier runs. */
static uint64_t weight_of(const pa_profile *p) {
	pa_profile trained = *p;
	pa_summary s;
	trained.live = NULL;
	pa_summarize(&trained, &s);
	return add_up(s.has >> PA_FIELD_INVOCATIONS & 1 ? s.invocations : 0,
		s.has >> PA_FIELD_BACKEDGES & 1 ? s.backedges : 0);
}

static void decide(const pa_function *f, pa_advice *a) {
	const pa_table *hot = &f->run->hot;
	unsigned long long runs = a->runs, changed = a->changed, deopts = a->deopts;
	size_t room = sizeof a->reason;
	if (runs == 0) snprintf(a->reason, room, "no earlier run counted a call of this code");
	else if (hot->rows == 0 || weight_of(&f->profile) < pa_table_cell(hot, WEIGHT, hot->rows - 1)) {
		a->count = false;
		snprintf(a->reason, room, "not hot in %llu runs", runs);
	} else if (changed >= runs || changed >= runs - changed)
		snprintf(a->reason, room, "hot points went another way in %llu of %llu runs", changed, runs);
	else if (deopts > runs) snprintf(a->reason, room, "%llu deoptimizations in %llu runs", deopts, runs);
	else {
		a->compile = true;
		a->count = runs < MATURE_RUNS;
		snprintf(a->reason, room, "hot and stable in %llu runs", runs);
	}
}

void pa_advice_of(const pa_function *f, pa_advice *a) {
	uint32_t row;
	if (a == NULL) return;
	*a = (pa_advice){.count = true, .reason = "the archive has no profile of this code"};
	if (f == NULL || !f->trained) return;
	const pa_table *t = &f->run->advice;
	if (row_of(t, f->profile.at, &row)) {
		a->runs = pa_table_cell(t, RUNS, row);
		a->changed = pa_table_cell(t, CHANGES, row);
	}
	a->deopts = deopts_of(&f->profile);
	decide(f, a);
}

/* ---- hot functions ---- */

/* signature_of returns the signature of a method. If the archive stores it in parts, it is put together in memory of
 * the run. */
static bool signature_of(pa_run *r, const pa_method *m, uint32_t row, pa_text *signature) {
	*signature = m->key.signature;
	if (signature->bytes != NULL || signature->size == 0) return true;
	if (r->signatures == NULL && (r->signatures = calloc(r->hot.rows, sizeof *r->signatures)) == NULL) return false;
	char **text = &r->signatures[row];
	if (*text == NULL && (*text = malloc(signature->size)) == NULL) return false;
	signature->bytes = *text;
	return pa_signature(r->archive, m, *text, signature->size).code == PA_OK;
}

static bool hot_at(pa_run *r, uint32_t row, pa_hot_function *hot) {
	pa_ref at = (pa_ref)pa_table_cell(&r->hot, PROFILE, row);
	pa_profile p;
	pa_summary s;
	pa_method m;
	uint32_t notes;
	block b;
	pa_error e;
	if (!pai_block(r->archive, place_of(at), &b, &e)) return false;
	pai_profile(r->archive, &b, &p);
	pa_summarize(&p, &s);
	if (pa_method_at(r->archive, s.method, &m).code != PA_OK) return false;
	*hot = (pa_hot_function){.key = m.key, .code = b.code, .weight = pa_table_cell(&r->hot, WEIGHT, row)};
	if (row_of(&r->advice, at, &notes)) hot->first = pa_table_cell(&r->advice, FIRST, notes);
	return signature_of(r, &m, row, &hot->key.signature);
}

bool pa_hot(pa_run *r, uint32_t *row, pa_hot_function *hot) {
	bool found = false;
	if (r == NULL || r->archive == NULL || row == NULL || hot == NULL) return false;
	pthread_mutex_lock(&r->lock);
	while (!found && *row < r->hot.rows) found = hot_at(r, (*row)++, hot);
	pthread_mutex_unlock(&r->lock);
	return found;
}

void pai_free_advice(pa_run *r) {
	for (uint32_t i = 0; r->signatures != NULL && i < r->hot.rows; i++) free(r->signatures[i]);
	free(r->signatures);
}

/* ---- coverage ---- */

static void cover(const pa_run *r, const version *v, uint64_t *covered, uint64_t *all) {
	pa_profile p;
	bool trained = profile_of(r, v, &p);
	uint64_t calls = private_calls(r, v, true) + (trained ? calls_in_archive(r, &p, NULL) : 0);
	*all += calls;
	if (trained) *covered += calls;
}

double pa_coverage(pa_run *r) {
	uint64_t covered = 0, all = 0;
	if (r == NULL) return 0;
	pthread_mutex_lock(&r->lock);
	for (const pa_function *f = r->functions; f != NULL; f = f->next) cover(r, &f->v, &covered, &all);
	for (const released *x = r->released; x != NULL; x = x->next) cover(r, &x->v, &covered, &all);
	pthread_mutex_unlock(&r->lock);
	return all == 0 ? 0 : (double)covered / (double)all;
}

/* ---- the class to compile for ---- */

bool pa_target(const pa_receivers *r, const pa_class **target, double *certainty) {
	const pa_class *c;
	uint64_t most = 0, count;
	if (target == NULL || certainty == NULL) return false;
	double all = (double)pa_other_classes(r) + 1;
	for (uint32_t row = 0; pa_next_class(r, &row, &c, &count);) {
		all += (double)count;
		if (count <= most) continue;
		most = count;
		*target = c;
	}
	*certainty = (double)most / all;
	return most > 0;
}
