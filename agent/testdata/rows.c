/* Binds a receiver row while HotSpot claims it for another class, in every order of their loads and stores. Prints a
 * line for each order after which the row is not what it must be. */
#include <stdio.h>
#include <stdint.h>

static void before_step(void);

/* The agent's atomic operations. */
#define __atomic_load_n(...) (before_step(), __atomic_load_n(__VA_ARGS__))
#define __atomic_store_n(...) (before_step(), __atomic_store_n(__VA_ARGS__))
#define __atomic_fetch_add(...) (before_step(), __atomic_fetch_add(__VA_ARGS__))
#define __atomic_compare_exchange_n(...) (before_step(), __atomic_compare_exchange_n(__VA_ARGS__))

#include "receivers.c"

enum { TRAINED = 1000, OURS = 8, VMS = 16, STEPS = 3, MOST = 12 };

counters agent_counters;
bool adopted_add(adopted_kind kind, const void *cell, uint64_t what, uint32_t value) {
	(void)kind;
	(void)cell;
	(void)what;
	(void)value;
	return true;
}
bool calls_class(const vm *v, const callee *c, const vm_klass *k) { return (void)v, (void)c, (void)k, true; }
bool redefinition_is_unseen(const vm *v) { return (void)v, false; }
bool redefinition_forgot(const vm_klass *k) { return (void)k, false; }
const vm_method *vm_method_with(const vm *v, const vm_klass *k, const vm_data *d) {
	return (void)v, (void)k, (const vm_method *)d;
}

static struct { uint64_t type, count; } row;
static bool found_empty;
static int at[STEPS], next, steps; /* before which step of the agent each of the VM comes; what is next of either */

/* claim is what the VM's code for a call does: it looks, stores the class, stores the count. */
static void claim(int step) {
	if (step == 0) found_empty = row.type == 0;
	else if (found_empty && step == 1) row.type = VMS;
	else if (found_empty) row.count = 1;
}

static void before_step(void) {
	for (; next < STEPS && at[next] <= steps; next++) claim(next);
	steps++;
}

static bool is_right(bool bound) {
	if (row.type == VMS) return row.count == 1;
	return bound && row.type == OURS && row.count == TRAINED;
}

static void try_order(void) {
	row.type = row.count = 0;
	next = steps = 0;
	bool bound = write_row(&(type_cell){.cell = &row.type, .count = &row.count, .trained = TRAINED}, OURS);
	while (next < STEPS) claim(next++);
	if (!is_right(bound)) printf("%d %d %d: class %d, count %d\n", at[0], at[1], at[2], (int)row.type, (int)row.count);
}

int main(void) {
	for (at[0] = 0; at[0] < MOST; at[0]++)
		for (at[1] = at[0]; at[1] < MOST; at[1]++)
			for (at[2] = at[1]; at[2] < MOST; at[2]++) try_order();
	return 0;
}
