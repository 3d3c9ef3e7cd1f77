/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that record the entries, one function per tag. */
#include "build.h"

/* is_list reports whether a list of types is given. */
static bool is_list(const pa_call_types *t) { return t != NULL && (t->arguments != NULL || t->n == 0); }

static void put_cell(uint8_t *cells, uint64_t i, uint64_t v) { put64(cells + 8 * i, v); }

/* ---- wide entries ---- */

void pa_record_counters(pa_builder *b, int32_t point, const uint64_t *counts, uint32_t n) {
	if (!pai_take(b, counts != NULL || n == 0)) return;
	uint8_t *c = pai_put_wide(b, PA_COUNTERS, 0, 0, point, n, n);
	for (uint32_t i = 0; c != NULL && i < n; i++) put_cell(c, i, counts[i]);
}

void pa_record_undecoded(pa_builder *b, int32_t point, uint8_t flags, const uint64_t *words, uint32_t n) {
	if (!pai_take(b, words != NULL || n == 0)) return;
	uint8_t *c = pai_put_wide(b, PA_UNDECODED, flags, 0, point, n, n);
	for (uint32_t i = 0; c != NULL && i < n; i++) put_cell(c, i, words[i]);
}

void pa_record_value_site(pa_builder *b, int32_t site, uint16_t kind, const pa_value_count *values, uint32_t n) {
	if (!pai_take(b, values != NULL || n == 0)) return;
	uint8_t *c = pai_put_wide(b, PA_VALUE_SITE, 0, kind, site, 2 * (uint64_t)n, n);
	for (uint64_t i = 0; c != NULL && i < n; i++) {
		put_cell(c, 2 * i, values[i].value);
		put_cell(c, 2 * i + 1, values[i].count);
	}
}

void pa_record_bitmap(pa_builder *b, int32_t point, const uint8_t *bytes, uint32_t n) {
	if (!pai_take(b, bytes != NULL || n == 0)) return;
	uint8_t *c = pai_put_wide(b, PA_BITMAP, 0, 0, point, round_up(n, 8) / 8, n);
	if (c != NULL && n > 0) memcpy(c, bytes, n);
}

void pa_record_successors(pa_builder *b, int32_t point, uint16_t sub, const pa_successor *rows, uint32_t n) {
	if (!pai_take(b, rows != NULL || n == 0)) return;
	uint8_t *c = pai_put_wide(b, PA_SUCCESSORS, 0, sub, point, 2 * (uint64_t)n, n);
	for (uint64_t i = 0; c != NULL && i < n; i++) {
		put_cell(c, 2 * i, (uint32_t)rows[i].point | (uint64_t)rows[i].index << 32);
		put_cell(c, 2 * i + 1, rows[i].count);
	}
}

/* put_rows fills rows of a type and a count, starting at a cell. */
static void put_rows(pa_builder *b, uint8_t *c, uint64_t first, const pa_type_count *rows, uint32_t n) {
	for (uint64_t i = 0; i < n; i++) {
		put_cell(c, first + 2 * i, pai_type_cell(b, rows[i].type));
		put_cell(c, first + 2 * i + 1, rows[i].count);
	}
}

void pa_record_receivers(pa_builder *b, const pa_new_receivers *r, const pa_type_count *rows, uint32_t n) {
	if (!pai_take(b, r != NULL && (rows != NULL || n == 0))) return;
	uint8_t *c = pai_put_wide(b, PA_RECEIVERS, r->flags, r->sub, r->point, 2 + 2 * (uint64_t)n, n);
	if (c == NULL) return;
	put_cell(c, 0, r->other);
	put_cell(c, 1, r->traps);
	put_rows(b, c, 2, rows, n);
}

void pa_record_callees(pa_builder *b, int32_t point, const pa_method_count *rows, uint32_t n) {
	if (!pai_take(b, rows != NULL || n == 0)) return;
	uint8_t *c = pai_put_wide(b, PA_CALLEES, 0, 0, point, 2 * (uint64_t)n, n);
	for (uint64_t i = 0; c != NULL && i < n; i++) {
		put_cell(c, 2 * i, pai_method_cell(b, rows[i].method));
		put_cell(c, 2 * i + 1, rows[i].count);
	}
}

