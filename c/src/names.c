/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the symbols of an archive and the signatures stored as lists of symbols, and adds up the sizes of keys. */
#include "plan.h"

static uint64_t text_size(uint64_t n) { return round_up(4 + n, 8); }
static uint64_t list_size(uint64_t parts) { return round_up(4 + 4 * parts, 8); }

uint64_t pai_symbol_size(const plan *p, uint32_t ref) {
	const list *l = &p->lists[ref - 1];
	return l->number > 0 ? list_size(l->number) : text_size(ITEM(symbol, p->b->symbols, ref)->size);
}

/* ---- signatures ---- */

/* next_part removes the next part from the rest of a signature. It returns false after the last one. */
static bool next_part(pa_text *rest, bool *first, pa_text *part) {
	if (rest->bytes == NULL) return false;
	const char *end = rest->size == 0 ? NULL : memchr(rest->bytes, *first ? '(' : ',', rest->size);
	part->bytes = rest->bytes;
	part->size = end == NULL ? rest->size : (size_t)(end - rest->bytes);
	*rest = end == NULL ? (pa_text){NULL, 0} : (pa_text){end + 1, rest->size - part->size - 1};
	if (*first && rest->size == 0) rest->bytes = NULL; /* () */
	*first = false;
	return true;
}

/* split calls take for every part of a signature until it returns false. It returns false if the signature has not the
 * form of a list. */
static bool split(pa_text signature, bool (*take)(void *to, pa_text part), void *to) {
	bool first = true;
	pa_text part;
	if (signature.size < 2 || signature.bytes[signature.size - 1] != ')' ||
		memchr(signature.bytes, '(', signature.size - 1) == NULL)
		return false;
	signature.size--;
	while (next_part(&signature, &first, &part))
		if (!take(to, part)) return false;
	return true;
}

static bool count_part(void *to, pa_text part) {
	(void)part;
	++*(uint64_t *)to;
	return true;
}

/* find_part adds a part to the parts of all lists, if it is a symbol. */
static bool find_part(void *to, pa_text part) {
	plan *p = to;
	uint32_t ref = pai_find_symbol(p->b, part);
	return ref != 0 && pai_append(p->b, &p->parts, &ref, sizeof ref);
}

/* make_list makes a signature a list if the list is shorter and all parts are symbols. */
static void make_list(plan *p, uint32_t ref) {
	pa_text text = pai_text(p->b, ref);
	uint64_t parts = 0;
	size_t first = p->parts.size;
	if (!split(text, count_part, &parts) || list_size(parts) >= text_size(text.size)) return;
	if (split(text, find_part, p)) p->lists[ref - 1] = (list){(uint32_t)(first / sizeof ref), (uint32_t)parts};
	else p->parts.size = first;
}

static bool parts_are_needed(const plan *p, const list *l) {
	const uint32_t *parts = (const void *)p->parts.bytes;
	for (uint32_t i = 0; i < l->number; i++)
		if (!p->needed[parts[l->first + i] - 1]) return false;
	return true;
}

/* plan_signatures makes lists of the signatures that only keys use and whose parts are symbols anyway. */
static bool plan_signatures(plan *p) {
	bool *seen = pai_memory(p, p->nsymbols, sizeof *seen);
	if (seen == NULL) return false;
	for (uint32_t i = 1; i <= p->nmethods; i++) {
		uint32_t ref = ITEM(new_method, p->b->methods, i)->signature;
		if (ref == 0 || seen[ref - 1]) continue;
		seen[ref - 1] = true;
		if (!p->needed[ref - 1]) make_list(p, ref);
		if (!parts_are_needed(p, &p->lists[ref - 1])) p->lists[ref - 1] = (list){0, 0};
	}
	for (uint32_t i = 0; i < p->nsymbols; i++) p->needed[i] = p->needed[i] || seen[i];
	return sound(p->b);
}

/* ---- symbols ---- */

static void need(plan *p, uint32_t ref) {
	if (ref != 0) p->needed[ref - 1] = true;
}

static void need_all(plan *p) {
	for (uint32_t i = 1; i <= p->ntypes; i++) {
		const new_type *t = ITEM(new_type, p->b->types, i);
		need(p, t->name);
		need(p, t->loader);
		need(p, t->alias);
	}
	for (uint32_t i = 0; i < p->nmethods; i++)
		if (!(p->records[i].flags & NAMED)) need(p, ITEM(new_method, p->b->methods, p->records[i].ref)->name);
	for (uint32_t i = 1; i <= p->ntables; i++) {
		const new_table *t = ITEM(new_table, p->b->tables, i);
		for (size_t k = 0; k < t->cells.size / 8; k++)
			if (t->kinds[k % t->columns] == PA_COLUMN_SYMBOL) need(p, (uint32_t)get64(t->cells.bytes + 8 * k));
	}
}

bool pai_plan_symbols(plan *p) {
	p->needed = pai_memory(p, p->nsymbols, sizeof *p->needed);
	p->lists = pai_memory(p, p->nsymbols, sizeof *p->lists);
	p->symbol_at = pai_memory(p, p->nsymbols, sizeof *p->symbol_at);
	if (p->needed == NULL || p->lists == NULL || p->symbol_at == NULL) return false;
	need_all(p);
	if (!plan_signatures(p)) return false;
	for (uint32_t i = 0; i < p->nsymbols; i++) {
		uint32_t ref = p->symbols[i];
		if (!p->needed[ref - 1]) continue;
		p->symbol_at[ref - 1] = p->section_size[SYMBOLS];
		p->section_size[SYMBOLS] += pai_symbol_size(p, ref);
		p->in_section++;
	}
	return true;
}

/* ---- text of keys ---- */

/* key_text returns the size of a symbol as a part of a key. */
static uint64_t key_text(const plan *p, uint32_t ref) {
	if (ref == 0) return 0;
	const list *l = &p->lists[ref - 1];
	const uint32_t *parts = (const void *)p->parts.bytes;
	if (l->number == 0) return ITEM(symbol, p->b->symbols, ref)->size;
	uint64_t size = 16 * (uint64_t)l->number + (l->number > 2 ? l->number : 2);
	for (uint32_t i = 0; i < l->number; i++) size += ITEM(symbol, p->b->symbols, parts[l->first + i])->size;
	return size;
}

static uint64_t holder_text(const plan *p, uint32_t type) {
	const new_type *t = type == 0 ? NULL : ITEM(new_type, p->b->types, type);
	return t == NULL ? 0 : key_text(p, t->name) + key_text(p, t->loader);
}

/* pai_check_key_text fails if the keys, which can share long names, have more text than an archive may have. */
bool pai_check_key_text(plan *p) {
	uint64_t types = 0, methods = 0, room = 32 * p->file_size > 64 << 20 ? 32 * p->file_size : 64 << 20;
	for (uint32_t i = 1; i <= p->ntypes; i++)
		types += holder_text(p, i) + key_text(p, ITEM(new_type, p->b->types, i)->alias);
	for (uint32_t i = 0; i < p->nmethods; i++) {
		const new_method *m = ITEM(new_method, p->b->methods, p->records[i].ref);
		if (!(p->records[i].flags & NAMED))
			methods += holder_text(p, m->holder) + key_text(p, m->name) + key_text(p, m->signature);
	}
	return (types <= room && methods <= room) ||
		pai_refuse(p->b, PA_TOO_LARGE,
			"the keys share names so often that they have more text than an archive of this size may have");
}
