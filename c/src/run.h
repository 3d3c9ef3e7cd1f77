/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a run share: vm.c has its VM, run.c begins and ends it, words.c gives out its words, dump.c
 * writes them, forks.c parts a child's counts from its parent's. */
#ifndef PROFARC_RUN_H
#define PROFARC_RUN_H

#include "build.h"

/* A counter that the archive does not have. start is not 0 in a forked child: what its parent had counted. */
typedef struct own {
	pa_counter word;
	uint64_t start, dumped, next; /* dumped: at the last checkpoint; next: in the one that is being written */
} own;

/* An entry that the archive does not have. words has one for each cell, or one for each of the rows and one for
 * others. */
typedef struct site {
	struct site *next;
	int32_t point;
	uint8_t tag;
	uint16_t sub;
	uint32_t n;
	const pa_new_shape *shape;    /* of an entry of the VM's own */
	_Atomic(const pa_class *) *classes; /* of the rows */
	own words[];
} site;

struct pa_receivers {
	pa_receivers *next;
	pa_function *of;
	int32_t point;
	bool trained; /* in entry, else own */
	pa_entry entry;
	site *own; /* NULL if there is no memory */
};

struct pa_function {
	pa_run *run;
	pa_function *next; /* in the order of their first use */
	pa_key key;        /* whose texts are the function's */
	uint64_t code, hash;
	bool trained; /* it counts in profile */
	pa_profile profile;
	own calls, backedges;
	site *sites;
	pa_receivers *receivers;
	char text[];
};

typedef struct loaded { struct loaded *next; uint64_t hash; pa_class class; char text[]; } loaded;

/* What had been counted in a block when it was written last: its words. */
typedef struct counted_block { pa_ref at; uint32_t units; uint64_t *kept, *next; } counted_block;

/* What had been counted in an adopted archive at the last checkpoint: blocks that have changed, by reference. */
struct counted { counted_block *slots; size_t size, used; };

typedef enum form { UNDECIDED, TOTALS, CHECKPOINTS } form;

struct pa_run {
	uint32_t number; /* how many runs this process had begun before */
	pa_vm vm;      /* whose texts and shapes are the run's */
	char *memory;  /* of these */
	pa_error bad;  /* why nothing can be written */
	pa_archive *archive; /* adopted; NULL without one */

	pthread_mutex_t lock; /* of what follows, and of the sites of functions */
	pa_function *functions, **last, **index;
	size_t n_functions, index_size;
	loaded *classes, **class_index;
	size_t n_classes, class_index_size;

	pthread_mutex_t dumping; /* of what follows */
	form form;
	uint8_t since[16]; /* the last checkpoint; zeros before the first */
	counted counted;

	pa_run *next; /* of the runs of the process */
};

/* ---- vm.c ---- */

/* pai_copy_text moves a text to where there is room for it, and goes on behind it. */
void pai_copy_text(char **to, pa_text *text);
/* pai_copy_vm copies a VM with all that it points to, into one piece of memory. */
bool pai_copy_vm(pa_run *r, const pa_vm *vm);
/* pai_check_vm returns what is wrong with a VM, or with it and an archive, which may be NULL. */
pa_error pai_check_vm(const pa_vm *vm, const pa_archive *a);
/* pai_run_builder makes a builder for a dump of a VM. */
pa_error pai_run_builder(const pa_vm *vm, const pa_archive *a, pa_builder **builder);

/* ---- forks.c ---- */

/* pai_watch_forks adds a run to those whose counts are parted when the process forks. */
void pai_watch_forks(pa_run *run);
void pai_unwatch_forks(pa_run *run);

#endif
