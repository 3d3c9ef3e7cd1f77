/* SPDX-License-Identifier: Apache-2.0 */
/* Interned symbols, types, methods and contexts of a builder. */
#include "build.h"

#define MAX_BLOB (((uint64_t)1 << 31) - 1)

static bool too_many(const buffer *u, size_t item) { return u->size / item >= UINT32_MAX - 1; }

/* add stores a value under a hash and returns its reference. It returns 0 if memory runs out. */
static uint32_t add(pa_builder *b, buffer *u, ref_index *x, uint32_t hash, const void *value, size_t size) {
	if (too_many(u, size)) {
		pai_refuse(b, PA_TOO_LARGE, "more than an archive can have");
		return 0;
	}
	uint32_t ref = (uint32_t)(u->size / size) + 1;
	return pai_append(b, u, value, size) && pai_insert(b, x, hash, ref) ? ref : 0;
}

/* ---- symbols ---- */

pa_text pai_text(const pa_builder *b, uint32_t ref) {
	const symbol *s = ref == 0 ? NULL : ITEM(symbol, b->symbols, ref);
	if (s == NULL || s->size == 0) return (pa_text){"", 0}; /* an empty text has no bytes */
	return (pa_text){(const char *)b->texts.bytes + s->at, s->size};
}

typedef struct wanted { const pa_builder *b; const void *key; } wanted;

static bool same_symbol(const void *with, uint32_t ref) {
	const wanted *w = with;
	return same_text(pai_text(w->b, ref), *(const pa_text *)w->key);
}

static uint32_t hash_text(pa_text text) { return (uint32_t)pai_keyed_hash(0, text); }

uint32_t pai_find_symbol(const pa_builder *b, pa_text text) {
	return pai_find(&b->symbol_index, hash_text(text), same_symbol, &(wanted){b, &text});
}

uint32_t pai_intern(pa_builder *b, pa_text text, uint64_t limit) {
	uint32_t ref;
	if (!pai_take(b, given_text(text))) return 0;
	if (text.size > limit) {
		pai_refuse(b, PA_TOO_LARGE, "a name, or a text of a table, is too long");
		return 0;
	}
	if ((ref = pai_find_symbol(b, text)) != 0) return ref;
	symbol s = {b->texts.size, (uint32_t)text.size};
	if (!pai_append(b, &b->texts, text.bytes, text.size)) return 0;
	return add(b, &b->symbols, &b->symbol_index, hash_text(text), &s, sizeof s);
}

uint32_t pa_intern_symbol(pa_builder *b, pa_text text) { return pai_intern(b, text, MAX_BLOB); }

/* name interns a part of a key. empty_is_name distinguishes "" from a missing part. */
static uint32_t name(pa_builder *b, pa_text text, bool empty_is_name) {
	if (!pai_take(b, given_text(text)) || (text.size == 0 && !empty_is_name)) return 0;
	if (text.size > 0 && memchr(text.bytes, 0, text.size) != NULL) {
		pai_refuse(b, PA_ARGUMENT, "a name has a NUL byte");
		return 0;
	}
	return pai_intern(b, text, MAX_NAME);
}

/* ---- types ---- */

static bool same_type(const void *with, uint32_t ref) {
	const wanted *w = with;
	const new_type *t = ITEM(new_type, w->b->types, ref), *u = w->key;
	return t->name == u->name && t->loader == u->loader;
}

uint32_t pa_intern_type(pa_builder *b, pa_text type_name, pa_text loader) {
	new_type t = {.name = name(b, type_name, true), .loader = name(b, loader, false)};
	if (!sound(b)) return 0;
	uint32_t hash = pai_mix(t.name, t.loader), ref = pai_find(&b->type_index, hash, same_type, &(wanted){b, &t});
	if (ref != 0) return ref;
	t.id = pai_fold(pai_fold(pai_fold_start(), type_name), loader);
	return add(b, &b->types, &b->type_index, hash, &t, sizeof t);
}

