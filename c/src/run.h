/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of a run. vm.c describes the VM, run.c starts and ends the run, words.c hands out
 * counters, private.c keeps the counters that the archive lacks, released.c keeps the counts of released functions,
 * dump.c writes dumps, versions.c selects the versions that they keep, and forks.c separates the counts of a child from
 * its parent's. */
#ifndef PROFARC_RUN_H
#define PROFARC_RUN_H

#include "build.h"

/* Counters that the archive lacks, of many functions. before has their counts at the last checkpoint or, in a child, at
 * the fork. It is NULL while all of them are 0. at_fork has the counts at the last fork, for the child. owners has the
 * function of each counter. */
typedef struct chunk {
	struct chunk *next;
	uint32_t n, used;
	pa_counter *words;
	uint64_t *before, *at_fork;
	pa_function **owners;
} chunk;

/* Counters of one function or entry. */
typedef struct own { chunk *in; pa_counter *words; } own;

/* An entry that the archive lacks. words has one word per cell, or one per row plus one for all other classes. */
typedef struct site {
	uint64_t hash; /* of point, tag and sub */
	struct site *next;
	chunk *in;
	pa_counter *words;
	int32_t point;
	uint8_t tag;
	uint16_t sub;
	uint32_t n;
	const pa_new_shape *shape;    /* shape of the VM's entry */
	pa_counter *classes;       /* addresses of the classes of the rows */
} site;

/* The rows of a type profile, in the archive or in a site. Their distances are in words. */
typedef struct receiver_rows {
	pa_counter *classes, *counts; /* first row */
	pa_counter *others;
	uint32_t n, to_class, to_count;
} receiver_rows;

struct pa_receivers {
	uint64_t hash; /* of point */
	receiver_rows rows;
	pa_receivers *next;
	pa_function *of;
	int32_t point;
	bool trained; /* the rows are in entry, and classes are addresses of types; else they are in a site */
	pa_entry entry;
};

/* class_in returns the class in a row of a site, or NULL. */
static inline const pa_class *class_in(pa_counter *row) {
	return (const pa_class *)(uintptr_t)atomic_load_explicit(row, memory_order_acquire);
}

/* A key and its functions. text has the parts of the key, with these sizes. */
typedef struct method {
	uint64_t hash;
	pa_function *functions;
	struct released *released;
	uint32_t n_functions, n_released, n_touched;
	uint32_t chosen; /* number of the last dump that has selected versions */
	uint32_t sizes[4];
	char text[];
} method;

/* What a function and a released function have in common. */
typedef struct version {
	uint64_t hash;
	method *method;
	uint64_t code;
	pa_ref profile;   /* profile in the archive, or 0 */
	uint32_t epoch;   /* number of forks when it was released */
	bool released;
	bool touched;     /* the checkpoint being written has counts of it */
	bool dropped;     /* the dump being written omits it */
	bool unused;      /* the VM released it while a dump was being written */
	uint32_t size;    /* bytes of a released function */
	uint32_t first;   /* number of versions that the run had asked for, this one included */
	/* notes in checkpoints, see advice.c: of all of this process, and of those before the last one with a note */
	uint8_t noted, noted_before;
	uint32_t noted_epoch, noted_dump; /* number of forks and of the dump when noted was set */
} version;

/* A hash table of structs that begin with their hash. */
typedef struct table { void **slots; size_t size, used, live; } table;

/* The number of items in a list of a function, and a table of them once they are many. */
typedef struct at_points { table *table; uint32_t n; } at_points;

struct pa_function {
	version v;
	pa_run *run;
	pa_function *next, **from;  /* functions of the run */
	pa_function *same, **first; /* functions of the method */
	bool trained; /* the function counts in profile */
	pa_profile profile;
	own fields; /* calls and backedges; no words if the profile has both */
	site *sites;
	pa_receivers *receivers;
	at_points sites_at, receivers_at; /* of the two lists */
};

/* The counts of a released function, encoded in bytes. */
typedef struct released {
	version v;
	struct released *next, **from; /* released functions of the run */
	struct released *same;         /* released functions of the method */
	uint8_t bytes[];
} released;

typedef struct loaded { struct loaded *next; uint64_t hash; pa_class class; char text[]; } loaded;

/* A count in the checkpoint being written. */
typedef struct noted_word { chunk *in; uint32_t at; uint64_t count; } noted_word;

/* Free words of a size. */
typedef struct spare { own *list; size_t n, room; } spare;

enum { MOST_WORDS = 257 }; /* most words of an entry */

typedef enum form { UNDECIDED, TOTALS, CHECKPOINTS } form;

struct pa_run {
	uint32_t number; /* number of earlier runs in this process */
	pa_vm vm;      /* its strings and shapes belong to the run */
	char *memory;  /* memory of vm's strings and shapes */
	pa_error bad;  /* the reason why dumps fail, or PA_OK */
	pa_archive *archive; /* the adopted archive, or NULL */
	char *path;          /* path of the archive that the run began with */
	pa_table advice, hot; /* tables of the archive; without rows if it lacks them */

