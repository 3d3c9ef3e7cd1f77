/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps and checkpoints of a run. */
#include "run.h"

/* ---- recording ---- */

static void record_branch(pa_builder *b, const taken *t) {
	const pa_successor rows[] = {{.index = 0, .count = t->counts[0]}, {.index = 1, .count = t->counts[1]}};
	pa_record_successors(b, t->point, t->sub, rows, 2);
}

/* omit_class omits the row of a class whose name the format cannot hold. */
static void omit_class(pa_builder *b, pa_text name) {
	pai_name_lost(b, name, (pa_text){"", 0}, (pa_text){"", 0});
	b->dropped.rows++;
	if (b->dropped.error.code == PA_OK)
		pai_fail(&b->dropped.error, PA_ARGUMENT,
			"the name of a class has a NUL byte or more than 1 MiB: its arrivals count as other classes");
}

static void record_receivers(pa_builder *b, const taken *t) {
	pa_type_count rows[MOST_WORDS] = {{0, 0}};
	pa_new_receivers all = {.point = t->point, .sub = t->sub, .other = t->counts[t->n - 1]};
	for (uint32_t i = 0; i + 1 < t->n; i++) {
		const pa_class *c = t->classes[i];
		if (c != NULL && pai_may_be_name(c->name))
			rows[i] = (pa_type_count){pa_intern_type(b, c->name, (pa_text){"", 0}), t->counts[i]};
		else if (c != NULL) {
			omit_class(b, c->name);
			all.other = add_up(all.other, t->counts[i]);
		}
	}
	pa_record_receivers(b, &all, rows, t->n - 1);
}

static void record_words(pa_builder *b, const taken *t) {
	uint64_t cells[256] = {0};
	for (uint32_t i = 0; i < t->n; i++)
		cells[i] = t->shape->cells[i].kind == PA_CELL_COUNT ? t->counts[i] : t->now[i];
	pa_declare_shape(b, t->shape);
	pa_record_custom(b, &(pa_custom){.point = t->point, .tag = t->tag, .cells = cells, .n = t->n}, NULL, 0);
}

static void record_sites(reading *x, pa_builder *b, position *p) {
	taken t;
	while (pai_next_site(x, p, &t))
		if (t.tag == PA_SUCCESSORS) record_branch(b, &t);
		else if (t.tag == PA_RECEIVERS) record_receivers(b, &t);
		else if (t.tag == PA_COUNT) pa_record_count(b, t.point, t.sub, 0, t.counts[0]);
		else record_words(b, &t);
	if (x->failed) pai_no_memory(b);
}

static bool takes_notes(const pa_run *r) { return r->form == CHECKPOINTS; }

/* skip_version notes the counts of a version that the dump omits. */
static void skip_version(pa_run *r, pa_builder *b, const version *v) {
	reading x = {r, takes_notes(r), false};
	bool has;
	uint64_t fields[2];
	taken t;
	position p = pai_begin_version(&x, v, &has, fields);
	while (pai_next_site(&x, &p, &t)) {}
	if (x.failed) pai_no_memory(b);
}

/* omit_key omits a version whose key the format cannot hold. */
static void omit_key(pa_builder *b, const pa_key *key) {
	pai_name_lost(b, key->class_name, key->name, key->signature);
	if (b->dropped.profiles++ == 0)
		pai_fail(&b->dropped.error, PA_ARGUMENT,
			"a key has a NUL byte, a part of more than 1 MiB, or a loader and no class: the dump omits it");
}

/* record_version records a version that the archive lacks. It also records points without a count, so that the next run
 * counts them in the archive. */
