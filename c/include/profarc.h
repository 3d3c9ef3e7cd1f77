/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libprofarc keeps what a VM learns about its program. A VM counts directly in the memory-mapped profile archive and
 * dumps the next archive. A VM needs only this header. docs/embedding.md has a whole program of 50 lines.
 *
 *	pa_vm vm = {.id = {0xb1, 0x5e, ...}, .name = PA_TEXT("Example VM 1")};
 *	pa_run *run;
 *	pa_error why = pa_start("app.parc", &vm, &run); // the run counts with or without an archive; why has the reason
 *	pa_function *f = pa_function_of(run, &key, pa_code_id(bytecodes));
 *	pa_counter *calls = pa_calls(f);                // in the archive, or in memory of the function
 *	pa_count1(calls);
 *	pa_dump(run, "app.parc", NULL);                 // the archive's counts plus the counts of this run
 *	pa_end(run);
 *
 * profarc_archive.h declares the rest of the library. It has archives, profiles and entries of all domains, builders,
 * tables and layers.
 *
 * - Functions that can fail return a pa_error by value. PA_OK is 0. Unless a comment says otherwise, a result is
 *   written only if the code is PA_OK.
 * - The library never exits or prints. Any number of threads may call its functions at the same time, except pa_end.
 *   pa_end must be the last use of a run and of everything that belongs to it.
 * - Strings are not terminated by a zero byte and can contain any bytes.
 * - Files are untrusted. Damage is reported as PA_DAMAGED. But nobody may write to a file while it is open. Replace
 *   archives by renaming, as pa_dump and profarc do.
 * - Unless a comment says otherwise, no pointer may be NULL, except for an array or string of length 0. Functions that
 *   return a pa_error return PA_ARGUMENT for it, also for an iterator, profile or entry of zeros. Other functions
 *   return false, 0 or NULL. Calls that record keep PA_ARGUMENT in the builder. Without a builder they do nothing.
 * - Unless a comment says otherwise, the library fills structs, and you may copy them. Fields that begin with an
 *   underscore are private.
 */
#ifndef PROFARC_H
#define PROFARC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A counter, either a word of the archive's profile or a word of the function. */
#ifdef __cplusplus
#include <atomic>
typedef std::atomic<uint64_t> pa_counter;
extern "C" {
#else
#include <stdatomic.h>
typedef _Atomic uint64_t pa_counter;
#endif

/* To compile the library into an object that must not export its names, define PA_API to nothing. */
#if !defined(PA_API) && defined(__GNUC__) && !defined(_WIN32)
#define PA_API __attribute__((visibility("default")))
#elif !defined(PA_API)
#define PA_API
#endif

/* ---- errors ---- */

typedef enum pa_code {
	PA_OK = 0,
	PA_NOT_FOUND,   /* the archive has no such method, type, profile or table */
	PA_UNEXECUTED,  /* the archive has the method and records that it was never executed */
	PA_NO_PROFILE,  /* the archive has the method, but no profile of this version of the code */
	PA_AMBIGUOUS,   /* several versions or methods match; a type is bound to something else */
	PA_DAMAGED,     /* the archive is damaged at offset */
	PA_TRUNCATED,   /* the file is shorter than its header requires */
	PA_FOREIGN,     /* not an archive */
	PA_UNSUPPORTED, /* another version of the format, or a feature that this machine lacks */
	PA_MISMATCH,    /* an undamaged archive, but not the expected one */
	PA_NOT_ADOPTED, /* the archive or profile must be adopted first */
	PA_ADOPTED,     /* the archive is adopted already */
	PA_TOO_LARGE,   /* a limit of the library or the capacity of the caller's buffer is exceeded */
	PA_ARGUMENT,    /* an argument is impossible */
	PA_SYSTEM,      /* a system call failed; system has errno */
	/* the profile has entries that the profarc that dumped it could not decode; it can be read but not claimed */
	PA_NOT_DECODED
} pa_code;

typedef enum pa_region { PA_HEADER, PA_PS, PA_IX, PA_RO, PA_BM, PA_EX, PA_RW } pa_region;

typedef struct pa_error {
	pa_code code;
	pa_region region;    /* region of the file, for PA_DAMAGED */
	uint64_t offset;     /* file offset, for PA_DAMAGED */
	int system;          /* errno, for PA_SYSTEM; else 0 */
	const char *message; /* short static string in English, never NULL */
} pa_error;

/* pa_error_text writes an error as one line for people, such as "app.parc: region ix, offset 4096: a page has changed".
 * It truncates the line to room bytes, including the terminating zero. path may be NULL. It returns the buffer. */
PA_API const char *pa_error_text(pa_error error, const char *path, char *buffer, size_t room);

/* ---- texts and keys ---- */

typedef struct pa_text {
	const char *bytes;
	size_t size;
} pa_text;

/* PA_TEXT makes a pa_text of a string literal. It can initialize static variables. */
#define PA_TEXT(literal) {(literal), sizeof(literal) - 1}

/* pa_text_of returns the pa_text of a zero-terminated string. */
PA_API pa_text pa_text_of(const char *string);

/* The key of a method. A part that a VM does not have has size 0. */
typedef struct pa_key {
	pa_text class_name, name, signature, loader;
} pa_key;

/* pa_code_id returns the code id of bytecodes, or of any other bytes that change with the code. It is the XXH64 hash of
 * the bytes, but never 0 or UINT64_MAX. */
PA_API uint64_t pa_code_id(pa_text code);

/* pa_anonymous_key sets *key to the key of a function without a name, such as a closure or the code of an eval site.
 * ordinal is its number among the anonymous functions directly inside parent, from 0 in the order of the source. So the
 * key survives edits elsewhere. parent can be anonymous itself, and is the key of the script for functions outside any
 * function. The name is the name of parent and up to 12 more bytes. It is written to buffer, which must stay as long as
 * the key is used. The result is false if buffer, of room bytes, is too small. */
PA_API bool pa_anonymous_key(const pa_key *parent, uint32_t ordinal, char *buffer, size_t room, pa_key *key);

/* ---- the VM ---- */

/* The kind of a cell in an entry of the VM's tags. It determines how a merge combines two cells. A merge adds them,
 * takes the higher one, takes the union of the bits, or keeps the first, lowest or last nonzero cell. Values, types and
 * methods are keys, and a merge keeps entries with different keys apart. */
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
	const pa_text *bit_names; /* names of the lowest bits of a PA_CELL_BITS; an empty name for an unnamed bit */
	uint32_t bits;            /* length of bit_names */
} pa_new_cell;

