/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libprofarc keeps what a VM learns about its program: it counts in an archive of profiles, in place, and writes the
 * next one. This header is all that a VM needs. docs/embedding.md has a whole program of 50 lines.
 *
 *	pa_vm vm = {.id = {0xb1, 0x5e, ...}, .name = PA_TEXT("Example VM 1")};
 *	pa_run *run;
 *	pa_error why = pa_start("app.parc", &vm, &run); // never fails for want of an archive: why says what is missing
 *	pa_function *f = pa_function_of(run, &key, pa_code_id(bytecodes));
 *	pa_counter *calls = pa_calls(f);                // in the archive, or in memory of its own
 *	pa_count1(calls);
 *	pa_dump(run, "app.parc", NULL);                 // what the archive had, and what this run has added
 *	pa_end(run);
 *
 * profarc_archive.h has the rest: archives, profiles and entries of all domains, builders, tables, layers.
 *
 * - Functions that can fail return a pa_error by value. PA_OK is 0. A result is written only if the code is PA_OK,
 *   where nothing else is said.
 * - The library never exits or prints. All functions may be called by any number of threads at once, but pa_end, which
 *   must be the last use of a run and of all that was got from it.
 * - Texts are not terminated by a zero byte, and may contain any bytes.
 * - Nothing in a file is trusted: damage gives PA_DAMAGED. But a file must not be written in place while it is open:
 *   replace archives by renaming, as pa_dump and profarc do.
 * - Structs that say nothing else are filled by the library and copied freely. Fields that begin with an underscore are
 *   the library's own.
 */
