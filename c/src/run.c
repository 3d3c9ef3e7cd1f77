/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a VM, with or without an archive, and their functions and classes. */
#include "run.h"

/* ---- begin and end ---- */

static pa_error open_archive(pa_run *r, const char *path) {
	const pa_options options = {.domain = PA_CUSTOM, .producer_id = r->vm.id};
	pa_archive *a;
	pa_error e = pa_open(path, &options, &a);
	if (e.code != PA_OK) return e;
	e = pai_check_vm(&r->vm, a);
	if (e.code == PA_OK) e = pa_adopt(a, PA_BASE_REQUESTED);
	if (e.code == PA_OK) r->archive = a;
	else pa_close(a);
	return e;
}

pa_error pa_start(const char *path, const pa_vm *vm, pa_run **run) {
	static _Atomic uint32_t runs;
	pa_error e = pai_none();
	pa_run *r = calloc(1, sizeof *r);
	*run = NULL;
	if (r == NULL || !pai_copy_vm(r, vm)) {
		free(r);
		errno = ENOMEM;
		pai_system(&e, "no memory for a run");
		return e;
	}
	r->number = runs++;
	r->last = &r->functions;
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->dumping, NULL);
	r->bad = pai_check_vm(vm, NULL);
	e = r->bad.code == PA_OK ? open_archive(r, path) : r->bad;
	pai_watch_forks(r);
	*run = r;
	return e;
}

static void free_function(pa_function *f) {
	for (site *s = f->sites, *next; s != NULL; s = next) {
		next = s->next;
		free(s->classes);
		free(s);
	}
	for (pa_receivers *x = f->receivers, *next; x != NULL; x = next) {
		next = x->next;
		free(x);
	}
	free(f);
}

void pa_end(pa_run *r) {
	if (r == NULL) return;
	pai_unwatch_forks(r);
	for (pa_function *f = r->functions, *next; f != NULL; f = next) {
		next = f->next;
		free_function(f);
	}
	for (loaded *c = r->classes, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	pa_close(r->archive);
	pai_free_counted(&r->counted);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->dumping);
	free(r->index);
	free(r->class_index);
	free(r->memory);
	free(r);
}

pa_archive *pa_archive_of(const pa_run *r) { return r == NULL ? NULL : r->archive; }

/* ---- functions ---- */

uint64_t pa_code_id(pa_text code) {
	uint64_t id = pai_xxh64(NULL, 0, (const uint8_t *)code.bytes, code.size);
	return id == PA_UNKNOWN_CODE || id == PA_ANY_CODE ? 1 : id;
}

static uint64_t hash_of(const pa_key *key, uint64_t code) {
	uint64_t h = pai_fold(pai_fold(pai_fold_start() ^ code, key->class_name), key->name);
	return pai_fold(pai_fold(h, key->signature), key->loader);
}

static bool same_key(const pa_key *x, const pa_key *y) {
	return same_text(x->name, y->name) && same_text(x->class_name, y->class_name) &&
		same_text(x->signature, y->signature) && same_text(x->loader, y->loader);
}

/* function_slot returns the slot of a function in the index, or the free slot for it. */
static pa_function **function_slot(pa_function **index, size_t size, const pa_key *key, uint64_t code, uint64_t hash) {
	for (size_t i = (size_t)hash & (size - 1);; i = (i + 1) & (size - 1)) {
		const pa_function *f = index[i];
		if (f == NULL || (f->hash == hash && f->code == code && same_key(&f->key, key))) return &index[i];
	}
}

static bool grow(pa_run *r) {
	size_t size = r->index_size == 0 ? 256 : 2 * r->index_size;
	if (2 * r->n_functions < r->index_size) return true;
	pa_function **index = calloc(size, sizeof *index);
	if (index == NULL) return false;
	for (pa_function *f = r->functions; f != NULL; f = f->next) {
		*function_slot(index, size, &f->key, f->code, f->hash) = f;
	}
	free(r->index);
	r->index = index;
	r->index_size = size;
	return true;
}

