/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols, types and method records. */
#include "internal.h"

/* ---- symbols ---- */

static bool symbol_head(const pa_archive *a, uint64_t at, uint32_t *length, pa_error *e) {
	if (!inside(a->section[SYMBOLS], at, 4)) return pai_damage(a, e, at, "a symbol does not lie in its section");
	if (!pai_touch(a, at, 4, e)) return false;
	*length = get32(a->bytes + at);
	return true;
}

bool pai_symbol(const pa_archive *a, pa_ref ref, pa_text *text, pa_error *e) {
	uint64_t at = place_of(ref);
	uint32_t length;
	*text = (pa_text){"", 0};
	if (ref == 0) return true;
	if (!symbol_head(a, at, &length, e)) return false;
	if (length >> 31 != 0) return pai_damage(a, e, at, "a list of symbols where none is expected");
	if (!inside(a->section[SYMBOLS], at + 4, length))
		return pai_damage(a, e, at, "a symbol does not lie in its section");
	if (!pai_touch(a, at + 4, length, e)) return false;
	*text = (pa_text){(const char *)a->bytes + at + 4, length};
	return true;
}

/* part reads the i-th part of a list. */
static bool part(const pa_archive *a, const signature *s, uint64_t i, pa_text *text, pa_error *e) {
	return pai_symbol(a, get32(a->bytes + s->at + 4 * i), text, e);
}

static bool measure(const pa_archive *a, signature *s, pa_error *e) {
	uint64_t limited = 0;
	pa_text text;
	s->size = 2 + (s->parts > 2 ? s->parts - 2 : 0); /* ( , ) */
	for (uint64_t i = 0; i < s->parts; i++) {
		if (!part(a, s, i, &text, e)) return false;
		if ((limited += text.size + 1) > MAX_NAME) return pai_damage(a, e, s->at - 4, "a signature is too long");
		s->size += text.size;
	}
	return true;
}

bool pai_signature(const pa_archive *a, pa_ref ref, signature *s, pa_error *e) {
	uint64_t at = place_of(ref);
	uint32_t length;
	*s = (signature){0};
	if (ref == 0) return pai_symbol(a, 0, &s->text, e);
	if (!symbol_head(a, at, &length, e)) return false;
	if (length >> 31 == 0) {
		if (!pai_symbol(a, ref, &s->text, e)) return false;
		s->size = s->text.size;
		return true;
	}
	s->parts = length & 0x7fffffff;
	s->at = at + 4;
	if (s->parts == 0 || s->parts > MAX_NAME || !inside(a->section[SYMBOLS], s->at, 4 * s->parts))
		return pai_damage(a, e, at, "a list of symbols does not lie in its section");
	return pai_touch(a, s->at, 4 * s->parts, e) && measure(a, s, e);
}

/* piece reads the i-th piece of a list's text, which alternates parts and separators. There are 2 * parts pieces. */
static bool piece(const pa_archive *a, const signature *s, uint64_t i, pa_text *text, pa_error *e) {
	if (i % 2 == 0 && i / 2 < s->parts) return part(a, s, i / 2, text, e);
	*text = i == 1 ? (pa_text){"(", 1} : (pa_text){",", 1};
	return true;
}

/* each calls take for every piece of a signature's text until it returns false. */
static bool each(
	const pa_archive *a, const signature *s, bool (*take)(void *to, pa_text piece), void *to, pa_error *e) {
	if (s->parts == 0) {
		take(to, s->text);
		return true;
	}
	pa_text text;
	for (uint64_t i = 0; i < 2 * s->parts - (s->parts > 1); i++) {
		if (!piece(a, s, i, &text, e)) return false;
		if (!take(to, text)) return true;
	}
	take(to, (pa_text){")", 1});
	return true;
}

typedef struct comparison { pa_text rest; int order; } comparison;

static bool compare(void *to, pa_text text) {
	comparison *c = to;
	size_t n = text.size < c->rest.size ? text.size : c->rest.size;
	c->order = n > 0 ? memcmp(text.bytes, c->rest.bytes, n) : 0;
	if (c->order == 0 && n < text.size) c->order = 1;
	if (n > 0) c->rest = (pa_text){c->rest.bytes + n, c->rest.size - n};
	return c->order == 0;
}

bool pai_signature_compare(const pa_archive *a, const signature *s, pa_text text, int *order, pa_error *e) {
	comparison c = {text, 0};
	if (!each(a, s, compare, &c, e)) return false;
	*order = c.order == 0 && c.rest.size > 0 ? -1 : c.order;
	return true;
}

static bool copy(void *to, pa_text text) {
	char **next = to;
	if (text.size > 0) memcpy(*next, text.bytes, text.size);
	*next += text.size;
	return true;
}