static bool record_version(pa_run *r, pa_builder *b, const version *v) {
	reading x = {r, takes_notes(r), false};
	bool has;
	uint64_t fields[2];
	const pa_key key = pai_key_of(v->method);
	if (v->profile != 0) return true; /* see record_beside */
	if (v->dropped || !pai_may_be_key(&key)) {
		if (!v->dropped) omit_key(b, &key);
		skip_version(r, b, v);
		return sound(b);
	}
	pa_begin(b, pa_intern_method(b, &key), v->code, 0);
	position p = pai_begin_version(&x, v, &has, fields);
	pa_record_invocations(b, fields[0]);
	pa_record_backedges(b, fields[1]);
	record_sites(&x, b, &p);
	pa_done(b, NULL);
	return sound(b);
}

/* ---- versions of a dump ---- */

/* The versions that a dump has counts of. beside has those with a profile in the archive that also have private words,
 * sorted by profile. */
typedef struct content {
	pa_run *run;
	version **list, **beside;
	pa_ref *profiles; /* of beside */
	size_t n, n_beside, room;
	bool failed;
	buffer copied; /* pa_refs of the profiles of the archive that a checkpoint has */
} content;

static bool add_version(content *c, version *v) {
	if (c->n == c->room) {
		size_t room = c->room == 0 ? 64 : 2 * c->room;
		version **more = realloc(c->list, room * sizeof *more);
		if (more == NULL) {
			c->failed = true;
			return false;
		}
		c->list = more;
		c->room = room;
	}
	c->list[c->n++] = v;
	return true;
}

static bool touch(pa_run *r, pa_function *f, void *to) {
	(void)r;
	if (f->v.touched) return true;
	f->v.touched = add_version(to, &f->v);
	f->v.method->n_touched += f->v.touched && f->v.profile == 0;
	return f->v.touched;
}

static bool has_counts(const pa_run *r, const released *x) {
	taken t;
	bool has, some;
	uint64_t now[2], before[2];
	cursor c = pai_begin_released(r, x, &has, now, before);
	some = now[0] != before[0] || now[1] != before[1];
	while (!some && pai_next_released(r, x, &c, &t))
		for (uint32_t i = 0; i < t.n; i++) some = some || t.now[i] != t.counts[i];
	return some;
}

/* add_released adds the released functions. A written checkpoint forgets them, so it marks those without counts too. */
static void add_released(content *c) {
	pa_run *r = c->run;
	for (released *x = r->released; x != NULL; x = x->next) {
		x->v.touched = r->form == CHECKPOINTS;
		if (r->form == CHECKPOINTS ? !has_counts(r, x) : x->v.epoch != r->epoch) continue;
		if (!add_version(c, &x->v)) return;
		x->v.method->n_touched += x->v.touched && x->v.profile == 0;
	}
}

static void list_content(content *c) {
	pa_run *r = c->run;
	if (r->form == CHECKPOINTS) pai_each_touched(r, touch, c);
	else
		for (pa_function *f = r->functions; f != NULL && add_version(c, &f->v); f = f->next) {}
	add_released(c);
}

static int compare_profiles(const void *x, const void *y) {
	pa_ref a = (*(version *const *)x)->profile, b = (*(version *const *)y)->profile;
	return (a > b) - (a < b);
}

/* has_own reports whether a version with a profile also counts in private words. */
static bool has_own(const version *v) {
	if (v->released) return v->size > 1;
	const pa_function *f = (const pa_function *)v;
	return f->sites != NULL || f->fields.words != NULL;
}

static bool list_beside(content *c) {
	list_content(c);
	c->beside = malloc((c->n + 1) * sizeof *c->beside);
	c->profiles = malloc((c->n + 1) * sizeof *c->profiles);
	if (c->failed || c->beside == NULL || c->profiles == NULL) return false;
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i]->profile != 0 && has_own(c->list[i])) c->beside[c->n_beside++] = c->list[i];
	qsort(c->beside, c->n_beside, sizeof *c->beside, compare_profiles);
	for (size_t i = 0; i < c->n_beside; i++) c->profiles[i] = c->beside[i]->profile;
	return true;
}

