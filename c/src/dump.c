/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps and checkpoints of a run. */
#include "run.h"

/* ---- words of functions ---- */

/* counted_in returns the count of a function's private word, in total or since the last checkpoint. */
static uint64_t counted_in(own *o, form f) {
	o->next = atomic_load_explicit(&o->word, memory_order_acquire);
	return o->next - (f == CHECKPOINTS ? o->dumped : o->start);
}

static void keep(own *o) { o->dumped = o->next; }

static void keep_function(pa_function *f) {
	keep(&f->calls);
	keep(&f->backedges);
	for (site *s = f->sites; s != NULL; s = s->next)
		for (uint32_t i = 0; i < s->n; i++) keep(&s->words[i]);
}

static void record_branch(pa_builder *b, site *s, form f) {
	const pa_successor rows[] = {{.index = 0, .count = counted_in(&s->words[0], f)},
		{.index = 1, .count = counted_in(&s->words[1], f)}};
	pa_record_successors(b, s->point, s->sub, rows, 2);
}

/* record_receivers reads the counts before the classes. A row with a count then has a class. */
static void record_receivers(pa_builder *b, site *s, form f) {
	pa_type_count rows[64];
	for (uint32_t i = 0; i + 1 < s->n; i++) {
		uint64_t count = counted_in(&s->words[i], f);
		const pa_class *c = class_in(&s->classes[i]);
		rows[i] = (pa_type_count){0, 0};
		if (c != NULL) rows[i] = (pa_type_count){pa_intern_type(b, c->name, (pa_text){"", 0}), count};
	}
	pa_new_receivers all = {.point = s->point, .sub = s->sub, .other = counted_in(&s->words[s->n - 1], f)};
	pa_record_receivers(b, &all, rows, s->n - 1);
}

static void record_words(pa_builder *b, site *s, form f) {
	uint64_t cells[256] = {0};
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t count = counted_in(&s->words[i], f);
		cells[i] = s->shape->cells[i].kind == PA_CELL_COUNT ? count : s->words[i].next;
	}
	pa_record_custom(b, &(pa_custom){.point = s->point, .tag = s->tag, .cells = cells, .n = s->n}, NULL, 0);
}

static void record_sites(pa_builder *b, pa_function *f, form form) {
	for (site *s = f->sites; s != NULL; s = s->next)
		if (s->tag == PA_SUCCESSORS) record_branch(b, s, form);
		else if (s->tag == PA_RECEIVERS) record_receivers(b, s, form);
		else record_words(b, s, form);
}

/* record_function records a function that the archive lacks. It also records points without a count, so that the next
 * run counts them in the archive. */
static void record_function(pa_builder *b, pa_function *f, form form) {
	pa_begin(b, pa_intern_method(b, &f->key), f->code, 0);
	pa_record_invocations(b, counted_in(&f->calls, form));
	pa_record_backedges(b, counted_in(&f->backedges, form));
	record_sites(b, f, form);
	pa_done(b, NULL);
}

/* ---- what a profile of the archive lacks ---- */

/* has_own reports whether a function with a profile also counts in private words. */
static bool has_own(const pa_function *f) {
	return f->sites != NULL || pa_load((pa_counter *)&f->calls.word) > 0 ||
		pa_load((pa_counter *)&f->backedges.word) > 0;
}

/* Functions that have both a profile in the archive and private words, keyed by the profile's reference. */
typedef struct beside { pa_run *run; pa_function **list; size_t n; } beside;

static int compare_profiles(const void *x, const void *y) {
	pa_ref a = (*(pa_function *const *)x)->profile.at, b = (*(pa_function *const *)y)->profile.at;
	return (a > b) - (a < b);
}

static bool find_beside(pa_run *r, beside *all) {
	*all = (beside){r, malloc((r->n_functions + 1) * sizeof *all->list), 0};
	if (all->list == NULL) return false;
	for (pa_function *f = r->functions; f != NULL; f = f->next)
		if (f->trained && has_own(f)) all->list[all->n++] = f;
	qsort(all->list, all->n, sizeof *all->list, compare_profiles);
	return true;
}

static pa_function *function_at(const beside *all, pa_ref profile) {
	size_t low = 0, high = all->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (all->list[middle]->profile.at < profile) low = middle + 1;
		else high = middle;
	}
	return low < all->n && all->list[low]->profile.at == profile ? all->list[low] : NULL;
}

static bool has_beside(const void *all, pa_ref profile) { return function_at(all, profile) != NULL; }