#ifndef PROFARC_H
#define PROFARC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A counter: a word of the archive's profile, or of the function itself. */
#ifdef __cplusplus
#include <atomic>
typedef std::atomic<uint64_t> pa_counter;
extern "C" {
#else
#include <stdatomic.h>
typedef _Atomic uint64_t pa_counter;
#endif

/* Who compiles the library into an object of his own defines PA_API to nothing, so that the object does not show its
 * names. */
#if !defined(PA_API) && defined(__GNUC__) && !defined(_WIN32)
#define PA_API __attribute__((visibility("default")))
#elif !defined(PA_API)
#define PA_API
#endif

/* ---- errors ---- */

typedef enum pa_code {
	PA_OK = 0,
	PA_NOT_FOUND,   /* the archive does not know the method, type, profile or table */
	PA_UNEXECUTED,  /* it knows the method, and that it was never executed */
	PA_NO_PROFILE,  /* it knows the method, and has no profile of this version of the code */
	PA_AMBIGUOUS,   /* several versions or methods match; a type is bound to something else */
	PA_DAMAGED,     /* not a sound archive; offset says where */
	PA_TRUNCATED,   /* the file is shorter than its header says */
	PA_FOREIGN,     /* not an archive at all */
	PA_UNSUPPORTED, /* another version of the format, or this machine can't do it */
	PA_MISMATCH,    /* sound, and not the archive that was expected */
	PA_NOT_ADOPTED, /* the archive or profile has to be adopted first */
	PA_ADOPTED,     /* the archive is adopted already */
	PA_TOO_LARGE,   /* a limit of the library or of the caller's buffer */
	PA_ARGUMENT,    /* an argument is impossible */
	PA_SYSTEM,      /* a system call failed; system has errno */
	/* the profile has entries that the profarc that dumped it did not know: it can be read, and not claimed */
	PA_NOT_DECODED
} pa_code;

typedef enum pa_region { PA_HEADER, PA_PS, PA_IX, PA_RO, PA_BM, PA_EX, PA_RW } pa_region;

typedef struct pa_error {
	pa_code code;
	pa_region region;    /* of the file, for PA_DAMAGED */
	uint64_t offset;     /* in the file, for PA_DAMAGED */
	int system;          /* errno, for PA_SYSTEM; else 0 */
	const char *message; /* short, in English, never NULL, static */
} pa_error;

/* pa_error_text writes an error as one line for people, "app.parc: region ix, offset 4096: a page has changed", into a
 * buffer, ended with a zero byte and cut to its room. path may be NULL. It returns the buffer. */
PA_API const char *pa_error_text(pa_error error, const char *path, char *buffer, size_t room);

/* ---- texts and keys ---- */

typedef struct pa_text {
	const char *bytes;
	size_t size;
} pa_text;

/* PA_TEXT is the text of a literal, for initialisers: static ones too. */
#define PA_TEXT(literal) {(literal), sizeof(literal) - 1}

/* pa_text_of returns the text of a string. */
PA_API pa_text pa_text_of(const char *string);

/* The key of a method. A part that a VM does not have is empty: bytes NULL or any, size 0. */
typedef struct pa_key {
	pa_text class_name, name, signature, loader;
} pa_key;

/* pa_code_id returns a code id of bytecodes, or of anything else that changes when they do: XXH64 of its bytes, never 0
 * or UINT64_MAX. */
PA_API uint64_t pa_code_id(pa_text code);

/* ---- the VM ---- */

/* What a cell of an entry of the VM's own holds, and how a merge unites two of them: adds them, takes the higher one,
 * unites the bits, keeps the first, the lowest or the last that is not 0. Values, types and methods are keys: what
 * differs in them stays apart.
 */
typedef enum pa_cell_kind {
	PA_CELL_COUNT = 1,
	PA_CELL_MAX,
	PA_CELL_BITS,
	PA_CELL_FIRST,
	PA_CELL_VALUE,
	PA_CELL_TYPE,
	PA_CELL_METHOD,
	PA_CELL_MIN,
	PA_CELL_LAST
} pa_cell_kind;

typedef struct pa_new_cell {
	pa_text name;
	uint8_t kind;             /* pa_cell_kind */
	const pa_text *bit_names; /* of the lowest bits of a PA_CELL_BITS; empty where a bit has none */
	uint32_t bits;            /* how many of these */
} pa_new_cell;

#define PA_PRODUCER 192 /* the first tag of a VM's own, up to 255 */

/* The entries of one of the VM's own tags: the cells that stand once, then the cells of a row, in their order. Names
 * have 1 to 32 letters, digits, - and _: the name of the entries begins with a capital letter, the names of cells and
 * bits have small letters alone. */
typedef struct pa_new_shape {
	pa_text name;
	uint8_t tag, unit; /* tag from PA_PRODUCER on; unit: what its counts count, as numbered in docs/format.md */
	const pa_new_cell *cells, *row;
	uint32_t n, row_cells;
} pa_new_shape;

/* A VM: an interpreter, a JIT, anything that learns as it runs. It is filled by you, and copied by pa_start. */
typedef struct pa_vm {
	/* tells archives of this VM from all others: drawn once (uuidgen), and drawn anew when points, keys or shapes get
	 * another meaning. It must be set. */
	uint8_t id[16];
	pa_text name;               /* for people, with a version; at most 64 bytes */
	const pa_new_shape *shapes; /* of what pa_words counts in; without rows */
	uint32_t n_shapes;
	uint32_t rows; /* how many types a point of pa_receivers_at tells apart, at most 64; 0 is 4 */
} pa_vm;

/* ---- a run ---- */

typedef struct pa_run pa_run;
typedef struct pa_function pa_function;
typedef struct pa_receivers pa_receivers;

/* pa_start begins a run of a VM. It opens and adopts the archive at a path, which takes as long for any size. The run
 * counts in any case, and what is returned says why it begins without an archive: PA_SYSTEM with ENOENT if there is
 * none yet, PA_MISMATCH if it is another VM's, PA_DAMAGED and the like if it cannot be used. A VM without an id, or
 * with a shape that can't be (PA_ARGUMENT), is a mistake in the program: its runs count, and cannot be dumped. *run is
 * NULL if there is no memory; all functions take that for a run whose counts are lost. */
PA_API pa_error pa_start(const char *path, const pa_vm *vm, pa_run **run);

/* pa_end ends a run, and frees all that was got from it. NULL is ignored. */
PA_API void pa_end(pa_run *run);

/* pa_function_of returns the function with a key and code, always the same one. It counts in the archive's profile of
 * this code, or in words of its own. code changes when the function's code does, as pa_code_id does. Ask for a function
 * and its words when the function is set up: that takes a lock, and counting does not. */
PA_API pa_function *pa_function_of(pa_run *run, const pa_key *key, uint64_t code);

/* The words of a function, which stay where they are until pa_end, and are never NULL. Each point, the place of an
 * instruction in the function's code, has at most one branch, one list of receivers and one entry of each tag. */

/* pa_calls counts how often the function is called, pa_backedges how often its loops go back. */
PA_API pa_counter *pa_calls(pa_function *function);
PA_API pa_counter *pa_backedges(pa_function *function);

/* pa_branch_words counts which way the branch at a point goes. */
PA_API void pa_branch_words(pa_function *function, int32_t point, pa_counter **taken, pa_counter **not_taken);

/* pa_words are the first n cells of an entry with a shape of the VM, in their order. They are the VM's to count and to
 * write in. A cell that holds a type or method has no word, and counts for nothing, as all do without such a shape. */
PA_API void pa_words(pa_function *function, int32_t point, uint8_t tag, pa_counter **words, uint32_t n);

/* ---- counting ---- */

/* pa_count adds n by an atomic addition: nothing is lost. It counts in release order: a copy that has the count of a
 * row then has the type that was stored into the row before. */
static inline void pa_count(pa_counter *counter, uint64_t n) {
#ifdef __cplusplus
	counter->fetch_add(n, std::memory_order_release);
#else
	atomic_fetch_add_explicit(counter, n, memory_order_release);
#endif
}

/* pa_count1 adds 1 as interpreters count: a load, an addition and a store. No thread sees half a number. It costs a
 * quarter of pa_count. Nothing is lost while one thread counts in a word at a time. Of several threads each may undo
 * what the others added between its load and its store: the word never has more than the sum, and two threads that did
 * nothing else lost a third of their counts. A profile can bear that. */
static inline void pa_count1(pa_counter *counter) {
#ifdef __cplusplus
	counter->store(counter->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#else
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
#endif
}

/* pa_load returns a count, of training and of this run. */
static inline uint64_t pa_load(pa_counter *counter) {
#ifdef __cplusplus
	return counter->load(std::memory_order_relaxed);
#else
	return atomic_load_explicit(counter, memory_order_relaxed);
#endif
}

/* ---- receivers ---- */

/* A class of this run. */
typedef struct pa_class {
	pa_text name;
	void *own; /* the VM's class */
	uint32_t _type;
} pa_class;

/* pa_load_class says that a class of a name is loaded, which the VM knows by a pointer of its own. Until then
 * pa_next_class leaves out what the archive has of it. For a name it returns always the same one, NULL without memory.
 */
PA_API pa_class *pa_load_class(pa_run *run, pa_text name, void *own);

/* pa_receivers_at tells which classes arrive at a point: at a call, or wherever the VM would like to guess one. */
PA_API pa_receivers *pa_receivers_at(pa_function *function, int32_t point);

/* pa_count_class counts a class. It keeps its row; where all rows are taken, it counts as another one. */
PA_API void pa_count_class(pa_receivers *receivers, const pa_class *class_);

/* pa_next_class goes on to the next class that arrived, from *row on, which is 0 at first: while (pa_next_class(r,
 * &row, &c, &count)). count is of training and of this run. Classes that are not loaded are left out. */
PA_API bool pa_next_class(const pa_receivers *receivers, uint32_t *row, const pa_class **class_, uint64_t *count);

/* pa_other_classes returns how many arrivals found no row. */
PA_API uint64_t pa_other_classes(const pa_receivers *receivers);

/* ---- dumps ---- */

/* What was left out of a dump: profiles of the archive that are damaged, and rows that lead to no class. */
typedef struct pa_lost {
	uint64_t profiles, rows;
	pa_error error; /* of the first profile; PA_OK if there is none */
} pa_lost;

/* pa_dump writes an archive of what the archive at the start had and what this run has counted since. It may replace
 * the file that the run began with: the next run begins with the sum. Of two dumps of one run the later has all that
 * the earlier has, and a merge takes the later one.
 *
 * pa_checkpoint writes what the run has counted since its last checkpoint, for a process that goes on for long, or for
 * one of many that begin with the same archive. The checkpoints of a run, the archive that it began with, and the
 * checkpoints of other runs are summed by `profarc merge`, in any order; with one that is lost, only the counts of its
 * time are. After an error the next checkpoint has the counts of this one too.
 *
 * A dump knows its process, time and id. The file appears whole or not at all; one that is replaced keeps its
 * permissions. While it copies, functions and classes are not given out, and counting goes on. A run writes dumps or
 * checkpoints: the other one is PA_ARGUMENT. lost may be NULL.
 *
 * After a fork both processes go on with the run, and each writes what it has counted itself: the child's counts begin
 * at the fork, and it may write dumps or checkpoints, whatever its parent wrote. */
PA_API pa_error pa_dump(pa_run *run, const char *path, pa_lost *lost);
PA_API pa_error pa_checkpoint(pa_run *run, const char *path, pa_lost *lost);

#ifdef __cplusplus
}
#endif
#endif
