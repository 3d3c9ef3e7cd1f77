/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent uses an archive without adopting it, as an agent of a JVM can.
 *
 *	agent ARCHIVE           reads the methods of every class and all data of HotSpot's profiles, from several threads
 *	agent codes FILE        prints code ids; FILE has the size, in 4 bytes, and the bytecodes of each method
 */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "client.h"

enum { THREADS = 4 };

static pa_archive *archive;

/* ---- profiles ---- */

/* types reads the names of the types in a list of rows, and returns the number of rows with a type. */
static uint32_t types(const pa_entry *entry, pa_rows rows, uint32_t cell) {
	uint32_t n = 0;
	for (uint32_t i = 0; i < rows.count; i++) {
		pa_type t;
		uint32_t type = pa_cell_type(entry, rows.first + i * rows.width + cell, NULL);
		if (type == PA_NO_TYPE) continue;
		check(pa_type_get(archive, type, &t));
		must(t.name.size > 0, "a type without a name");
		n++;
	}
	return n;
}

/* look reads an entry and returns the number of types in it. */
static uint32_t look(const pa_entry *entry) {
	pa_branch branch;
	pa_receiver receiver;
	pa_rows rows;
	uint64_t count;
	uint32_t returned, n = 0;
	if (pa_branch_of(entry, &branch)) must(branch.taken == pa_trained(entry, 0), "another count of a branch");
	if (pa_count_of(entry, &count)) must(count == pa_trained(entry, 0), "another count");
	if (pa_arguments_of(entry, &rows, &returned)) n += types(entry, rows, 1);
	if (!pa_receivers_of(entry, &rows)) return n;
	for (uint32_t i = 0; i < rows.count; i++)
		if (pa_receiver_at(entry, i, &receiver))
			must(receiver.word == NULL && receiver.binding == PA_UNBOUND, "a row that is live");
	return n + types(entry, rows, 0);
}

static uint32_t profiles_of(const pa_method *m) {
	pa_profiles it = pa_profiles_of(archive, m);
	pa_profile p;
	pa_entry entry;
	pa_error e;
	uint32_t n = 0;
	while ((e = pa_profiles_next(&it, &p)).code == PA_OK) {
		pa_summary s;
		pa_summarize(&p, &s);
		must(s.method == m->at, "a profile of another method");
		for (unsigned section = PA_DATA; section <= PA_HANDLERS; section++)
			for (pa_entries all = pa_entries_of(&p, (pa_section)section); pa_entries_next(&all, &entry);)
				n += look(&entry);
	}
	must(e.code == PA_NOT_FOUND, e.message);
	return n;
}

/* ---- classes ---- */

static bool same(pa_text x, pa_text y) {
	return x.size == y.size && (x.size == 0 || memcmp(x.bytes, y.bytes, x.size) == 0);
}

typedef struct found { uint64_t methods, types; } found;

/* of_class checks the methods of a class. pa_table_method must find each, and the class must declare it. */
static void of_class(const pa_type *class, uint32_t type, found *f) {
	pa_class_methods it = pa_class_methods_of(archive, type);
	pa_method m, again, last = {0};
	pa_error e;
	while ((e = pa_class_methods_next(&it, &m)).code == PA_OK) {
		check(pa_table_method(archive, m.at, &again));
		must(m.holder == type && m.id == again.id && same(m.key.name, again.key.name),
			"a method that is not of its class");
		if (class != NULL)
			must(same(m.key.class_name, class->name) && same(m.key.loader, class->loader), "a class with another name");
		size_t n = last.key.name.size < m.key.name.size ? last.key.name.size : m.key.name.size;
		must(n == 0 || memcmp(last.key.name.bytes, m.key.name.bytes, n) <= 0,
			"methods that are not in the order of their names");
		f->methods++;
		f->types += profiles_of(&m);
		last = m;
	}
	must(e.code == PA_NOT_FOUND, e.message);
	must(pa_class_methods_next(&it, &m).code == PA_NOT_FOUND, "a method behind the last");
}

static void *look_at_all(void *to) {
	found *f = to;
	pa_types it = pa_types_of(archive);
	pa_type class;
	uint32_t found_type;
	pa_error e;
	while ((e = pa_types_next(&it, &class)).code == PA_OK) {
		check(pa_find_type(archive, class.name, class.loader, &found_type));
		of_class(&class, found_type, f);
	}
	must(e.code == PA_NOT_FOUND, e.message);
	of_class(NULL, PA_NO_TYPE, f);
	pa_class_methods late = pa_class_methods_of(archive, (uint32_t)pa_info_of(archive)->types);
	must(pa_class_methods_next(&late, &(pa_method){0}).code == PA_NOT_FOUND,
		"a method of a type that the archive does not have");
	return NULL;
}

static void codes(const char *path) {
	size_t size;
	uint8_t *bytes = read_all(path, &size);
	for (size_t at = 0, n; at < size; at += 4 + n) {
		n = (size_t)bytes[at] | (size_t)bytes[at + 1] << 8 | (size_t)bytes[at + 2] << 16;
		uint8_t *code = malloc(n > 0 ? n : 1); /* an exact copy, so that a sanitizer detects reads past the end */
		must(code != NULL, "no memory");
		memcpy(code, bytes + at + 4, n);
		printf("%" PRIx64 "\n", pa_hotspot_code_id(code, n));
		free(code);
	}
	free(bytes);
}

int main(int argc, char **argv) {
	pthread_t threads[THREADS];
	found all[THREADS] = {{0, 0}};
	if (argc == 3 && strcmp(argv[1], "codes") == 0) {
		codes(argv[2]);
		return 0;
	}
	must(argc == 2, "usage: agent ARCHIVE | agent codes FILE");
	check(pa_open(argv[1], NULL, &archive));
	for (unsigned i = 0; i < THREADS; i++)
		must(pthread_create(&threads[i], NULL, look_at_all, &all[i]) == 0, "no threads");
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		must(memcmp(&all[i], &all[0], sizeof *all) == 0, "threads found different methods");
	}
	printf("%" PRIu64 " methods, %" PRIu64 " types\n", all[0].methods, all[0].types);
	pa_close(archive);
	return 0;
}