/* claim looks up the function in the archive. Without a usable profile the function counts in private words. */
static void claim(pa_function *f) {
	if (f->run->archive == NULL) return;
	pa_error e = pa_find_profile(f->run->archive, &f->key, f->code, &f->profile);
	f->trained = e.code == PA_OK && pa_claim(&f->profile).code == PA_OK;
}

static pa_function *make_function(pa_run *r, const pa_key *key, uint64_t code, uint64_t hash) {
	size_t texts = key->class_name.size + key->name.size + key->signature.size + key->loader.size;
	pa_function *f = calloc(1, sizeof *f + texts);
	if (f == NULL) return NULL;
	char *to = f->text;
	f->run = r;
	f->key = *key;
	f->code = code;
	f->hash = hash;
	pai_copy_text(&to, &f->key.class_name);
	pai_copy_text(&to, &f->key.name);
	pai_copy_text(&to, &f->key.signature);
	pai_copy_text(&to, &f->key.loader);
	claim(f);
	*r->last = f;
	r->last = &f->next;
	r->n_functions++;
	return f;
}

pa_function *pa_function_of(pa_run *r, const pa_key *key, uint64_t code) {
	if (r == NULL) return NULL;
	if (code == PA_ANY_CODE) code = PA_UNKNOWN_CODE; /* a dump cannot have PA_ANY_CODE */
	uint64_t hash = hash_of(key, code);
	pa_function *f = NULL;
	pthread_mutex_lock(&r->lock);
	if (grow(r)) {
		pa_function **at = function_slot(r->index, r->index_size, key, code, hash);
		if (*at == NULL) *at = make_function(r, key, code, hash);
		f = *at;
	}
	pthread_mutex_unlock(&r->lock);
	return f;
}

bool pa_profile_of(const pa_function *f, pa_profile *profile) {
	if (f == NULL || !f->trained) return false;
	*profile = f->profile;
	return true;
}

/* ---- classes ---- */

/* class_slot returns the slot of a class in the index, or the free slot for it. */
static loaded **class_slot(loaded **index, size_t size, pa_text name, uint64_t hash) {
	for (size_t i = (size_t)hash & (size - 1);; i = (i + 1) & (size - 1))
		if (index[i] == NULL || (index[i]->hash == hash && same_text(index[i]->class.name, name))) return &index[i];
}

static bool grow_classes(pa_run *r) {
	size_t size = r->class_index_size == 0 ? 64 : 2 * r->class_index_size;
	if (2 * r->n_classes < r->class_index_size) return true;
	loaded **index = calloc(size, sizeof *index);
	if (index == NULL) return false;
	for (loaded *c = r->classes; c != NULL; c = c->next) *class_slot(index, size, c->class.name, c->hash) = c;
	free(r->class_index);
	r->class_index = index;
	r->class_index_size = size;
	return true;
}

static loaded *make_class(pa_run *r, pa_text name, void *own_class, uint64_t hash) {
	loaded *c = calloc(1, sizeof *c + name.size);
	if (c == NULL) return NULL;
	char *to = c->text;
	c->hash = hash;
	c->class = (pa_class){.name = name, .own = own_class, ._rows = {(uintptr_t)&c->class, 0}};
	pai_copy_text(&to, &c->class.name);
	uint32_t type;
	/* a type that cannot be bound counts as another class */
	if (r->archive != NULL && pa_late_type(r->archive, name, (pa_text){"", 0}, &type).code == PA_OK &&
		pa_bind(r->archive, type, &c->class).code == PA_OK)
		c->class._rows[1] = pai_address(r->archive, type);
	c->next = r->classes;
	r->classes = c;
	r->n_classes++;
	return c;
}

pa_class *pa_load_class(pa_run *r, pa_text name, void *own_class) {
	loaded *found = NULL;
	if (r == NULL) return NULL;
	uint64_t hash = pai_fold(pai_fold_start(), name);
	pthread_mutex_lock(&r->lock);
	if (grow_classes(r)) {
		loaded **at = class_slot(r->class_index, r->class_index_size, name, hash);
		if (*at == NULL) *at = make_class(r, name, own_class, hash);
		found = *at;
	}
	pthread_mutex_unlock(&r->lock);
	return found == NULL ? NULL : &found->class;
}