	pthread_mutex_t lock; /* guards the fields below and the sites of functions */
	pa_function *functions, **last;
	released *released;
	table versions, methods;
	chunk *chunks; /* the last one first */
	spare spare[MOST_WORDS + 1];
	noted_word *noted;
	size_t n_noted, noted_room;
	uint32_t asked; /* number of versions that the VM has asked for */
	char **signatures; /* signatures of hot functions, by row; NULL if none was asked for */
	uint32_t epoch; /* number of forks between the first process and this one */
	uint32_t dumps; /* number of dumps and checkpoints, also of failed ones */
	bool writing;   /* a dump is being written */
	bool unused;    /* functions were released while it was written */
	uint64_t lost;  /* versions that were dropped when functions were released */
	loaded *classes, **class_index;
	size_t n_classes, class_index_size;

	pthread_mutex_t dumping; /* guards the fields below */
	form form;
	uint8_t since[16]; /* dump id of the last checkpoint; zeros before the first */
	counted counted;

	pa_run *next; /* next run of the process */
};

/* ---- vm.c ---- */

/* pai_copy_text copies a text to *to and advances *to. */
void pai_copy_text(char **to, pa_text *text);
/* pai_copy_vm makes a deep copy of a VM in one piece of memory. */
bool pai_copy_vm(pa_run *r, const pa_vm *vm);
/* pai_is_given_vm reports whether a VM has its strings and arrays. */
bool pai_is_given_vm(const pa_vm *vm);
/* pai_check_vm validates a VM, also against an archive unless a is NULL. */
pa_error pai_check_vm(const pa_vm *vm, const pa_archive *a);
/* pai_run_builder makes a builder for a dump of a VM. It has the shapes of the archive if all is set. */
pa_error pai_run_builder(const pa_vm *vm, const pa_archive *a, bool all, pa_builder **builder);

/* ---- table.c ---- */

/* pai_is_item reports whether a slot has an item. */
bool pai_is_item(const void *slot);
/* pai_find_slot returns the slot of an item, or NULL. */
void **pai_find_slot(const table *t, uint64_t hash, bool (*same)(const void *item, const void *with), const void *with);
/* pai_add_item adds an item that the table lacks. It returns false if memory runs out. */
bool pai_add_item(table *t, void *item);
void pai_remove_item(table *t, const void *item);
/* pai_replace_item replaces an item by another one with the same hash. */
void pai_replace_item(table *t, const void *item, void *by);

/* ---- points.c: callers hold the run's lock ---- */

site *pai_find_site(const pa_function *f, int32_t point, uint8_t tag, uint16_t sub);
pa_receivers *pai_find_receivers(const pa_function *f, int32_t point);
/* pai_list_site adds a site to a function, and pai_list_receivers receivers. */
void pai_list_site(pa_function *f, site *s);
void pai_list_receivers(pa_function *f, pa_receivers *r);
/* pai_free_points frees the tables, but no items. */
void pai_free_points(pa_function *f);

/* ---- private.c: callers hold the run's lock ---- */

/* pai_take_words takes n words of 0 for a function. It returns false if memory runs out. */
bool pai_take_words(pa_run *r, pa_function *f, uint32_t n, own *words);
void pai_free_words(pa_run *r, own words, uint32_t n);
/* pai_make_site adds an entry to a function. It returns NULL if memory runs out. */
site *pai_make_site(pa_function *f, int32_t point, uint8_t tag, uint16_t sub, uint32_t n, const pa_new_shape *shape);
void pai_free_site(pa_run *r, site *s);
static inline uint64_t count_before(const own *o, uint32_t i) {
	return o->in->before == NULL ? 0 : o->in->before[o->words - o->in->words + i];
}
/* pai_set_before sets the count of a word at the last checkpoint. */
bool pai_set_before(own o, uint32_t i, uint64_t count);
/* pai_note_word notes the count of a word in the checkpoint being written. */
bool pai_note_word(pa_run *r, own o, uint32_t i, uint64_t count);
/* pai_keep_words makes the noted counts the start of the next checkpoint. It needs no memory if pai_note_word
 * succeeded. */
void pai_keep_words(pa_run *r);
/* pai_each_touched calls take for every word that has counted since the last checkpoint. */
bool pai_each_touched(pa_run *r, bool (*take)(pa_run *r, pa_function *f, void *to), void *to);
/* pai_copy_words copies the counts for a child. pai_part_words restarts the counts in the child. */
bool pai_copy_words(pa_run *r);
bool pai_part_words(pa_run *r);
void pai_free_chunks(pa_run *r);

/* ---- released.c ---- */

/* The counts of an entry. now has its words, and counts what a dump writes. */
typedef struct taken {
	int32_t point;
	uint8_t tag;
	uint16_t sub;
	uint32_t n;
	const pa_new_shape *shape;
	uint64_t now[MOST_WORDS], counts[MOST_WORDS];
	const pa_class *classes[MOST_WORDS];
} taken;

/* The position in the encoded counts of a released function. */
typedef struct cursor { const uint8_t *at, *end; } cursor;