static void record_beside(void *with, pa_builder *b, pa_ref profile) {
	const beside *all = with;
	pa_function *f = function_at(all, profile);
	form form = all->run->form;
	if (pa_profile_word(&f->profile, PA_FIELD_INVOCATIONS) == NULL)
		pa_record_invocations(b, counted_in(&f->calls, form));
	if (pa_profile_word(&f->profile, PA_FIELD_BACKEDGES) == NULL)
		pa_record_backedges(b, counted_in(&f->backedges, form));
	record_sites(b, f, form);
}

/* ---- the dump ---- */

/* describe records the process of the dump. If the system does not identify it, the dump gets an id and a time. */
static bool describe(pa_run *r, pa_builder *b) {
	pa_provenance p = {.vm = r->vm.name};
	if (r->form == CHECKPOINTS) memcpy(p.since, r->since, sizeof p.since);
	if (pai_describe_run_of(b, &p, r->number).code != PA_UNSUPPORTED) return sound(b);
	if (!pai_draw(b, b->config.dump_id)) return false;
	b->config.dump_time = pai_now();
	pa_describe_run(b, &p);
	return sound(b);
}

/* take_archive copies the archive with its current counts. */
static bool take_archive(pa_run *r, pa_builder *b) {
	static const uint8_t none[16];
	beside all;
	if (r->form == CHECKPOINTS && memcmp(r->since, none, 16) != 0) b->config.flags |= 1;
	if (r->archive == NULL) return true;
	if (!find_beside(r, &all)) return pai_no_memory(b);
	bool parted = r->form == CHECKPOINTS || r->counted.used > 0;
	const along with = {parted ? &r->counted : NULL, has_beside, record_beside, &all};
	pai_drop_counted(&r->counted);
	pai_snapshot(b, r->archive, r->form == CHECKPOINTS ? PA_INCREMENTS : PA_TOTALS, &with);
	free(all.list);
	return sound(b);
}

static void lay_out(pa_run *r, pa_builder *b, const char *path, pa_error *e, pa_lost *lost) {
	pthread_mutex_lock(&r->lock);
	bool ok = take_archive(r, b);
	for (pa_function *f = r->functions; f != NULL && ok; f = f->next)
		if (!f->trained) record_function(b, f, r->form);
	pthread_mutex_unlock(&r->lock);
	ok = ok && describe(r, b);
	*e = ok ? pa_write(b, path, NULL) : b->error;
	const pa_dropped *d = &b->dropped;
	if (lost != NULL)
		*lost = (pa_lost){d->profiles + b->duplicates, d->rows, d->profiles > 0 ? d->error : pai_none()};
}

/* written makes the written checkpoint the start of the next one. */
static void written(pa_run *r, const pa_builder *b) {
	if (r->form != CHECKPOINTS) return;
	memcpy(r->since, b->config.dump_id, sizeof r->since);
	pthread_mutex_lock(&r->lock);
	pai_keep_counted(&r->counted);
	for (pa_function *f = r->functions; f != NULL; f = f->next) keep_function(f);
	pthread_mutex_unlock(&r->lock);
}

static pa_error write_as(pa_run *r, form f, const char *path, pa_lost *lost) {
	pa_builder *b;
	pa_error e = r->bad;
	if (e.code == PA_OK && r->form != UNDECIDED && r->form != f)
		pai_fail(&e, PA_ARGUMENT, "a run writes dumps or checkpoints, not both");
	if (e.code == PA_OK) e = pai_run_builder(&r->vm, r->archive, &b);
	if (e.code != PA_OK) return e;
	r->form = f;
	lay_out(r, b, path, &e, lost);
	if (e.code == PA_OK) written(r, b);
	pa_builder_free(b);
	return e;
}

static pa_error write_run(pa_run *r, form f, const char *path, pa_lost *lost) {
	pa_error e = pai_none();
	if (lost != NULL) *lost = (pa_lost){0, 0, e};
	if (r == NULL) {
		errno = ENOMEM;
		pai_system(&e, "there was no memory for the run");
		return e;
	}
	pthread_mutex_lock(&r->dumping);
	e = write_as(r, f, path, lost);
	pthread_mutex_unlock(&r->dumping);
	return e;
}

pa_error pa_dump(pa_run *r, const char *path, pa_lost *lost) { return write_run(r, TOTALS, path, lost); }

pa_error pa_checkpoint(pa_run *r, const char *path, pa_lost *lost) { return write_run(r, CHECKPOINTS, path, lost); }