void pa_describe_type(pa_builder *b, uint32_t type, pa_text alias, uint32_t flags) {
	uint32_t ref = name(b, alias, false);
	if (!sound(b)) return;
	if (!HAS(new_type, b->types, type)) {
		pai_refuse(b, PA_ARGUMENT, "a type that is not of this builder");
		return;
	}
	new_type *t = ITEM(new_type, b->types, type);
	t->flags |= flags;
	if (ref != 0 && (t->alias == 0 || pai_compare_texts(alias, pai_text(b, t->alias)) < 0)) t->alias = ref;
}

/* ---- methods ---- */

static bool same_method(const void *with, uint32_t ref) {
	const wanted *w = with;
	const new_method *m = ITEM(new_method, w->b->methods, ref), *n = w->key;
	return m->holder == n->holder && m->name == n->name && m->signature == n->signature;
}

static uint64_t id_of(const pa_builder *b, const pa_key *key) {
	pa_archive like = {.info = {.domain = b->config.domain}};
	return pai_key_id(&like, key);
}

uint32_t pa_intern_method(pa_builder *b, const pa_key *key) {
	if (!pai_take(b, given_key(key))) return 0;
	new_method m = {.name = name(b, key->name, true), .signature = name(b, key->signature, false)};
	if (key->class_name.size > 0) m.holder = pa_intern_type(b, key->class_name, key->loader);
	else if (key->loader.size > 0) pai_refuse(b, PA_ARGUMENT, "a method has a loader and no class");
	if (!sound(b)) return 0;
	uint32_t hash = pai_mix(pai_mix(m.name, m.signature), m.holder),
			 ref = pai_find(&b->method_index, hash, same_method, &(wanted){b, &m});
	if (ref != 0) return ref;
	m.id = id_of(b, key);
	return add(b, &b->methods, &b->method_index, hash, &m, sizeof m);
}

/* method returns a method of the builder, or NULL if ref is invalid. */
static new_method *method(pa_builder *b, uint32_t ref) {
	if (!sound(b)) return NULL;
	if (HAS(new_method, b->methods, ref)) return ITEM(new_method, b->methods, ref);
	pai_refuse(b, PA_ARGUMENT, "a method that is not of this builder");
	return NULL;
}

void pa_describe_method(pa_builder *b, uint32_t ref, uint32_t access, uint32_t flags) {
	new_method *m = method(b, ref);
	if (m == NULL) return;
	m->access |= access;
	m->flags |= flags & PA_METHOD_NOT_MATCHABLE;
}

void pa_record_seen(pa_builder *b, uint32_t ref) {
	new_method *m = method(b, ref);
	if (m != NULL) m->seen = true;
}

/* ---- contexts ---- */

static bool same_context(const void *with, uint32_t ref) {
	const wanted *w = with;
	const new_context *c = ITEM(new_context, w->b->contexts, ref), *d = w->key;
	return c->method == d->method && c->parent == d->parent && c->caller == d->caller && c->point == d->point;
}

uint32_t pa_intern_context(pa_builder *b, uint32_t of, uint32_t inner, uint32_t caller, int32_t point) {
	new_context c = {of, inner, caller, point, 1};
	if (method(b, of) == NULL || method(b, caller) == NULL) return 0;
	if (inner != 0) {
		if (!HAS(new_context, b->contexts, inner) || ITEM(new_context, b->contexts, inner)->method != of) {
			pai_refuse(b, PA_ARGUMENT, "a context that is not one of the method");
			return 0;
		}
		c.depth = ITEM(new_context, b->contexts, inner)->depth + 1;
	}
	uint32_t hash = pai_mix(pai_mix(pai_mix(of, inner), caller), (uint32_t)point),
			 ref = pai_find(&b->context_index, hash, same_context, &(wanted){b, &c});
	if (ref != 0) return ref;
	if (c.depth > DEEPEST) {
		pai_refuse(b, PA_TOO_LARGE, "a context of more than 65535 frames");
		return 0;
	}
	return add(b, &b->contexts, &b->context_index, hash, &c, sizeof c);
}
