/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of a run. vm.c describes the VM, run.c starts and ends the run, words.c hands out
 * counters, dump.c writes dumps, and forks.c separates the counts of a child from its parent's. */
#ifndef PROFARC_RUN_H
#define PROFARC_RUN_H

#include "build.h"

/* A counter that the archive lacks. In a forked child start is the parent's count at the fork. */
typedef struct own {
	pa_counter word;
	/* dumped is the count at the last checkpoint, next the count in the checkpoint being written */
	uint64_t start, dumped, next;
} own;

/* An entry that the archive lacks. words has one word per cell, or one per row plus one for all other classes. */
typedef struct site {
	struct site *next;
	int32_t point;
	uint8_t tag;
	uint16_t sub;
	uint32_t n;
	const pa_new_shape *shape;    /* shape of the VM's entry */
	pa_counter *classes;       /* addresses of the classes of the rows */
	own words[];
} site;

/* The rows of a type profile, in the archive or in a site. Their distances are in words. */
typedef struct receiver_rows {
	pa_counter *classes, *counts; /* first row */
	pa_counter *others;
	uint32_t n, to_class, to_count;
} receiver_rows;

struct pa_receivers {
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

struct pa_function {
	pa_run *run;
	pa_function *next; /* in the order of first use */
	pa_key key;        /* its strings belong to the function */
	uint64_t code, hash;
	bool trained; /* the function counts in profile */
	pa_profile profile;
	own calls, backedges;
	site *sites;
	pa_receivers *receivers;
	char text[];
};

typedef struct loaded { struct loaded *next; uint64_t hash; pa_class class; char text[]; } loaded;

/* The words of a block when it was last written. */
typedef struct counted_block { pa_ref at; uint32_t units; uint64_t *kept, *next; } counted_block;

/* Changed blocks of an adopted archive at the last checkpoint, by reference. */
struct counted { counted_block *slots; size_t size, used; };

typedef enum form { UNDECIDED, TOTALS, CHECKPOINTS } form;

struct pa_run {
	uint32_t number; /* number of earlier runs in this process */
	pa_vm vm;      /* its strings and shapes belong to the run */
	char *memory;  /* memory of vm's strings and shapes */
	pa_error bad;  /* the reason why dumps fail, or PA_OK */
	pa_archive *archive; /* the adopted archive, or NULL */

	pthread_mutex_t lock; /* guards the fields below and the sites of functions */
	pa_function *functions, **last, **index;
	size_t n_functions, index_size;
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
/* pai_check_vm validates a VM, also against an archive unless a is NULL. */
pa_error pai_check_vm(const pa_vm *vm, const pa_archive *a);
/* pai_run_builder makes a builder for a dump of a VM. */
pa_error pai_run_builder(const pa_vm *vm, const pa_archive *a, pa_builder **builder);

/* ---- forks.c ---- */

/* pai_watch_forks registers a run, so that a fork separates its counts. */
void pai_watch_forks(pa_run *run);
void pai_unwatch_forks(pa_run *run);

#endif
