/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a VM, with or without an archive, and their functions and classes. */
#include "run.h"

/* ---- begin and end ---- */

static pa_error open_archive(pa_run *r, const char *path) {
	const pa_options options = {.domain = PA_CUSTOM, .producer_id = r->vm.id};
	pa_archive *a;
	pa_error e = pa_open(path, &options, &a); /* refuses NULL */
	if (e.code != PA_OK) return e;
	e = pai_check_vm(&r->vm, a);
	if (e.code == PA_OK) e = pa_adopt(a, PA_BASE_REQUESTED);
	if (e.code == PA_OK) r->archive = a;
	else pa_close(a);
	r->counted.archive = r->archive;
	if (r->archive != NULL) pai_read_advice(r);
	return e;
}

static char *copy_path(const char *path) {
	size_t size = strlen(path) + 1;
	char *copy = malloc(size);
	if (copy != NULL) memcpy(copy, path, size);
	return copy;
}

pa_error pa_start_in(const char *folder, const pa_vm *vm, pa_run **run) {
	pa_error e = pai_none(), started;
	if (folder == NULL || vm == NULL) return pa_start(NULL, vm, run);
	if (!pai_given(run != NULL, &e)) return e;
	char *path = pai_path_in(folder, vm->id);
	*run = NULL;
	if (path == NULL) {
		errno = ENOMEM;
		pai_system(&e, "no memory for a run");
		return e;
	}
	pai_tidy_folder(folder, path, &e);
	started = pa_start(path, vm, run);
	free(path);
	return e.code != PA_OK ? e : started;
}

pa_error pa_start(const char *path, const pa_vm *vm, pa_run **run) {
	static _Atomic uint32_t runs;
	pa_error e = pai_none();
	if (run != NULL) *run = NULL;
	if (!pai_given(run != NULL && pai_is_given_vm(vm), &e)) return e;
	pa_run *r = calloc(1, sizeof *r);
	if (r == NULL || !pai_copy_vm(r, vm) || (path != NULL && (r->path = copy_path(path)) == NULL)) {
		if (r != NULL) free(r->memory);
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

static void free_functions(pa_run *r) {
	for (pa_function *f = r->functions, *next; f != NULL; f = next) {
		next = f->next;
		pai_free_function(r, f);
	}
	for (released *x = r->released, *next; x != NULL; x = next) {
		next = x->next;
		free(x);
	}
	for (size_t i = 0; i < r->methods.size; i++)
		if (pai_is_item(r->methods.slots[i])) free(r->methods.slots[i]);
	free(r->methods.slots);
	free(r->versions.slots);
	pai_free_chunks(r);
	pai_free_advice(r);
}

void pa_end(pa_run *r) {
	if (r == NULL) return;
	pai_unwatch_forks(r);
	free_functions(r);
	for (loaded *c = r->classes, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	pai_free_counted(&r->counted);
	pa_close(r->archive);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->dumping);
	free(r->path);
	free(r->class_index);
	free(r->memory);
	free(r);
}

pa_archive *pa_archive_of(const pa_run *r) { return r == NULL ? NULL : r->archive; }

/* ---- functions ---- */

uint64_t pa_code_id(pa_text code) {
	uint64_t id = pai_xxh64(NULL, 0, (const uint8_t *)code.bytes, code.bytes == NULL ? 0 : code.size);
	return id == PA_UNKNOWN_CODE || id == PA_ANY_CODE ? 1 : id;
}

/* claim looks up the function in the archive. Without a usable profile the function counts in private words. */
static void claim(pa_function *f, const pa_key *key) {
	if (f->run->archive == NULL) return;
	pa_error e = pa_find_profile(f->run->archive, key, f->v.code, &f->profile);
	f->trained = e.code == PA_OK && pa_claim(&f->profile).code == PA_OK;
	if (f->trained) f->v.profile = f->profile.at;
}

/* list_function adds a function to the lists of its run and its method. */
static void list_function(pa_run *r, pa_function *f) {
	method *m = f->v.method;
	f->from = r->last;
	*r->last = f;
	r->last = &f->next;
	f->same = m->functions;
	f->first = &m->functions;
	if (f->same != NULL) f->same->first = &f->same;
	m->functions = f;
	m->n_functions++;
}

static pa_function *make_function(pa_run *r, method *m, const pa_key *key, uint64_t code) {
	pa_function *f = calloc(1, sizeof *f);
	if (f == NULL) return NULL;
	f->run = r;
	f->v = (version){.hash = pai_keyed_number(m->hash, code), .method = m, .code = code, .first = ++r->asked};
	claim(f, key);
	if (f->trained || pai_take_words(r, f, 2, &f->fields)) return f;
	free(f);
	return NULL;
}

/* add_function makes a function that the run lacks, or that was released. */
static pa_function *add_function(pa_run *r, method *m, const pa_key *key, uint64_t code, version *old) {
	pa_function *f = make_function(r, m, key, code);
	if (f == NULL) return NULL;
	if (old != NULL ? !pai_revive(f, (released *)old) : !pai_add_item(&r->versions, f)) {
		pai_free_function(r, f);
		return NULL;
	}
	if (old != NULL) {
		f->v.first = old->first;
		f->v.noted = old->noted;
		f->v.noted_before = old->noted_before;
		f->v.noted_epoch = old->noted_epoch;
		f->v.noted_dump = old->noted_dump;
		pai_replace_item(&r->versions, old, f);
		pai_forget((released *)old);
	}
	list_function(r, f);
	return f;
}

static pa_function *find_function(pa_run *r, const pa_key *key, uint64_t code) {
	method *m = pai_method_of(r, key);
	if (m == NULL) return NULL;
	version *found = pai_find_version(r, m, code);
	if (found != NULL && !found->released) {
		found->unused = false;
		return (pa_function *)found;
	}
	pa_function *f = add_function(r, m, key, code, found);
	if (f == NULL) pai_drop_method(r, m);
	return f;
}

pa_function *pa_function_of(pa_run *r, const pa_key *key, uint64_t code) {
	if (r == NULL || !given_key(key)) return NULL;
	pthread_mutex_lock(&r->lock);
	pa_function *f = find_function(r, key, code == PA_ANY_CODE ? PA_UNKNOWN_CODE : code);
	pthread_mutex_unlock(&r->lock);
	return f;
}

bool pa_profile_of(const pa_function *f, pa_profile *profile) {
	if (f == NULL || profile == NULL || !f->trained) return false;
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
	if (r == NULL || !given_text(name)) return NULL;
	uint64_t hash = pai_keyed_hash(0, name);
	pthread_mutex_lock(&r->lock);
	if (grow_classes(r)) {
		loaded **at = class_slot(r->class_index, r->class_index_size, name, hash);
		if (*at == NULL) *at = make_class(r, name, own_class, hash);
		found = *at;
	}
	pthread_mutex_unlock(&r->lock);
	return found == NULL ? NULL : &found->class;
}