/* end_content removes the marks of the versions. */
static void end_content(content *c) {
	for (size_t i = 0; i < c->n; i++) {
		version *v = c->list[i];
		v->dropped = false;
		v->method->n_touched = 0;
		if (!v->released) v->touched = false;
	}
	free(c->list);
	free(c->beside);
	free(c->profiles);
	pai_empty(&c->copied);
}

static const version *version_at(const content *c, pa_ref profile) {
	size_t low = 0, high = c->n_beside;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (c->profiles[middle] < profile) low = middle + 1;
		else high = middle;
	}
	return low < c->n_beside && c->profiles[low] == profile ? c->beside[low] : NULL;
}

static bool has_beside(const void *c, pa_ref profile) { return version_at(c, profile) != NULL; }

static void record_beside(void *to, pa_builder *b, pa_ref profile) {
	const content *c = to;
	reading x = {c->run, takes_notes(c->run), false};
	bool has;
	uint64_t fields[2];
	pa_profile in;
	position p = pai_begin_version(&x, version_at(c, profile), &has, fields);
	if (has && pa_profile_at(c->run->archive, profile, &in).code == PA_OK && pa_claim(&in).code == PA_OK) {
		if (pa_profile_word(&in, PA_FIELD_INVOCATIONS) == NULL) pa_record_invocations(b, fields[0]);
		if (pa_profile_word(&in, PA_FIELD_BACKEDGES) == NULL) pa_record_backedges(b, fields[1]);
	}
	record_sites(&x, b, &p);
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

static bool list_copied(void *to, pa_builder *b, pa_ref profile) {
	return pai_append(b, &((content *)to)->copied, &profile, sizeof profile);
}

/* note_calls records which versions the run has called. For a checkpoint it looks only at those with counts. */
static bool note_calls(pa_run *r, pa_builder *b, const content *c) {
	const pa_ref *copied = (const void *)c->copied.bytes;
	if (r->form != CHECKPOINTS) return pai_note_all(r, b);
	for (size_t i = 0; i < c->n; i++)
		if (!pai_note(r, b, c->list[i])) return false;
	for (size_t i = 0; i < COUNT(pa_ref, c->copied); i++)
		if (!pai_note_profile(r, b, copied[i])) return false;
	return true;
}

/* name_damaged names the first damaged profile of the archive. */
static void name_damaged(const pa_run *r, pa_builder *b) {
	pa_method m;
	if (b->dropped.lost == 0 || pa_method_at(r->archive, b->dropped.lost, &m).code != PA_OK) return;
	if (m.key.signature.bytes == NULL) m.key.signature.size = 0; /* it is a list */
	pai_name_lost(b, m.key.class_name, m.key.name, m.key.signature);
}

/* take_archive copies the archive with its current counts. */
static bool take_archive(pa_run *r, pa_builder *b, content *c, choice *versions) {
	static const uint8_t none[16];
	bool parts = r->form == CHECKPOINTS;
	if (parts && memcmp(r->since, none, 16) != 0) b->config.flags |= 1;
	if (r->archive == NULL) return true;
	along with = {.since = parts || r->counted.before != NULL ? &r->counted : NULL, .has = has_beside,
		.record = record_beside, .run = c, .more = c->profiles, .n_more = c->n_beside};
	if (parts) with.copied = list_copied;
	else {
		with.choose = pai_choose_of_archive;
		with.keeps = pai_keeps_version;
		with.list = pai_list_versions;
		with.choice = versions;
	}
	pai_snapshot(b, r->archive, parts ? PA_INCREMENTS : PA_TOTALS, &with);
	name_damaged(r, b);
	return sound(b);
}

static bool take_counts(pa_run *r, pa_builder *b, uint64_t *dropped) {
	content c = {.run = r};
	choice versions = {.run = r, .b = b};
	pa_table times;
	if (r->archive != NULL && pa_table_get(r->archive, PA_TABLE_VERSIONS, &times).code == PA_OK)
		versions.times = &times;
	bool ok = list_beside(&c) || pai_no_memory(b);
	ok = ok && take_archive(r, b, &c, &versions);
	ok = ok && (pai_choose_others(&versions, c.list, c.n) || pai_no_memory(b));
	for (size_t i = 0; i < c.n && ok; i++) ok = record_version(r, b, c.list[i]);
	ok = ok && note_calls(r, b, &c);
	*dropped = r->lost + versions.dropped;
	pai_free_choice(&versions);
	end_content(&c);
	return ok;
}

/* account fills what the dump omitted. */
static void account(const pa_builder *b, uint64_t versions, pa_lost *lost) {
	const pa_dropped *d = &b->dropped;
	*lost = (pa_lost){.profiles = d->profiles + b->duplicates, .rows = d->rows, .versions = versions,
		.error = d->error.code != PA_OK ? d->error : pai_none()};
	memcpy(lost->first, b->lost, sizeof lost->first);
}

static void lay_out(pa_run *r, pa_builder *b, const char *path, pa_error *e, pa_lost *lost) {
	uint64_t dropped = 0;
	pthread_mutex_lock(&r->lock);
	r->writing = true;
	r->dumps++;
	r->n_noted = 0;
	pai_drop_counted(&r->counted);
	bool ok = take_counts(r, b, &dropped);
	pthread_mutex_unlock(&r->lock);
	ok = ok && describe(r, b);
	*e = ok ? pa_write(b, path, NULL) : b->error;
	if (lost != NULL) account(b, dropped, lost);
}

/* end_writing makes a written checkpoint the start of the next one. */
static void end_writing(pa_run *r, const pa_builder *b, bool written) {
	pthread_mutex_lock(&r->lock);
	if (written && r->form == CHECKPOINTS) {
		memcpy(r->since, b->config.dump_id, sizeof r->since);
		pai_keep_counted(&r->counted);
		pai_keep_words(r);
		pai_forget_written(r);
		r->lost = 0;
	}
	if (!written && r->form == CHECKPOINTS) pai_drop_notes(r);
	r->n_noted = 0;
	r->writing = false;
	pai_release_unused(r);
	pthread_mutex_unlock(&r->lock);
}

/* may_replace reports whether a dump may replace the file at a path. It must not replace an archive of another VM. */
static bool may_replace(const pa_run *r, const char *path, pa_error *e) {
	pa_archive *a;
	if (pa_open(path, NULL, &a).code != PA_OK) return true;
	const pa_info *i = pa_info_of(a);
	bool own_file = i->domain == PA_CUSTOM && memcmp(i->producer_id, r->vm.id, sizeof i->producer_id) == 0;
	pa_close(a);
	return own_file ||
		pai_fail(e, PA_MISMATCH, "the file is an archive of another VM: choose another path, or remove the file first");
}

static pa_error make_builder(pa_run *r, pa_builder **b) {
	bool parts = r->form == CHECKPOINTS; /* it has the shapes of its entries */
	pa_vm vm = r->vm;
	if (parts) vm.n_shapes = 0;
	return pai_run_builder(&vm, r->archive, !parts, b);
}

static pa_error write_as(pa_run *r, form f, const char *path, pa_lost *lost) {
	pa_builder *b;
	pa_error e = r->bad;
	if (path == NULL) path = r->path;
	if (e.code == PA_OK && path == NULL) pai_fail(&e, PA_ARGUMENT, "the run began without a path: pass one");
	if (e.code == PA_OK && r->form != UNDECIDED && r->form != f)
		pai_fail(&e, PA_ARGUMENT, "a run writes dumps or checkpoints, not both");
	if (e.code != PA_OK || !may_replace(r, path, &e)) return e;
	r->form = f;
	e = make_builder(r, &b);
	if (e.code != PA_OK) return e;
	lay_out(r, b, path, &e, lost);
	end_writing(r, b, e.code == PA_OK);
	pa_builder_free(b);
	return e;
}

static pa_error write_run(pa_run *r, form f, const char *path, pa_lost *lost) {
	pa_error e = pai_none();
	if (lost != NULL) *lost = (pa_lost){.error = e};
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