void pa_record_count(pa_builder *b, int32_t point, uint16_t sub, uint8_t flags, uint64_t count) {
	uint8_t *c = pai_put_wide(b, PA_COUNT, flags, sub, point, 1, 0);
	if (c != NULL) put_cell(c, 0, count);
}

/* ---- HotSpot's entries ---- */

void pa_record_bit(pa_builder *b, pa_at at) { pai_put_narrow(b, PA_BIT, at, 0); }

void pa_record_counter(pa_builder *b, pa_at at, uint64_t count) {
	uint8_t *c = pai_put_narrow(b, PA_COUNTER, at, 1);
	if (c != NULL) put_cell(c, 0, count);
}

void pa_record_jump(pa_builder *b, pa_at at, uint64_t taken, int64_t displacement) {
	uint8_t *c = pai_put_narrow(b, PA_JUMP, at, 2);
	if (c != NULL) {
		put_cell(c, 0, taken);
		put_cell(c, 1, (uint64_t)displacement);
	}
}

void pa_record_branch(pa_builder *b, pa_at at, pa_branch branch) {
	uint8_t *c = pai_put_narrow(b, PA_BRANCH, at, 3);
	if (c != NULL) {
		put_cell(c, 0, branch.taken);
		put_cell(c, 1, (uint64_t)branch.displacement);
		put_cell(c, 2, branch.not_taken);
	}
}

/* receiver_cells returns the number of cells of a receiver entry without a list of types. */
static uint64_t receiver_cells(const pa_builder *b) { return 1 + b->shape.gap + 2 * b->shape.type_rows; }

static void put_receivers(pa_builder *b, uint8_t *c, pa_others others, const pa_type_count *rows, uint32_t n) {
	if (n > b->shape.type_rows) pai_refuse(b, PA_ARGUMENT, "more receiver rows than the settings have");
	if (others.gap != 0 && b->shape.gap == 0)
		pai_refuse(b, PA_ARGUMENT, "a nonprofiled count, for which the settings have no cell");
	if (c == NULL || !sound(b)) return;
	put_cell(c, 0, others.count);
	if (b->shape.gap > 0) put_cell(c, 1, others.gap);
	put_rows(b, c, 1 + b->shape.gap, rows, n);
}

void pa_record_receiver_type(pa_builder *b, pa_at at, pa_others others, const pa_type_count *rows, uint32_t n) {
	if (!pai_take(b, rows != NULL || n == 0)) return;
	put_receivers(b, pai_put_narrow(b, PA_RECEIVER_TYPE, at, receiver_cells(b)), others, rows, n);
}

void pa_record_virtual_call(pa_builder *b, pa_at at, pa_others others, const pa_type_count *rows, uint32_t n) {
	if (!pai_take(b, rows != NULL || n == 0)) return;
	put_receivers(b, pai_put_narrow(b, PA_VIRTUAL_CALL, at, receiver_cells(b)), others, rows, n);
}

void pa_record_ret(pa_builder *b, pa_at at, uint64_t count, const pa_ret_row *rows, uint32_t n) {
	if (!pai_take(b, rows != NULL || n == 0)) return;
	uint8_t *c = pai_put_narrow(b, PA_RET, at, 1 + 3 * b->shape.bci_rows);
	if (n > b->shape.bci_rows) pai_refuse(b, PA_ARGUMENT, "more rows of a ret than the settings have");
	if (c == NULL || !sound(b)) return;
	put_cell(c, 0, count);
	for (uint64_t i = 0; i < n; i++) {
		put_cell(c, 1 + 3 * i, rows[i].bci);
		put_cell(c, 2 + 3 * i, rows[i].count);
		put_cell(c, 3 + 3 * i, (uint64_t)rows[i].displacement);
	}
}

