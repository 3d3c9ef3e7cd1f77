/* SPDX-License-Identifier: Apache-2.0 */
/* The methods and functions of a run, without what counts in them. */
#include "run.h"

/* ---- keys ---- */

bool pai_may_be_name(pa_text text) {
	return text.size <= MAX_NAME && (text.size == 0 || memchr(text.bytes, 0, text.size) == NULL);
}

bool pai_may_be_key(const pa_key *k) {
	return pai_may_be_name(k->class_name) && pai_may_be_name(k->name) && pai_may_be_name(k->signature) &&
		pai_may_be_name(k->loader) && (k->class_name.size > 0 || k->loader.size == 0);
}

static uint64_t hash_of(const pa_key *key) {
	uint64_t h = pai_keyed_hash(pai_keyed_hash(0, key->class_name), key->name);
	return pai_keyed_hash(pai_keyed_hash(h, key->signature), key->loader);
}

pa_key pai_key_of(const method *m) {
	const char *name = m->text + m->sizes[0], *signature = name + m->sizes[1];
	return (pa_key){{m->text, m->sizes[0]}, {name, m->sizes[1]}, {signature, m->sizes[2]},
		{signature + m->sizes[2], m->sizes[3]}};
}

static bool has_key(const void *item, const void *with) {
	const pa_key x = pai_key_of(item), *y = with;
	return same_text(x.name, y->name) && same_text(x.class_name, y->class_name) &&
		same_text(x.signature, y->signature) && same_text(x.loader, y->loader);
}

/* ---- methods ---- */

method *pai_find_method(const pa_run *r, const pa_key *key) {
	void **slot = pai_find_slot(&r->methods, hash_of(key), has_key, key);
	return slot == NULL ? NULL : *slot;
}

static method *make_method(pa_run *r, const pa_key *key, uint64_t hash) {
	const pa_text *parts[] = {&key->class_name, &key->name, &key->signature, &key->loader};
	size_t size = 0;
	for (unsigned i = 0; i < 4; i++) {
		if (parts[i]->size > UINT32_MAX) return NULL;
		size += parts[i]->size;
	}
	method *m = calloc(1, sizeof *m + size);
	if (m == NULL) return NULL;
	m->hash = hash;
	char *to = m->text;
	for (unsigned i = 0; i < 4; i++) {
		pa_text part = *parts[i];
		m->sizes[i] = (uint32_t)part.size;
		pai_copy_text(&to, &part);
	}
	if (pai_add_item(&r->methods, m)) return m;
	free(m);
	return NULL;
}

method *pai_method_of(pa_run *r, const pa_key *key) {
	method *m = pai_find_method(r, key);
	return m != NULL ? m : make_method(r, key, hash_of(key));
}

void pai_drop_method(pa_run *r, method *m) {
	if (m->functions != NULL || m->released != NULL) return;
	pai_remove_item(&r->methods, m);
	free(m);
}

/* ---- functions ---- */

static bool is_version(const void *item, const void *with) {
	const version *x = item, *y = with;
	return x->method == y->method && x->code == y->code;
}

version *pai_find_version(const pa_run *r, const method *m, uint64_t code) {
	const version wanted = {.method = (method *)(uintptr_t)m, .code = code};
	void **slot = pai_find_slot(&r->versions, pai_keyed_number(m->hash, code), is_version, &wanted);
	return slot == NULL ? NULL : *slot;
}

void pai_free_function(pa_run *r, pa_function *f) {
	for (site *s = f->sites, *next; s != NULL; s = next) {
		next = s->next;
		pai_free_site(r, s);
	}
	for (pa_receivers *x = f->receivers, *next; x != NULL; x = next) {
		next = x->next;
		free(x);
	}
	pai_free_points(f);
	pai_free_words(r, f->fields, 2);
	free(f);
}