#define PA_PRODUCER 192 /* first tag of a VM; the last one is 255 */

/* The shape of the entries with one of the VM's tags. The cells that occur once come first, then the cells of a row.
 * Names have 1 to 32 letters, digits, - and _. The name of the entries begins with a capital letter. Names of cells and
 * bits have only small letters. */
typedef struct pa_new_shape {
	pa_text name;
	uint8_t tag, unit; /* tag is at least PA_PRODUCER; unit is the number in docs/format.md of what the entries count */
	const pa_new_cell *cells, *row;
	uint32_t n, row_cells;
} pa_new_shape;

/* A VM, such as an interpreter, a JIT or any program that learns as it runs. You fill it, and pa_start copies it. */
typedef struct pa_vm {
	/* required; distinguishes archives of this VM from all others. Generate it once (uuidgen), and again when points,
	 * keys or shapes change their meaning. */
	uint8_t id[16];
	pa_text name;               /* name and version for people; at most 64 bytes */
	const pa_new_shape *shapes; /* shapes of the entries that pa_words counts in; they have no rows */
	uint32_t n_shapes;
	uint32_t rows; /* number of types that a point of pa_receivers_at tells apart, at most 64; 0 means 4 */
	/* number of versions (codes) of one key that a dump keeps; 0 means 8. Those that the run has used come first, then
	 * the heavier ones, then those with a higher code. */
	uint32_t versions;
} pa_vm;

/* ---- a run ---- */

typedef struct pa_run pa_run;
typedef struct pa_function pa_function;
typedef struct pa_receivers pa_receivers;

/* pa_start begins a run of a VM. It opens and adopts the archive at path. The time does not depend on the size of the
 * file. The run counts in any case, and the returned error is the reason why it begins without an archive. The code is
 * PA_SYSTEM with ENOENT if the file does not exist, PA_MISMATCH if it belongs to another VM, and PA_DAMAGED or a
 * similar code if it cannot be used. If a VM has no id or an invalid shape (PA_ARGUMENT), the program has a mistake.
 * Its runs count but cannot be dumped. If path is NULL, the run begins without an archive (PA_ARGUMENT), and a dump
 * needs a path. *run is NULL if memory runs out or vm is NULL. All functions accept NULL as a run, function or
 * receivers whose counts are lost. */
PA_API pa_error pa_start(const char *path, const pa_vm *vm, pa_run **run);

/* pa_start_in begins a run with the archive of the VM in a folder, which pa_start_in makes if it is missing. The name
 * of the archive is the VM's id in hexadecimal digits with the ending .parc, so several VMs and versions can share a
 * folder. Archives with such names that no run has begun with for 30 days are removed. To dump, pass NULL as the
 * path. */
PA_API pa_error pa_start_in(const char *folder, const pa_vm *vm, pa_run **run);

