//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "relieve.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "adopted.h"
#include "calls.h"
#include "counters.h"
#include "lists.h"
#include "redefinition.h"

/* ENOUGH exceeds the other receivers in a start phase of a program, and equals the default weight of a trained row. */
enum { ENOUGH = 100, MOST_CALLS = 1 << 20, SLICE = 512 };

typedef struct call {
	const vm_klass *holder;
	const vm_data *data;
	uint64_t *others, *types;
	uint32_t rows, counts; /* number of rows, and index of its first count */
} call;

static struct {
	pthread_mutex_t lock;
	call *calls;
	uint32_t n, room;
	uint32_t *counts;
	uint32_t n_counts, counts_room;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the list ---- */

static bool has_types(const relieve_call *c) {
	for (uint32_t i = 0; i < c->rows; i++)
		if (c->counts[1 + i] > 0) return true;
	return false;
}

void relieve_add(const relieve_call *c) {
	if (!c->holder->permanent || !has_types(c)) return;
	pthread_mutex_lock(&all.lock);
	if (all.n < MOST_CALLS && list_grow((void **)&all.calls, all.n + 1, &all.room, sizeof *all.calls) &&
	    list_grow((void **)&all.counts, all.n_counts + c->rows + 1, &all.counts_room, sizeof *all.counts)) {
		all.calls[all.n++] = (call){c->holder->klass, c->data, c->others, c->types, c->rows, all.n_counts};
		memcpy(all.counts + all.n_counts, c->counts, (c->rows + 1) * sizeof *c->counts);
		all.n_counts += c->rows + 1;
	}
	pthread_mutex_unlock(&all.lock);
}

/* ---- a call ---- */

static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

static bool is_overflowing(const call *c, const uint32_t *counts) {
	return load(c->others) >= (uint64_t)counts[0] + ENOUGH;
}

/* is_unseen reports whether a row has a type of training that has not occurred in this run. */
static bool is_unseen(const uint64_t *row, uint32_t count) {
	return count > 0 && load(row) != 0 && load(row + 1) == count;
}

/* empty_row empties a row as the VM does. */
static void empty_row(uint64_t *row) {
	__atomic_store_n(row + 1, 0, __ATOMIC_RELAXED);
	__atomic_store_n(row, 0, __ATOMIC_RELEASE);
	adopted_add(ADOPTED_STRUCK, row, 0, 0);
}

/* relieve empties the rows of types that have not occurred. It returns whether there were any. */
static bool relieve(const call *c, const uint32_t *counts) {
	uint32_t emptied = 0;
	for (uint32_t i = 0; i < c->rows; i++)
		if (is_unseen(c->types + 2 * i, counts[1 + i])) {
			empty_row(c->types + 2 * i);
			emptied++;
		}
	if (emptied > 0) {
		__atomic_store_n(c->others, 0, __ATOMIC_RELAXED);
		adopted_add(ADOPTED_STRUCK, c->others, 0, 0);
		COUNT(calls_relieved);
	}
	COUNT_N(receivers_withdrawn, emptied);
	return emptied > 0;
}

/* is_bound reports whether a call has the same callee for every receiver. In some releases the interpreter counts all
 * receivers of such a call as others, and C1 fills the rows. A trained type that does not occur then means nothing, and
 * C2 inlines the callee without the profile. */
static bool is_bound(const vm *v, const vm_method *m, const call *c) {
	uint16_t bci = (uint16_t)(load(c->others - 1) >> 16); /* in the entry's first word */
	return calls_is_bound(v, m, bci);
}

/* look_at checks a call. It returns whether the call needs no more checks. */
static bool look_at(const vm *v, const call *c) {
	const uint32_t *counts = all.counts + c->counts;
	if (redefinition_forgot(c->holder)) return true;
	if (!is_overflowing(c, counts) || redefinition_is_unseen(v)) return false;
	const vm_method *m = vm_method_with(v, c->holder, c->data);
	return m != NULL && (is_bound(v, m, c) || relieve(c, counts));
}

/* look_at_slice checks the calls from index from on. It returns how many calls remain before from. A relieved call
 * belongs to the VM from then on. */
static uint32_t look_at_slice(const vm *v, uint32_t from) {
	redefinition_hold();
	pthread_mutex_lock(&all.lock);
	uint32_t first = from > SLICE ? from - SLICE : 0;
	for (uint32_t i = from; i-- > first;)
		if (look_at(v, &all.calls[i])) all.calls[i] = all.calls[--all.n];
	pthread_mutex_unlock(&all.lock);
	redefinition_release();
	return first;
}

void relieve_look(const vm *v) {
	pthread_mutex_lock(&all.lock);
	uint32_t n = all.n;
	pthread_mutex_unlock(&all.lock);
	while (n > 0 && !redefinition_is_unseen(v)) n = look_at_slice(v, n);
}
