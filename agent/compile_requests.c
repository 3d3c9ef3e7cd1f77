//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "compile_requests.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiled.h"
#include "counters.h"
#include "prepared_names.h"
#include "processors.h"
#include "whitebox.h"

/* The state of a method in the list. */
typedef enum state { ABSENT, ADOPTED, KNOWN, ASKED, SETTLED } state;

typedef struct request {
	/* a value of enum state; the thread that prepares the class sets ADOPTED, then the thread of requests owns it */
	uint32_t state;
	const layer *from;
	const vm_klass *holder;
	const vm_method *method;
	pa_ref record, profile;
	uint32_t *needs, n; /* types whose classes it depends on, by number among the types of all layers */
} request;

static struct {
	const vm *vm;
	compiled list;
	request *requests;
	uint32_t weight, limit, budget; /* in milliseconds; in percent */
	double processors;
	int32_t longest;      /* maximum queue length */
	threads c2;
	uint64_t begun, spent, seen; /* in nanoseconds; processor time of C2, for requests and at the last look */
	uint32_t asked;       /* number of requests that are not settled */
	bool begins, ending;
} all;

enum { C1_COUNTING = 2, C1_PROFILING = 3, C2 = 4 };

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the list ---- */

/* mature_weight returns a number of invocations just above the one from which C2 trusts a profile. It returns 0 if the
 * flags have unexpected values. */
static uint32_t mature_weight(const vm *v) {
	int64_t threshold = vm_flag_number(v, "Tier4InvocationThreshold"),
			percent = vm_flag_number(v, "ProfileMaturityPercentage");
	if (threshold <= 0 || threshold > WEIGHT_HIGHEST || percent < 0 || percent > 100) return 0;
	return (uint32_t)(threshold * percent / 100 + threshold / 20 + 1);
}

const char *compile_requests_open(const vm *v, const layers *l, const options *o) {
	if (o->policy == POLICY_NONE || o->dry) return NULL;
	if (!vm_flag_is_set(v, "TieredCompilation") || vm_flag_number(v, "TieredStopAtLevel") != C2 ||
		vm_flag_is_set(v, "UseJVMCICompiler"))
		return "the VM's compilers are not C1 and C2";
	all.vm = v;
	all.weight = mature_weight(v);
	all.limit = o->warmup;
	all.budget = o->budget;
	if (all.weight == 0) return "the VM's flags of compilation are not those that the agent knows";
	bool ok = compiled_open(&all.list, l, o->policy == POLICY_ORDER ? COMPILED_AS_TRAINED : COMPILED_HOTTEST);
	all.requests = ok ? calloc(all.list.n + 1, sizeof *all.requests) : NULL;
	if (all.requests == NULL) return "the process is out of memory";
	if (all.list.n == 0) return "the archive does not say what training compiled with C2";
	COUNT_N(requests_listed, all.list.n);
	all.begins = true;
	return NULL;
}

static request *request_of(layer_method method) {
	uint32_t i = all.begins ? compiled_place(&all.list, method) : 0;
	return all.begins && i < all.list.n ? &all.requests[i] : NULL;
}

uint32_t compile_requests_mature_weight(layer_method method) { return request_of(method) == NULL ? 0 : all.weight; }

void compile_requests_note_prepared(const class_name *class) {
	if (all.begins && class->builtin) prepared_names_add(class->name);
}