/* pa_end ends a run and frees everything that belongs to it. NULL is ignored. */
PA_API void pa_end(pa_run *run);

/* pa_function_of returns the function with a key and code. It returns the same pointer for the same arguments. The
 * function counts in the archive's profile of this code, or in its private words. code must change when the function's
 * code changes, as pa_code_id does. Call pa_function_of and get the function's words when you set up the function.
 * These calls take a lock, and counting takes none. */
PA_API pa_function *pa_function_of(pa_run *run, const pa_key *key, uint64_t code);

/* pa_release tells that the VM will not use a function and its words any more, because its code was unloaded or was an
 * eval's. The function's memory is freed, and its counts are kept in fewer bytes for the next dump. A checkpoint
 * forgets them once it is written. If pa_function_of asks for the same key and code again, the counts continue.
 * Functions with the same key and code share one pointer, so release it when the last of them is gone. Of one
 * key, at most as many released versions as pa_vm.versions are kept. pa_lost counts the others. */
PA_API void pa_release(pa_function *function);

/* The words of a function. They do not move until pa_end or pa_release, and they are never NULL. A point is the
 * position of an instruction in the function's code. Each point has at most one branch, one list of receivers and one
 * entry of each tag. */

/* pa_calls counts calls of the function, pa_backedges counts iterations of its loops. */
PA_API pa_counter *pa_calls(pa_function *function);
PA_API pa_counter *pa_backedges(pa_function *function);

/* pa_loop counts iterations of the loop at a point. pa_backedges has the iterations of all loops. */
PA_API pa_counter *pa_loop(pa_function *function, int32_t point);

/* pa_deopts counts deoptimizations at a point for one cause. The VM numbers its causes. Counts of a cause from
 * PA_DEOPT_CAUSES on are lost. */
#define PA_DEOPT_CAUSES 32
PA_API pa_counter *pa_deopts(pa_function *function, int32_t point, unsigned cause);

/* pa_branch_words counts the two directions of the branch at a point. taken and not_taken may be NULL. */
PA_API void pa_branch_words(pa_function *function, int32_t point, pa_counter **taken, pa_counter **not_taken);

/* pa_words sets words to the first n cells, in order, of the entry at a point with one of the VM's shapes. The VM may
 * count and write in them. A cell that holds a type or method has no word, and its counts are lost. If no such shape
 * exists, all counts are lost. */
PA_API void pa_words(pa_function *function, int32_t point, uint8_t tag, pa_counter **words, uint32_t n);

/* ---- counting ---- */

/* pa_count adds n by an atomic addition, and no count is lost. The addition has release order. So a copy that contains
 * the count of a row also contains the row's type, which was stored before. */
static inline void pa_count(pa_counter *counter, uint64_t n) {
#ifdef __cplusplus
	counter->fetch_add(n, std::memory_order_release);
#else
	atomic_fetch_add_explicit(counter, n, memory_order_release);
#endif
}

/* pa_count1 adds 1 by a load, an addition and a store, as interpreters count. Threads never read a partly written word.
 * It costs a quarter of pa_count. No count is lost while one thread at a time counts in a word. If several threads
 * count in a word, one thread can overwrite additions made between its load and its store. The word never exceeds the
 * true count. Two threads that did nothing else lost a third of their counts, which is acceptable for a profile. */
static inline void pa_count1(pa_counter *counter) {
#ifdef __cplusplus
	counter->store(counter->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#else
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
#endif
}

/* pa_load returns a count, from training and from this run. */
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
	void *own; /* pointer that the VM passed to pa_load_class */
	uint64_t _rows[2]; /* the class in rows outside the archive, and in rows of the archive; 0 means no row */
} pa_class;

/* pa_load_class records that the class with a name is loaded. own is the VM's pointer for the class. Before this call
 * pa_next_class skips the archive's counts of the class. For one name it always returns the same pointer. It returns
 * NULL if memory runs out. */
PA_API pa_class *pa_load_class(pa_run *run, pa_text name, void *own);

/* pa_receivers_at returns the receivers at a point, such as a call, or any other point where the VM predicts a
 * class. */
PA_API pa_receivers *pa_receivers_at(pa_function *function, int32_t point);

/* pa_count_class counts the arrival of a class and returns the counter of its row. The class keeps its row, so an
 * inline cache can count later arrivals in the counter, by pa_count or pa_count1, and needs no call. If all rows are
 * taken, the arrival counts as another class, and the result is NULL. pa_count_class1 counts without an atomic
 * addition, like pa_count1. */
PA_API pa_counter *pa_count_class(pa_receivers *receivers, const pa_class *class_);
PA_API pa_counter *pa_count_class1(pa_receivers *receivers, const pa_class *class_);

