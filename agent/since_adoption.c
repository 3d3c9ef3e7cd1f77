//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "since_adoption.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "classes.h"
#include "narrow.h"
#include "redefinition.h"
#include "refused.h"

typedef struct adopted {
	const pa_archive *archive;
	const vm_klass *klass;
	pa_ref method, profile;
	scale scale;
} adopted;

static struct {
	pthread_mutex_t lock;
	adopted *list;
	uint32_t n, room;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void since_adoption_add(const prepared *holder, const pa_method *m, const pa_profile *p, scale s) {
	if (!holder->permanent) return;
	pthread_mutex_lock(&all.lock);
	if (all.n == all.room) {
		uint32_t room = all.room == 0 ? 1024 : 2 * all.room;
		adopted *list = realloc(all.list, room * sizeof *list);
		if (list != NULL) {
			all.list = list;
			all.room = room;
		}
	}
	if (all.n < all.room) all.list[all.n++] = (adopted){p->archive, holder->klass, m->at, p->at, s};
	pthread_mutex_unlock(&all.lock);
}

/* ---- comparison ---- */

enum { ENOUGH = 100 }; /* minimum number of events for a comparison */

/* Totals of a method, or of all methods. */
typedef struct drift { uint64_t ran, deoptimised, branches, flipped, calls, unlisted; } drift;

/* since returns the number of events since the adoption. */
static uint64_t since(uint64_t now, uint64_t adopted) { return now > adopted ? now - adopted : 0; }

static void compare_branch(drift *d, const narrowed *n, double factor) {
	const uint64_t *words = n->vm.words;
	uint64_t taken = pa_trained(&n->entry, 0), other = pa_trained(&n->entry, 2);
	uint64_t taken_now = since(words[1], adopt_scaled(taken, factor)),
			 other_now = since(words[3], adopt_scaled(other, factor));
	if (taken + other < ENOUGH || taken_now + other_now < ENOUGH) return;
	d->branches++;
	if ((taken > other) != (taken_now > other_now)) d->flipped++;
}

/* compare_call counts the receivers without a row. */
static void compare_call(drift *d, const narrowed *n, double factor) {
	const uint64_t *words = n->vm.words;
	narrow_row rows[MOST_ROWS];
	uint64_t others;
	uint32_t found = narrow_rows(n, rows, &others);
	uint64_t unlisted = since(words[1], adopt_scaled(others, factor)), listed = 0;
	for (uint32_t i = 0; i < n->vm.rows; i++)
		listed += since(words[2 + n->vm.first + 2 * i], i < found ? adopt_scaled(rows[i].count, factor) : 0);
	if (unlisted + listed < ENOUGH) return;
	d->calls++;
	if (unlisted > listed && others == 0) d->unlisted++;
}

static drift compare(const vm *v, const vm_data *data, const pa_profile *p, scale to) {
	drift d = {0};
	pa_summary s;
	narrower it = adopt_entries(v, data, p);
	narrowed n;
	pa_summarize(p, &s);
	double factor = adopt_factor(&s, to);
	d.ran = vm_u32(data, v->data.invocations) / v->increment > adopt_weight(&s, to);
	d.deoptimised = vm_u32(data, v->data.decompiles) > 0;
	while (narrow_next(&it, &n))
		if (n.vm.tag == PA_BRANCH) compare_branch(&d, &n, factor);
		else if (n.vm.tag == PA_VIRTUAL_CALL || n.vm.tag == PA_VIRTUAL_CALL_TYPE) compare_call(&d, &n, factor);
	return d;
}

/* compare_adopted compares a method, if the VM still has its MethodData. */
static bool compare_adopted(const vm *v, const adopted *a, pa_method *m, drift *d) {
	pa_profile p;
	int32_t point;
	if (pa_method_at(a->archive, a->method, m).code != PA_OK || pa_profile_at(a->archive, a->profile, &p).code != PA_OK)
		return false;
	if (redefinition_forgot(a->klass)) return false;
	const vm_method *is = classes_method(v, a->klass, m);
	const vm_data *data = is == NULL ? NULL : vm_method_data(v, is);
	if (data == NULL || !adopt_fits(v, data, &p, &point)) return false;
	*d = compare(v, data, &p, a->scale);
	return true;
}

/* ---- output ---- */

static void write_method(FILE *f, const pa_method *m, const drift *d, bool first) {
	fprintf(f, "%s\n      {\"method\": \"", first ? "" : ",");
	refused_write_method(f, m);
	fprintf(f, "\", \"deoptimised\": %s, \"branches_flipped\": %" PRIu64 ", \"calls_of_other_types\": %" PRIu64 "}",
		d->deoptimised > 0 ? "true" : "false", d->flipped, d->unlisted);
}

static void add(drift *sum, const drift *d) {
	sum->ran += d->ran;
	sum->deoptimised += d->deoptimised;
	sum->branches += d->branches;
	sum->flipped += d->flipped;
	sum->calls += d->calls;
	sum->unlisted += d->unlisted;
}

void since_adoption_write(FILE *f, const vm *v) {
	enum { MOST_LISTED = 100 };
	drift sum = {0}, d;
	pa_method m;
	uint32_t compared = 0, listed = 0;
	fputs(",\n  \"drift\": {\n    \"methods\": [", f);
	redefinition_hold();
	pthread_mutex_lock(&all.lock); /* threads continue to prepare classes while the VM ends */
	uint32_t n = redefinition_is_unseen(v) ? 0 : all.n;
	for (uint32_t i = 0; i < n; i++) {
		if (!compare_adopted(v, &all.list[i], &m, &d)) continue;
		compared++;
		add(&sum, &d);
		if (d.flipped + d.unlisted > 0 && listed < MOST_LISTED) write_method(f, &m, &d, listed++ == 0);
	}
	pthread_mutex_unlock(&all.lock);
	redefinition_release();
	fprintf(f,
		"%s],\n    \"methods_compared\": %" PRIu32 ",\n    \"methods_run\": %" PRIu64
		",\n    \"methods_deoptimised\": %" PRIu64,
		listed > 0 ? "\n    " : "", compared, sum.ran, sum.deoptimised);
	fprintf(f,
		",\n    \"branches_compared\": %" PRIu64 ",\n    \"branches_flipped\": %" PRIu64
		",\n    \"calls_compared\": %" PRIu64,
		sum.branches, sum.flipped, sum.calls);
	fprintf(f, ",\n    \"calls_of_other_types\": %" PRIu64 "\n  }", sum.unlisted);
}
