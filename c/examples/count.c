/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count shows how a VM uses an archive at its start. It opens and adopts the archive, binds the types that it has
 * loaded, claims the profile of each method at the method's first call, and counts directly in the archive. It prints
 * the busiest methods, before and after.
 *
 *	make -C c install PREFIX=$HOME/.local
 *	cc -std=c11 $(PKG_CONFIG_PATH=$HOME/.local/lib/pkgconfig pkg-config --cflags --libs profarc) -pthread -o count \
 *		count.c
 *	./count app.parc
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <profarc_archive.h>

enum { THREADS = 4, CALLS = 10000 };

/* A method of the VM. A real VM would find it by class, name and signature when it loads the class. */
typedef struct function {
	pa_profile profile;
	pa_counter *calls; /* NULL if the archive has no such counter */
	uint64_t before;
} function;

/* A class of the VM. */
typedef struct class_info { uint32_t type; } class_info;

static function *functions;
static size_t count, room;
static pa_archive *archive;

/* fail reports an error. A VM would log it and go on without a profile. */
static int fail(const char *what, pa_error e) {
	fprintf(stderr, "count: %s: %s", what, e.message);
	if (e.code == PA_DAMAGED) fprintf(stderr, " (at 0x%" PRIx64 ")", e.offset);
	fputc('\n', stderr);
	return 1;
}

/* load looks up every method that the archive knows, as class loading would. */
static pa_error load(void) {
	pa_methods it = pa_methods_of(archive);
	pa_method m;
	pa_error e;
	while ((e = pa_methods_next(&it, &m)).code == PA_OK && count < room) {
		function *f = &functions[count];
		e = pa_find_profile_id(archive, m.id, PA_ANY_CODE, &f->profile); /* a VM would keep the id from pa_key_id */
		switch (e.code) {
		case PA_OK: count++; break;
		case PA_NOT_FOUND: case PA_UNEXECUTED: /* do not compile it early */
		case PA_NO_PROFILE: case PA_AMBIGUOUS: break; /* only in contexts; several versions of the code */
		default: return e;
		}
	}
	if (e.code == PA_NOT_FOUND) e.code = PA_OK; /* the end */
	return e;
}

/* claim is the first call of a function. From then on its counts are live. */
static pa_error claim(function *f) {
	pa_error e = pa_claim(&f->profile);
	if (e.code == PA_NOT_DECODED) {
		e.code = PA_OK;
		return e; /* a VM would count in other memory */
	}
	if (e.code != PA_OK) return e;
	f->calls = pa_profile_word(&f->profile, PA_FIELD_INVOCATIONS);
	f->before = f->calls != NULL ? atomic_load_explicit(f->calls, memory_order_relaxed) : 0;
	return e;
}

/* arrivals returns the arrivals at a type profile, including arrivals of types that are not bound. */
static uint64_t arrivals(const pa_entry *entry) {
	pa_rows rows;
	if (!pa_receivers_of(entry, &rows)) return 0;
	uint64_t all = pa_cell(entry, 0);
	for (uint32_t row = 0; row < rows.count; row++) all += pa_cell(entry, rows.first + row * rows.width + 1);
	return all;
}

/* inline_caches asks, like a compiler, whether one loaded type receives most of the calls. */
static void inline_caches(const function *f, uint64_t *monomorphic) {
	pa_entries it = pa_entries_of(&f->profile, PA_DATA);
	pa_entry entry;
	pa_receiver r;
	while (pa_entries_next(&it, &entry)) {
		uint64_t all = arrivals(&entry);
		for (uint32_t row = 0; pa_next_bound(&entry, &row, &r);)
			if (r.count > all - all / 10) ++*monomorphic; /* r.bound is the class to inline for */
	}
}

/* run is the body of a thread of the program. It calls every function many times. */
static void *run(void *unused) {
	(void)unused;
	for (size_t i = 0; i < count; i++)
		for (unsigned n = 0; functions[i].calls != NULL && n < CALLS; n++) pa_count(functions[i].calls, 1);
	return NULL;
}

/* print_name prints a name. It escapes control characters, since a name can contain any bytes. */
static void print_name(pa_text name) {
	for (size_t i = 0; i < name.size; i++) putchar(name.bytes[i] >= ' ' && name.bytes[i] <= '~' ? name.bytes[i] : '?');
}

static int print(void) {
	uint64_t counted = 0, lost = 0;
	for (size_t i = 0; i < count; i++) {
		pa_summary s;
		pa_method m;
		if (functions[i].calls == NULL) continue;
		pa_summarize(&functions[i].profile, &s);
		if (pa_method_at(archive, s.method, &m).code != PA_OK) continue;
		printf("%12" PRIu64 " -> %12" PRIu64 "  ", functions[i].before, s.invocations);
		print_name(m.key.class_name);
		putchar('.');
		print_name(m.key.name);
		putchar('\n');
		counted++;
		lost += s.invocations - functions[i].before != (uint64_t)THREADS * CALLS;
	}
	printf("%" PRIu64 " functions counted, %s\n", counted, lost == 0 ? "exact" : "NOT exact");
	return lost != 0;
}

static int start(const char *path, class_info *classes) {
	pa_error e;
	pa_adoption adoption;
	uint64_t monomorphic = 0;
	if ((e = pa_adopt(archive, PA_BASE_REQUESTED)).code != PA_OK || (e = load()).code != PA_OK) return fail(path, e);
	for (uint32_t i = 0; i < pa_info_of(archive)->types; i++) { /* here every class is loaded at the start */
		classes[i].type = i;
		if ((e = pa_bind(archive, i, &classes[i])).code != PA_OK) return fail(path, e);
	}
	for (size_t i = 0; i < count; i++) {
		if ((e = claim(&functions[i])).code != PA_OK) return fail(path, e);
		inline_caches(&functions[i], &monomorphic);
	}
	if (pa_adoption_of(archive, &adoption))
		printf("adopted at 0x%" PRIx64 ", %s; %" PRIu64 " monomorphic calls\n", adoption.base,
			adoption.at_requested ? "as requested" : "elsewhere", monomorphic);
	return 0;
}

int main(int argc, char **argv) {
	pthread_t threads[THREADS];
	pa_error e;
	if (argc != 2) {
		fputs("usage: count ARCHIVE\n", stderr);
		return 2;
	}
	if ((e = pa_open(argv[1], NULL, &archive)).code != PA_OK) return fail(argv[1], e);
	class_info *classes = calloc(pa_info_of(archive)->types + 1, sizeof *classes);
	const pa_info *info = pa_info_of(archive);
	room = (size_t)(info->methods < info->file_size ? info->methods : info->file_size); /* the header may be wrong */
	functions = calloc(room + 1, sizeof *functions);
	int status = functions != NULL && classes != NULL ? start(argv[1], classes) : 1;
	if (status == 0) {
		for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, NULL);
		for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
		status = print();
	}
	pa_close(archive);
	free(functions);
	free(classes);
	return status;
}