void compile_requests_note_adopted(
	const layer *from, const prepared *holder, const pa_method *m, const vm_method *is, const pa_profile *p) {
	request *r = request_of(layer_method_of(from, m->at));
	uint32_t absent = ABSENT, taken = SETTLED;
	if (r == NULL || !holder->permanent ||
		!__atomic_compare_exchange_n(&r->state, &absent, taken, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	r->from = from;
	r->holder = holder->klass;
	r->method = is;
	r->record = m->at;
	r->profile = p->at;
	__atomic_store_n(&r->state, ADOPTED, __ATOMIC_RELEASE);
}

/* ---- what a method depends on ---- */

enum { TYPE_HIDDEN = 1, TYPE_NOT_MATCHABLE = 2, TYPE_INITIALIZED = 8, MOST_NEEDS = 4096 };

typedef struct needs { uint32_t types[MOST_NEEDS], n; bool sound; } needs;

/* need adds a type once. */
static void need(needs *to, uint32_t type) {
	for (uint32_t i = 0; i < to->n; i++)
		if (to->types[i] == type) return;
	if (to->n == MOST_NEEDS) to->sound = false;
	else to->types[to->n++] = type;
}

/* need_receiver adds the type of a row, except for arrays and for classes whose name differs in each run. */
static void need_receiver(needs *to, const layer *from, uint32_t type) {
	pa_type t;
	if (pa_type_get(from->archive, type, &t).code != PA_OK || t.name.size == 0) to->sound = false;
	else if ((t.flags & (TYPE_HIDDEN | TYPE_NOT_MATCHABLE)) == 0 && t.name.bytes[0] != '[' &&
		(t.flags & TYPE_INITIALIZED) != 0)
		need(to, from->first_type + type);
}

static void need_receivers(needs *to, const layer *from, const pa_entry *e) {
	pa_rows rows;
	if (!pa_receivers_of(e, &rows)) return;
	for (uint32_t i = 0; i < rows.count; i++) {
		uint32_t type = pa_cell_type(e, rows.first + i * rows.width, NULL);
		if (type != PA_NO_TYPE) need_receiver(to, from, type);
	}
}

/* need_inlined adds the classes of the methods that C2 inlined into a method in training. */
static void need_inlined(needs *to, layer_method method) {
	const compiled *c = &all.list;
	for (uint32_t i = compiled_inlined_first(c, method); i < c->n_inlined && c->inlined[i].into == method; i++)
		need(to, c->inlined[i].holder);
}

/* A request makes the VM load the classes in the method's signature, so they must be loaded already. */
static bool is_signature_there(const pa_method *m) {
	pa_text s = m->key.signature;
	for (size_t i = 0; s.bytes != NULL && i < s.size; i++) {
		if (s.bytes[i] != 'L') continue;
		const char *name = s.bytes + i + 1, *end = memchr(name, ';', s.size - i - 1);
		if (end == NULL || !prepared_names_has((pa_text){name, (size_t)(end - name)})) return false;
		i = (size_t)(end - s.bytes);
	}
	return s.bytes != NULL;
}

/* find_needs finds the dependencies of a method. It returns false if they are unknown. */
static bool find_needs(request *r) {
	static needs found; /* used by the thread of requests only */
	pa_profile p;
	pa_entry e;
	if (pa_profile_at(r->from->archive, r->profile, &p).code != PA_OK) return false;
	found.n = 0;
	found.sound = true;
	for (pa_entries it = pa_entries_of(&p, PA_DATA); pa_entries_next(&it, &e);) need_receivers(&found, r->from, &e);
	need_inlined(&found, layer_method_of(r->from, r->record));
	r->needs = malloc((found.n + 1) * sizeof *r->needs);
	if (r->needs == NULL || !found.sound) {
		free(r->needs);
		r->needs = NULL;
		return false;
	}
	memcpy(r->needs, found.types, found.n * sizeof *r->needs);
	r->n = found.n;
	return true;
}

static bool is_initialized(const request *r) {
	if (!vm_is_initialized(all.vm, r->holder)) return false;
	for (uint32_t i = 0; i < r->n; i++)
		if (!receivers_initialized(r->needs[i])) return false;
	return true;
}

/* ---- asking ---- */

static void set(request *r, state s) { __atomic_store_n(&r->state, s, __ATOMIC_RELAXED); }

/* is_ready reports whether a method can be requested now. It settles a method that can never be requested. */
static bool is_ready(jni_env *jni, request *r) {
	if (!vm_has_code(all.vm, r->method) || !is_initialized(r)) return false;
	int32_t level = whitebox_level(jni, r->method);
	if (level == C2 || whitebox_is_queued(jni, r->method)) {
		set(r, SETTLED);
		COUNT(requests_needless);
	}
	return level == C1_COUNTING || level == C1_PROFILING ? __atomic_load_n(&r->state, __ATOMIC_RELAXED) != SETTLED
														 : false;
}

/* ask requests compilation of a method. */
static void ask(jni_env *jni, request *r) {
	pa_method m;
	bool sure = pa_method_at(r->from->archive, r->record, &m).code == PA_OK && is_signature_there(&m) &&
		whitebox_can_compile(jni, r->method, C2);
	set(r, sure ? ASKED : SETTLED);
	if (!sure) {
		COUNT(requests_unsure);
		return;
	}
	COUNT(requests_made);
	all.asked++;
	if (!whitebox_compile(jni, r->method, C2)) {
		set(r, SETTLED);
		COUNT(requests_refused);
		all.asked--;
	}
}

/* settle checks the result of a request. */
static void settle(jni_env *jni, request *r) {
	if (whitebox_is_queued(jni, r->method)) return;
	if (whitebox_level(jni, r->method) == C2) COUNT(requests_compiled);
	else COUNT(requests_dropped);
	set(r, SETTLED);
	all.asked--;
}

/* spend charges the processor time of C2 since the last look to the budget, if C2 had requests. */
static void spend(void) {
	uint64_t time = threads_time(&all.c2);
	if (all.asked > 0 && time > all.seen) all.spent += time - all.seen;
	all.seen = time;
}

/* may_ask reports whether the queue and the budget permit a request. */
static bool may_ask(jni_env *jni) {
	if ((double)all.spent >= (double)(now() - all.begun) * all.processors * all.budget / 100) {
		COUNT(requests_over_budget);
		return false;
	}
	if (whitebox_queue(jni, C2) >= all.longest) {
		COUNT(requests_behind_queue);
		return false;
	}
	return true;
}

/* is_next reports whether a method should be requested as soon as possible. */
static bool is_next(jni_env *jni, request *r) {
	uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
	if (state == ADOPTED) {
		if (!find_needs(r)) {
			set(r, SETTLED);
			COUNT(requests_unsure);
		} else set(r, state = KNOWN);
	}
	return state == KNOWN && is_ready(jni, r);
}

/* next_of returns the first method in the list to request. A class on which several methods depend can be initialized
 * during the search, so it checks the methods before the result again. */
static request *next_of(jni_env *jni) {
	request *found = NULL;
	for (uint32_t i = 0, end = all.list.n; i < end; i++) {
		request *r = &all.requests[all.list.order[i]];
		if (is_next(jni, r)) {
			found = r;
			end = i;
			i = UINT32_MAX;
		}
	}
	return found;
}

/* ---- the thread ---- */

enum { PERIOD = 10, PERIODS_A_LOOK = 50 }; /* in ms; compiler threads start and stop */

static void look(jni_env *jni, uint32_t period) {
	if (period % PERIODS_A_LOOK == 0) {
		all.c2 = threads_named("C2 Compiler");
		all.seen = threads_time(&all.c2);
	}
	spend();
	for (uint32_t i = 0; all.asked > 0 && i < all.list.n; i++)
		if (__atomic_load_n(&all.requests[i].state, __ATOMIC_RELAXED) == ASKED) settle(jni, &all.requests[i]);
	for (request *r; (r = next_of(jni)) != NULL && may_ask(jni);) ask(jni, r);
}

static void run(jvmti_env *ti, jni_env *jni, void *unused) {
	const struct timespec period = {.tv_nsec = PERIOD * 1000000L};
	(void)ti;
	(void)unused;
	for (uint32_t i = 0; i < all.limit / PERIOD && !vm_may_redefine(all.vm); i++) {
		if (__atomic_load_n(&all.ending, __ATOMIC_RELAXED)) return;
		look(jni, i);
		nanosleep(&period, NULL);
	}
}

const char *compile_requests_begin(jvmti_env *ti, jni_env *jni, jvm_ref thread) {
	if (!all.begins || all.budget == 0) return NULL;
	if (!whitebox_compiles()) return "the VM has no natives that ask for compilations";
	all.processors = processors_available();
	all.begun = now();
	all.longest = all.processors < 1 ? 1 : (int32_t)all.processors;
	return ti_start(ti, jni, thread, run) ? NULL : "there is no thread to ask for compilations";
}

/* compile_requests_end does not wait for the thread. The thread may be waiting for a class that the thread which ends
 * the VM loads. */
void compile_requests_end(void) {
	__atomic_store_n(&all.ending, true, __ATOMIC_RELAXED);
	for (uint32_t i = 0; all.begins && i < all.list.n; i++) {
		const request *r = &all.requests[i];
		uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
		if (state == ABSENT) COUNT(requests_absent);
		else if (state == ADOPTED || state == KNOWN) COUNT_N(requests_waiting, 1);
	}
}