/* ---- encoded.c ---- */

typedef struct encoder { uint8_t *bytes; size_t size, room; bool failed; } encoder;

void pai_put_function(encoder *c, const pa_function *f);
/* pai_begin_released decodes the calls and backedges of a released function. has reports whether it has them. */
cursor pai_begin_released(const pa_run *r, const released *x, bool *has, uint64_t now[2], uint64_t before[2]);
/* pai_next_released decodes the next entry. counts has the counts at the last checkpoint. */
bool pai_next_released(const pa_run *r, const released *x, cursor *c, taken *t);
/* pai_forget frees a released function. pai_forget_written also removes those that the written checkpoint has. */
void pai_forget(released *x);
void pai_forget_written(pa_run *r);
/* pai_revive adds the counts of a released function to a function of the same key and code. */
bool pai_revive(pa_function *f, const released *x);
/* pai_release_unused releases the functions that were released while a dump was being written. */
void pai_release_unused(pa_run *r);

/* ---- functions.c ---- */

/* pai_may_be_key reports whether the format can hold a key, and pai_may_be_name whether it can hold a part of one. */
bool pai_may_be_key(const pa_key *key);
bool pai_may_be_name(pa_text text);

pa_key pai_key_of(const method *m);
method *pai_find_method(const pa_run *r, const pa_key *key);
/* pai_find_version finds the version of a method with a code, released or not. */
version *pai_find_version(const pa_run *r, const method *m, uint64_t code);
/* pai_method_of finds a method, or makes it. It returns NULL if memory runs out. */
method *pai_method_of(pa_run *r, const pa_key *key);
/* pai_drop_method frees a method without functions. */
void pai_drop_method(pa_run *r, method *m);
void pai_free_function(pa_run *r, pa_function *f);

/* ---- reading.c ---- */

/* What a dump does with a version. noted is set if the counts are noted for the next checkpoint. */
typedef struct reading { pa_run *r; bool noted, failed; } reading;

/* A position in the entries of a version. */
typedef struct position { const released *of; cursor encoded; const site *next; } position;

/* pai_begin_version reads calls and backedges. has reports whether the version has private ones. pai_next_site reads
 * its next entry. */
position pai_begin_version(reading *x, const version *v, bool *has, uint64_t counts[2]);
bool pai_next_site(reading *x, position *p, taken *t);
/* pai_weigh returns the sum of a version's private counts in a dump. */
uint64_t pai_weigh(pa_run *r, version *v);

/* ---- advice.c ---- */

/* pai_read_advice reads the tables of the archive. pai_free_advice frees memory for pa_hot. */
void pai_read_advice(pa_run *r);
void pai_free_advice(pa_run *r);
/* pai_note records that the run has called a version, unless an earlier checkpoint does. pai_note_all does so for all
 * versions, and pai_note_profile for the version with a profile. pai_drop_notes drops the notes of a checkpoint that
 * was not written. */
bool pai_note(pa_run *r, pa_builder *b, version *v);
bool pai_note_all(pa_run *r, pa_builder *b);
bool pai_note_profile(pa_run *r, pa_builder *b, pa_ref profile);
void pai_drop_notes(pa_run *r);

/* ---- versions.c ---- */

/* What a dump decides about the versions of one method. */
typedef struct ranked { version *own; uint64_t code, weight; int64_t last; bool used, dropped; } ranked;
typedef struct choice {
	pa_run *run;
	ranked *list;
	size_t n, room;
	ref_index codes;  /* of the list */
	bool several;     /* the dump records when versions ran */
	uint64_t dropped;
	const pa_table *times; /* the archive's table, or NULL */
	pa_builder *b;
} choice;

/* pai_choose_of_archive selects versions of a method of the archive. pai_keeps_version then reports whether the dump
 * keeps a profile, and pai_list_versions records when the others ran. pai_choose_others selects versions of the
 * methods that the archive lacks. */
bool pai_choose_of_archive(void *to, const pa_method *m);
bool pai_keeps_version(void *to, uint64_t code);
bool pai_list_versions(void *to, uint32_t method);
bool pai_choose_others(choice *c, version *const *list, size_t n);
void pai_free_choice(choice *c);
/* pai_find_own finds the run's method with the key of a method of the archive. found is NULL if the run lacks it. */
bool pai_find_own(const pa_run *r, const pa_method *m, method **found);
/* pai_bound returns the number of versions of a method that a dump keeps. */
uint32_t pai_bound(const pa_run *r);

/* ---- folder.c ---- */

/* pai_path_in returns the path of a VM's archive in a folder. The caller frees it. */
char *pai_path_in(const char *folder, const uint8_t id[16]);
/* pai_tidy_folder makes a folder, marks an archive in it as used, and removes archives that nobody has used for 30
 * days. Only a folder that cannot be made is an error. */
bool pai_tidy_folder(const char *folder, const char *used, pa_error *e);

/* ---- forks.c ---- */

/* pai_watch_forks registers a run, so that a fork separates its counts. */
void pai_watch_forks(pa_run *run);
void pai_unwatch_forks(pa_run *run);

#endif