/* pa_next_class advances to the next class that arrived, starting at *row, which must be 0 at first. Use it as in while
 * (pa_next_class(r, &row, &c, &count)). count includes training and this run. Classes that are not loaded are
 * skipped. pa_other_classes has their arrivals, so a share is a count divided by the sum of all counts and
 * pa_other_classes. A point with one loaded class can have had others in training. */
PA_API bool pa_next_class(const pa_receivers *receivers, uint32_t *row, const pa_class **class_, uint64_t *count);

/* pa_other_classes returns the number of arrivals that pa_next_class does not show. They found no free row, or their
 * class is not loaded. */
PA_API uint64_t pa_other_classes(const pa_receivers *receivers);

/* ---- advice ---- */

/* pa_target sets target to the loaded class that most arrivals had, and certainty to its share of all arrivals and one
 * more. So the certainty of a single arrival is 0.5. Arrivals of pa_other_classes count too. It returns false if no
 * loaded class arrived. */
PA_API bool pa_target(const pa_receivers *receivers, const pa_class **target, double *certainty);

/* What a JIT should do with a function that it has just set up. A function that should be neither counted nor compiled
 * stays in the interpreter. */
typedef struct pa_advice {
	bool compile; /* the archive's profile is hot and stable, so the function can be compiled at once */
	/* more counts are needed: the archive lacks the function, or a compilation from its profile is likely to fail, or
	 * few runs support it */
	bool count;
	uint64_t runs;    /* number of earlier runs that called the function */
	uint64_t changed; /* number of those in which a hot point went another way than before */
	uint64_t deopts;  /* deoptimizations that pa_deopts has counted in all runs */
	char reason[80];  /* one line for people, zero-terminated */
} pa_advice;

/* pa_advice_of returns what the earlier runs advise. Its cost does not depend on the size of the archive, except for a
 * binary search. */
PA_API void pa_advice_of(const pa_function *function, pa_advice *advice);

/* A hot function of the archive. The strings of the key are valid until pa_end. */
typedef struct pa_hot_function {
	pa_key key;
	uint64_t code;
	uint64_t weight; /* calls and loop iterations in all runs */
	uint64_t first;  /* position in the order in which runs first used the functions, from 1; 0 if not known */
} pa_hot_function;

/* pa_hot advances to the next of the archive's hottest functions, starting at *row, which must be 0 at first. They come
 * in descending order of their weight, and have 99% of the weight of all functions. */
PA_API bool pa_hot(pa_run *run, uint32_t *row, pa_hot_function *hot);

/* pa_coverage returns the share of this run's calls that went to functions with a profile in the archive, from 0 to 1.
 * It is 0 before the first call. */
PA_API double pa_coverage(pa_run *run);

/* ---- dumps ---- */

/* What a dump omitted. It omits the archive's damaged profiles, functions whose key the format cannot hold (a NUL byte,
 * a part of more than 1 MiB), rows that refer to no class, and versions beyond pa_vm.versions. */
#define PA_LOST_NAME 160

typedef struct pa_lost {
	uint64_t profiles, rows;
	uint64_t versions;
	pa_error error; /* error of the first profile, or PA_OK */
	char first[PA_LOST_NAME]; /* name of the first profile, or of the class of the first row; zero-terminated */
} pa_lost;

/* pa_dump writes an archive with the counts of the archive at the start plus the counts of this run. It may replace the
 * file that the run began with, and does so if path is NULL. An archive of another VM is not replaced (PA_MISMATCH).
 * The next run then begins with these totals. A later dump of a run includes all counts of its earlier dumps, and a
 * merge takes the latest one.
 *
 * pa_checkpoint writes the counts of the run since its last checkpoint, and only the profiles that have any. It is for
 * a process that runs for a long time, or for one of many processes that begin with the same archive. `profarc merge`
 * adds up the checkpoints of a run, the archive that the run began with, and the checkpoints of other runs, in any
 * order. If a checkpoint is lost, only its counts are lost. After an error the next checkpoint includes the counts of
 * the failed one.
 *
 * A dump records its process, time and id. The file appears whole or not at all. A replaced file keeps its permissions.
 * During the copy, calls that need functions or classes wait, and counting continues. A run writes either dumps or
 * checkpoints. The other call returns PA_ARGUMENT. lost may be NULL.
 *
 * After a fork both processes continue the run, and each writes only its own counts. The child's counts begin at the
 * fork, and the child may write dumps or checkpoints, whichever its parent wrote. */
PA_API pa_error pa_dump(pa_run *run, const char *path, pa_lost *lost);
PA_API pa_error pa_checkpoint(pa_run *run, const char *path, pa_lost *lost);

#ifdef __cplusplus
}
#endif
#endif