static void put_case(uint8_t *c, uint64_t i, pa_case one) {
	put_cell(c, i, one.count);
	put_cell(c, i + 1, (uint64_t)one.displacement);
}

void pa_record_multi_branch(pa_builder *b, pa_at at, pa_case otherwise, const pa_case *cases, uint32_t n) {
	if (!pai_take(b, cases != NULL || n == 0)) return;
	uint64_t cells = 2 + 2 * (uint64_t)n;
	uint8_t *c = pai_put_narrow(b, PA_MULTI_BRANCH, at, 1 + cells);
	if (c == NULL) return;
	put_cell(c, 0, cells);
	put_case(c, 1, otherwise);
	for (uint64_t i = 0; i < n; i++) put_case(c, 3 + 2 * i, cases[i]);
}

void pa_record_arg_info(pa_builder *b, const uint64_t *modified, uint32_t n) {
	if (!pai_take(b, modified != NULL || n == 0)) return;
	uint8_t *c = pai_put_narrow(b, PA_ARG_INFO, (pa_at){.in = PA_EXTRA}, 1 + (uint64_t)n);
	if (c == NULL) return;
	put_cell(c, 0, n);
	for (uint64_t i = 0; i < n; i++) put_cell(c, 1 + i, modified[i]);
}

static uint64_t word(pa_builder *b, pa_type_word w) {
	return pai_type_cell(b, w.type) | (w.null_seen ? 1 : 0) | (w.several ? 2 : 0);
}

static uint64_t list_cells(const pa_call_types *t) { return 2 * (uint64_t)t->n + (t->returned != NULL); }

/* put_list writes the length of a list of types at a cell, and then the list. */
static void put_list(pa_builder *b, uint8_t *c, uint64_t at, const pa_call_types *t) {
	put_cell(c, at, list_cells(t));
	for (uint64_t i = 0; i < t->n; i++) {
		put_cell(c, at + 1 + 2 * i, t->arguments[i].stack);
		put_cell(c, at + 2 + 2 * i, word(b, t->arguments[i].type));
	}
	if (t->returned != NULL) put_cell(c, at + 1 + 2 * (uint64_t)t->n, word(b, *t->returned));
}

void pa_record_call_type(pa_builder *b, pa_at at, uint64_t count, const pa_call_types *types) {
	if (!pai_take(b, is_list(types))) return;
	uint8_t *c = pai_put_narrow(b, PA_CALL_TYPE, at, 2 + list_cells(types));
	if (c == NULL) return;
	put_cell(c, 0, count);
	put_list(b, c, 1, types);
}

void pa_record_virtual_call_type(
	pa_builder *b, pa_at at, pa_others others, const pa_type_count *rows, uint32_t n, const pa_call_types *types) {
	if (!pai_take(b, (rows != NULL || n == 0) && is_list(types))) return;
	uint8_t *c = pai_put_narrow(b, PA_VIRTUAL_CALL_TYPE, at, receiver_cells(b) + 1 + list_cells(types));
	put_receivers(b, c, others, rows, n);
	if (c != NULL && sound(b)) put_list(b, c, receiver_cells(b), types);
}

void pa_record_parameters(pa_builder *b, const pa_slot *slots, uint32_t n) {
	if (!pai_take(b, slots != NULL || n == 0)) return;
	pa_call_types types = {slots, n, NULL};
	uint8_t *c = pai_put_narrow(b, PA_PARAMETERS_TYPE, (pa_at){.in = PA_PARAMETERS}, 1 + list_cells(&types));
	if (c != NULL) put_list(b, c, 0, &types);
}

void pa_record_speculative_trap(pa_builder *b, pa_at at, uint32_t method) {
	at.in = PA_EXTRA;
	uint8_t *c = pai_put_narrow(b, PA_SPECULATIVE_TRAP, at, 1);
	if (c != NULL) put_cell(c, 0, pai_method_cell(b, method));
}