pa_error pa_signature(const pa_archive *a, const pa_method *m, char *buffer, size_t room) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && m != NULL && (buffer != NULL || m->key.signature.size == 0), &e)) return e;
	signature s;
	if (!pai_signature(a, m->_signature, &s, &e)) return e;
	if (s.size > room) pai_fail(&e, PA_TOO_LARGE, "the signature is larger than the buffer");
	else each(a, &s, copy, &buffer, &e);
	return e;
}

static bool add_to_fold(void *to, pa_text text) {
	pai_fold_add(to, text);
	return true;
}

/* ---- types ---- */

bool pai_type(const pa_archive *a, uint64_t at, pa_type *type, pa_error *e) {
	if (!is_row(a->section[TYPES], at, TYPE)) return pai_damage(a, e, at, "no type record begins here");
	if (!pai_touch(a, at, TYPE, e)) return false;
	const uint8_t *p = a->bytes + at;
	pa_type t = {.ordinal = (uint32_t)((at - a->section[TYPES].at) / TYPE), .id = get64(p), .flags = get32(p + 20)};
	if (!pai_symbol(a, get32(p + 8), &t.name, e) || !pai_symbol(a, get32(p + 12), &t.loader, e) ||
		!pai_symbol(a, get32(p + 16), &t.alias, e))
		return false;
	*type = t;
	return true;
}

bool pai_type_is(const pa_archive *a, uint64_t at, pa_text name, pa_text loader, bool *same, pa_error *e) {
	pa_text own;
	*same = false;
	if (!is_row(a->section[TYPES], at, TYPE)) return pai_damage(a, e, at, "no type record begins here");
	if (!pai_touch(a, at, TYPE, e) || !pai_symbol(a, get32(a->bytes + at + 8), &own, e)) return false;
	if (!same_text(own, name)) return true;
	if (!pai_symbol(a, get32(a->bytes + at + 12), &own, e)) return false;
	*same = same_text(own, loader);
	return true;
}

pa_error pa_type_at(const pa_archive *a, pa_ref at, pa_type *type) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && type != NULL, &e)) return e;
	if (at == 0) pai_fail(&e, PA_NOT_FOUND, "no type");
	else pai_type(a, place_of(at), type, &e);
	return e;
}

pa_error pa_symbol_at(const pa_archive *a, pa_ref at, pa_text *text) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && text != NULL, &e)) return e;
	pa_text t;
	if (pai_symbol(a, at, &t, &e)) *text = t;
	return e;
}

/* ---- methods ---- */

static bool parse_record(const pa_archive *a, record *r, const uint8_t *p) {
	uint64_t field = 8, named = r->flags & NAMED;
	if (named) r->profiles = place_of(get32(p));
	else r->name = get32(p);
	uint64_t size = 8 +
		8 *
			(uint64_t)(!!(r->flags & WITH_ID) +
				(named ? 0 : !!(r->flags & DECLARED) + !!(r->flags & PROFILED) + !!(r->flags & IN_CONTEXT)));
	if (r->flags >= 256 ||
		(named ? (r->flags & (DECLARED | PROFILED | IN_CONTEXT)) != 0 || r->size < size : r->size != size))
		return false;
	if (r->flags & WITH_ID) {
		r->id = get64(p + field);
		field += 8;
	}
	if (r->flags & DECLARED) {
		r->holder = place_of(get32(p + field));
		r->signature = get32(p + field + 4);
		field += 8;
	}
	if (r->flags & PROFILED) {
		r->profiles = place_of(get32(p + field));
		r->access = get32(p + field + 4);
		field += 8;
	}
	if (r->flags & IN_CONTEXT) {
		r->contexts = place_of(get32(p + field));
		r->ncontexts = get32(p + field + 4);
		field += 8;
	}
	if (!named) return true;
	r->named = (pa_text){(const char *)a->bytes + r->at + field, r->size - field};
	while (r->named.size > 0 && r->named.bytes[r->named.size - 1] == 0) r->named.size--;
	return true;
}

bool pai_record(const pa_archive *a, uint64_t at, record *r, pa_error *e) {
	span methods = a->section[METHODS];
	if (!inside(methods, at, 8)) return pai_damage(a, e, at, "a method does not lie in its section");
	if (!pai_touch(a, at, 8, e)) return false;
	*r = (record){.at = at, .size = 8 * (uint64_t)get16(a->bytes + at + 4), .flags = get16(a->bytes + at + 6)};
	if (r->size == 0 || !inside(methods, at, r->size))
		return pai_damage(a, e, at, "a method does not lie in its section");
	if (!pai_touch(a, at, r->size, e)) return false;
	if (!parse_record(a, r, a->bytes + at))
		return pai_damage(a, e, at, "the size of a method record does not agree with its flags");
	if (!(r->flags & WITH_ID) != (r->profiles != 0))
		return pai_damage(a, e, at, "a method has its id twice, or not at all");
	return true;
}

