//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "receivers.h"

#include <pthread.h>
#include <stdlib.h>

#include "adopted.h"
#include "counters.h"
#include "lists.h"
#include "redefinition.h"

/* A class, with a weak reference if it may be unloaded. klass is NULL if memory ran out. */
typedef struct held { const vm_klass *klass; jvm_ref weak; } held;

/* The state of a type in the archive. */
typedef struct type_state {
	held class;       /* empty before the class is prepared */
	uint32_t waiting; /* first waiting cell + 1 */
	bool several;     /* several loaders have a class with the name, so nothing is bound any more */
} type_state;

typedef struct waiting { type_cell cell; uint32_t holder, next; } waiting;

/* A class with waiting cells. The slot is free if it has none. */
typedef struct holder { held class; uint32_t cells, next; } holder;

static struct {
	const vm *vm;
	pthread_mutex_t lock;
	type_state *types;
	waiting *cells;
	uint32_t n, room, free; /* free is the first free cell + 1 */
	holder *holders;
	/* free_holder is the first free slot + 1; last is the slot that was added last */
	uint32_t n_holders, holder_room, free_holder, last;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool receivers_open(const vm *v, uint32_t types) {
	all.vm = v;
	all.types = calloc(types + 1, sizeof *all.types);
	return all.types != NULL;
}

/* ---- classes that may be unloaded ---- */

static held hold(jni_env *jni, const prepared *p) {
	if (p->permanent) return (held){p->klass, NULL};
	jvm_ref weak = jni_new_weak_ref(jni, p->object);
	if (jni_exception_check(jni)) jni_exception_clear(jni);
	return weak == NULL ? (held){0} : (held){p->klass, weak};
}

/* drop releases a class. */
static void drop(jni_env *jni, held *h) {
	if (h->weak != NULL) jni_delete_weak_ref(jni, h->weak);
	*h = (held){0};
}

/* pin keeps a class loaded until unpin. It returns false if the class was unloaded. */
static bool pin(jni_env *jni, const held *h, jvm_ref *local) {
	*local = NULL;
	if (h->weak == NULL) return true;
	*local = jni_new_local_ref(jni, h->weak);
	return *local != NULL;
}

static void unpin(jni_env *jni, jvm_ref local) {
	if (local != NULL) jni_delete_local_ref(jni, local);
}

static bool is_loaded(jni_env *jni, const held *h) {
	jvm_ref local;
	bool loaded = pin(jni, h, &local);
	unpin(jni, local);
	return loaded;
}

/* ---- binding ---- */

enum { TYPE_TAGS = 3 }; /* bits of a type word for a null and for several types */

/* take_back subtracts the training count from a row, unless the VM has set the count since. */
static void take_back(const type_cell *c) {
	uint64_t n = __atomic_load_n(c->count, __ATOMIC_RELAXED);
	while (n >= c->trained &&
		!__atomic_compare_exchange_n(c->count, &n, n - c->trained, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

/* claim_row assigns an empty receiver row to a class. The VM can claim the row at the same moment. If it sees an empty
 * row it stores a class, then the count 1. So claim_row adds its count only after it has stored its class, and takes
 * the count back if the VM has overwritten the class. */
static bool claim_row(const type_cell *c, uint64_t klass) {
	uint64_t empty = 0;
	if (!__atomic_compare_exchange_n(c->cell, &empty, klass, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return false;
	__atomic_fetch_add(c->count, c->trained, __ATOMIC_ACQ_REL);
	bool ours = __atomic_load_n(c->cell, __ATOMIC_ACQUIRE) == klass;
	if (!ours) take_back(c);
	return ours;
}

/* row_of returns the row of a class among the rows that a type can take, or else the first empty row. */
static type_cell row_of(const type_cell *c, uint64_t klass) {
	type_cell row = *c;
	for (uint32_t i = c->rows; i-- > 0;) {
		uint64_t is = __atomic_load_n(c->cell + 2 * i, __ATOMIC_RELAXED);
		if (is != klass && is != 0) continue;
		row.cell = c->cell + 2 * i;
		row.count = c->count + 2 * i;
		if (is == klass) break;
	}
	return row;
}

/* add_to_row adds to a row in which the VM counts the class. */
static bool add_to_row(const type_cell *c, uint64_t klass) {
	if (!adopted_add(ADOPTED_ROW, c->cell, klass, (uint32_t)c->trained)) return false;
	__atomic_fetch_add(c->count, c->trained, __ATOMIC_RELAXED);
	return true;
}

/* write_row lists a row and claims it. The VM may have claimed it already, even for the same class. */
static bool write_row(const type_cell *entry, uint64_t klass) {
	type_cell row = row_of(entry, klass), *c = &row;
	if (c->rows > 0 && __atomic_load_n(c->cell, __ATOMIC_RELAXED) == klass) return add_to_row(c, klass);
	if (__atomic_load_n(c->cell, __ATOMIC_RELAXED) != 0 ||
		!adopted_add(ADOPTED_ROW, c->cell, klass, (uint32_t)c->trained))
		return false;
	bool written = claim_row(c, klass);
	if (!written) adopted_add(ADOPTED_STRUCK, c->cell, 0, 0);
	return written;
}

/* write_word sets the class of a type word without a class. */
static bool write_word(const type_cell *c, uint64_t klass) {
	uint64_t was = __atomic_load_n(c->cell, __ATOMIC_RELAXED);
	if ((was & ~(uint64_t)1) != 0) return false; /* a class, or the bit for several types */
	if (!adopted_add(ADOPTED_WORD, c->cell, was | klass, 0)) return false;
	bool written = __atomic_compare_exchange_n(c->cell, &was, was | klass, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	if (!written) adopted_add(ADOPTED_STRUCK, c->cell, 0, 0);
	return written;
}

/* write_class binds a cell to a class and counts the result. *bound is the counter for success. */
static void write_class(const type_cell *c, const vm_klass *klass, uint64_t *bound) {
	uint64_t word = (uint64_t)(uintptr_t)klass;
	if ((word & TYPE_TAGS) != 0 || !calls_class(all.vm, &c->callee, klass)) COUNT(receivers_refused);
	else if (c->count != NULL ? write_row(c, word) : write_word(c, word))
		__atomic_fetch_add(bound, 1, __ATOMIC_RELAXED);
	else COUNT(receivers_taken);
}

/* ---- waiting ---- */

enum { MOST_WAITING = 1 << 20 }; /* number of cells; a program can keep loading classes whose receivers never come */

/* holder_of finds the number of a holder. All methods of a class adopt in a row, so it checks the last holder first. */
static bool holder_of(jni_env *jni, const prepared *p, uint32_t *number) {
	const held *last = all.n_holders == 0 ? NULL : &all.holders[all.last].class;
	if (last != NULL && last->klass == p->klass && is_loaded(jni, last)) {
		*number = all.last;
		return true;
	}
	held class = hold(jni, p);
	uint32_t i = all.free_holder;
	if (class.klass == NULL) return false;
	if (i != 0) all.free_holder = all.holders[i - 1].next;
	else if (!list_grow((void **)&all.holders, all.n_holders + 1, &all.holder_room, sizeof *all.holders)) {
		drop(jni, &class);
		return false;
	} else i = ++all.n_holders;
	all.holders[i - 1] = (holder){.class = class};
	*number = all.last = i - 1;
	return true;
}

/* leave removes a waiting cell of a holder. */
static void leave(jni_env *jni, uint32_t number) {
	holder *h = &all.holders[number];
	if (--h->cells > 0) return;
	drop(jni, &h->class);
	h->next = all.free_holder;
	all.free_holder = number + 1;
}

static bool add_waiting(jni_env *jni, const prepared *holder, uint32_t type, type_cell cell) {
	uint32_t number, i = all.free;
	if (i == 0 && (all.n >= MOST_WAITING || !list_grow((void **)&all.cells, all.n + 1, &all.room, sizeof *all.cells)))
		return false;
	if (!holder_of(jni, holder, &number)) return false;
	if (i != 0) all.free = all.cells[i - 1].next;
	else i = ++all.n;
	all.holders[number].cells++;
	all.cells[i - 1] = (waiting){cell, number, all.types[type].waiting};
	all.types[type].waiting = i;
	return true;
}

/* bind_pinned binds a waiting cell of a pinned class. */
static void bind_pinned(const waiting *w, const vm_klass *klass) {
	const vm_klass *holder = all.holders[w->holder].class.klass;
	if (redefinition_forgot(holder) || (*all.vm->can_redefine && vm_method_with(all.vm, holder, w->cell.data) == NULL))
		COUNT(receivers_gone);
	else write_class(&w->cell, klass, &agent_counters.receivers_late);
}

static void bind_waiting(jni_env *jni, const waiting *w, const vm_klass *klass) {
	jvm_ref local;
	if (!pin(jni, &all.holders[w->holder].class, &local)) COUNT(receivers_gone);
	else {
		bind_pinned(w, klass);
		unpin(jni, local);
	}
}

static void bind_all_waiting(jni_env *jni, type_state *t, const vm_klass *klass) {
	bool refused = t->waiting != 0 && redefinition_is_unseen(all.vm);
	for (uint32_t i = t->waiting, next; i != 0; i = next) {
		waiting *w = &all.cells[i - 1];
		next = w->next;
		if (refused) COUNT(receivers_refused);
		else bind_waiting(jni, w, klass);
		leave(jni, w->holder);
		w->next = all.free;
		all.free = i;
	}
	t->waiting = 0;
}

void receivers_prepared(jni_env *jni, uint32_t type, const prepared *class) {
	pthread_mutex_lock(&all.lock);
	type_state *t = &all.types[type];
	if (t->class.klass == NULL || !is_loaded(jni, &t->class)) {
		drop(jni, &t->class);
		t->class = hold(jni, class);
		bind_all_waiting(jni, t, class->klass);
	} else if (t->class.klass != class->klass) {
		t->several = true;
	}
	pthread_mutex_unlock(&all.lock);
}

void receivers_bind(jni_env *jni, const prepared *holder, uint32_t type, type_cell cell) {
	jvm_ref local = NULL;
	pthread_mutex_lock(&all.lock);
	type_state *t = &all.types[type];
	bool known = t->class.klass != NULL && !t->several && pin(jni, &t->class, &local);
	if (t->several) COUNT(receivers_refused);
	else if (known) write_class(&cell, t->class.klass, &agent_counters.receivers_bound);
	else if (t->class.klass != NULL || redefinition_is_unseen(all.vm) || !add_waiting(jni, holder, type, cell))
		COUNT(receivers_refused);
	else COUNT(receivers_waiting);
	unpin(jni, local);
	pthread_mutex_unlock(&all.lock);
}

bool receivers_initialized(uint32_t type) {
	pthread_mutex_lock(&all.lock);
	const type_state *t = &all.types[type];
	bool is =
		t->class.klass != NULL && t->class.weak == NULL && !t->several && vm_is_initialized(all.vm, t->class.klass);
	pthread_mutex_unlock(&all.lock);
	return is;
}