/* row_id computes the id of a row, which the file does not store. */
static bool row_id(const pa_archive *a, const pa_method *m, const signature *s, uint64_t *id, pa_error *e) {
	if (a->info.domain == PA_LLVM_IR || a->info.domain == PA_LLVM_FRONTEND) {
		*id = pai_md5(m->key.name);
		return true;
	}
	fold f;
	pai_fold_begin(&f, pai_fold(pai_fold(pai_fold_start(), m->key.class_name), m->key.name), s->size);
	if (!each(a, s, add_to_fold, &f, e)) return false;
	*id = pai_fold(pai_fold_end(&f), m->key.loader);
	return true;
}

/* describe fills a method from its record, except for the id of a row. */
static bool describe(const pa_archive *a, const record *r, pa_method *m, signature *s, pa_error *e) {
	pa_type holder = {.ordinal = PA_NO_TYPE};
	*m = (pa_method){.at = ref_of(r->at),
		.flags = r->flags,
		.access = r->access,
		.id = r->id,
		.contexts = r->ncontexts,
		._profiles = ref_of(r->profiles),
		._contexts = ref_of(r->contexts),
		._signature = r->signature};
	if (r->holder != 0 && !pai_type(a, r->holder, &holder, e)) return false;
	m->holder = holder.ordinal;
	m->key.class_name = holder.name;
	m->key.loader = holder.loader;
	if (r->flags & NAMED) m->key.name = r->named;
	else if (!pai_symbol(a, r->name, &m->key.name, e)) return false;
	if (!pai_signature(a, r->signature, s, e)) return false;
	m->key.signature = (pa_text){s->parts > 0 ? NULL : s->text.bytes, (size_t)s->size};
	return true;
}

/* id_of_key computes the id of a method from its key, for a method whose first profile is damaged. */
static bool id_of_key(const pa_archive *a, const record *r, uint64_t *id, pa_error *e) {
	signature s;
	pa_method m;
	*e = pai_none();
	return describe(a, r, &m, &s, e) && row_id(a, &m, &s, id, e);
}

bool pai_id(const pa_archive *a, const record *r, uint64_t *id, pa_error *e) {
	block b;
	*id = r->id;
	if (r->row || (r->flags & WITH_ID)) return true;
	if (!pai_block(a, r->profiles, &b, e)) return e->code == PA_DAMAGED && id_of_key(a, r, id, e);
	if (pai_field(&b, PA_FIELD_ID) == 0 || b.method != r->at)
		return pai_damage(a, e, r->profiles, "the first profile of a method is not its own");
	*id = get64(a->bytes + b.at + pai_field(&b, PA_FIELD_ID));
	return true;
}

bool pai_method(const pa_archive *a, const record *r, pa_method *m, pa_error *e) {
	signature s;
	pa_method got;
	if (!describe(a, r, &got, &s, e) || !(r->row ? row_id(a, &got, &s, &got.id, e) : pai_id(a, r, &got.id, e)))
		return false;
	*m = got;
	return true;
}

bool pai_has_key(const pa_archive *a, const record *r, const pa_key *key, bool *same, pa_error *e) {
	pa_text name = r->named;
	signature s;
	int order;
	*same = false;
	if (!(r->flags & NAMED) && !pai_symbol(a, r->name, &name, e)) return false;
	if (!same_text(name, key->name)) return true;
	if (!pai_signature(a, r->signature, &s, e) || !pai_signature_compare(a, &s, key->signature, &order, e))
		return false;
	if (order != 0) return true;
	if (r->holder != 0) return pai_type_is(a, r->holder, key->class_name, key->loader, same, e);
	*same = key->class_name.size == 0 && key->loader.size == 0;
	return true;
}

bool pai_compare_key(const pa_archive *a, const record *r, const pa_key *key, int *order, pa_error *e) {
	pa_type holder = {.ordinal = PA_NO_TYPE};
	pa_text name = r->named;
	signature s;
	if (r->holder != 0 && !pai_type(a, r->holder, &holder, e)) return false;
	if ((*order = pai_compare_texts(holder.name, key->class_name)) != 0) return true;
	if (!(r->flags & NAMED) && !pai_symbol(a, r->name, &name, e)) return false;
	if ((*order = pai_compare_texts(name, key->name)) != 0) return true;
	if (!pai_signature(a, r->signature, &s, e) || !pai_signature_compare(a, &s, key->signature, order, e)) return false;
	if (*order == 0) *order = pai_compare_texts(holder.loader, key->loader);
	return true;
}

uint64_t pai_key_id(const pa_archive *a, const pa_key *key) {
	if (a->info.domain == PA_LLVM_IR || a->info.domain == PA_LLVM_FRONTEND) return pai_md5(key->name);
	uint64_t h = pai_fold(pai_fold(pai_fold_start(), key->class_name), key->name);
	return pai_fold(pai_fold(h, key->signature), key->loader);
}

uint64_t pa_key_id(const pa_archive *a, const pa_key *key) {
	return a == NULL || !given_key(key) ? 0 : pai_key_id(a, key);
}
