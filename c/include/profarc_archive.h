/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of the library, beneath profarc.h: libprofarc reads and writes profarc archives of all domains, and counts
 * in them in place. docs/format.md defines the archive, docs/adoption.md what native code may do with an adopted one.
 *
 *	pa_archive *archive;
 *	pa_error e = pa_open("app.parc", NULL, &archive);
 *	if (e.code != PA_OK) { log(e.message); run_without_profile(); }
 *
 * The conventions of profarc.h hold, and:
 *
 * - Readers allocate when an archive is opened, when it is adopted, at the first pa_bind, when methods of a class are
 *   first asked for, and for late types; nothing else allocates, but builders and runs.
 * - pa_close must be the last use of an archive and of all that was got from it. An iterator belongs to one thread at a
 *   time, and so does a builder.
 * - Texts, profiles and entries are in the archive and are valid until pa_close.
 * - Sizes and offsets are in bytes, and from the start of the file, where nothing else is said. A pa_ref is the place
 *   of a record: its offset divided by 8; 0 is none.
 * - What was checked in a file is not checked again, and if it is cut short, reading it raises SIGBUS. Replace archives
 *   by renaming, or read them into memory and use pa_open_memory.
 *
 * A shared object that links the static library, as an agent of a JVM does, keeps these names to itself with the
 * linker's --exclude-libs=libprofarc.a, so that two of them in one process do not meet.
 */
#ifndef PROFARC_ARCHIVE_H
#define PROFARC_ARCHIVE_H

#include "profarc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- open ---- */

typedef struct pa_archive pa_archive;
typedef uint32_t pa_ref;

/* The profilers. docs/format.md has a table of them. */
typedef enum pa_domain {
	PA_HOTSPOT = 1,
	PA_LLVM_IR,
	PA_LLVM_FRONTEND,
	PA_GRAAL,
	PA_JAMAICA,
	PA_CUSTOM,
	PA_SAMPLED
} pa_domain;

/* When the sums of the pages are compared with the pages. */
typedef enum pa_check {
	PA_CHECK_TOUCH, /* each page at its first use */
	PA_CHECK_ALL,   /* all pages, in pa_open */
	PA_CHECK_NONE   /* never. Damage that breaks a rule of the format is still noticed, other damage is not */
} pa_check;

/* Options are a struct of zeros with the fields that you set. NULL is all zeros. */
typedef struct pa_options {
	pa_check check;
	uint32_t domain;            /* expected domain; 0 for any */
	const char *producer;       /* expected producer; NULL for any */
	const uint8_t *fingerprint; /* expected fingerprint of the program, 16 bytes; NULL for any */
	const uint8_t *producer_id; /* of PA_CUSTOM: expected producer, 16 bytes; NULL for any */
} pa_options;

/* pa_open maps an archive, read-only. It reads the header alone, in the default mode. */
PA_API pa_error pa_open(const char *path, const pa_options *options, pa_archive **archive);

/* pa_open_memory opens an archive in memory, which must not change until pa_close. */
PA_API pa_error pa_open_memory(const void *bytes, size_t size, const pa_options *options, pa_archive **archive);

/* pa_close unmaps the archive, adopted or not. NULL is ignored. */
PA_API void pa_close(pa_archive *archive);

/* The settings of the producer, as numbered in docs/format.md. */
enum {
	PA_TYPE_ROWS,
	PA_BCI_ROWS,
	PA_GAP,
	PA_TYPE_PROFILE_LEVEL,
	PA_VM_RELEASE,
	PA_LLVM_VERSION,
	PA_LLVM_VARIANT,
	PA_PROFILE_TRAPS,
	PA_LLVM_NEWEST,
	PA_SETTINGS = 16
};

typedef struct pa_info {
	uint32_t version; /* of the format */
	uint32_t domain;
	uint64_t file_size;
	uint64_t requested_base; /* the address at which pointers in the file need no relocation */
	uint8_t fingerprint[16]; /* of the program */
	uint8_t dump_id[16];
	uint8_t producer_id[16]; /* of PA_CUSTOM: what profile points, keys and shapes mean; zeros in other domains */
	int64_t dump_time; /* nanoseconds since 1970; 0 if not known */
	uint64_t flags;    /* bit 0: increments since a dump; bit 1: made from several dumps */
	uint32_t settings[PA_SETTINGS];
	pa_text producer;
	uint64_t seed, index_lines;
	uint32_t max_probe;
	uint64_t methods, unexecuted, profiles, contexts, types, symbols, entries, pointers; /* how many there are */
	uint64_t total_invocations, max_invocations, total_count, max_count;
} pa_info;

/* pa_info_of returns what the header says. Provenance is in the tables PA_TABLE_DUMPS and PA_TABLE_RUNS. */
PA_API const pa_info *pa_info_of(const pa_archive *archive);

/* ---- layers ---- */

/* pa_fits_on returns PA_OK if an archive may be a layer on another one, which has what it lacks: it names that one as
 * its base, or it names none and both are of one VM. PA_MISMATCH: it names another; then the layer can be used alone.
 * With a base of NULL: PA_MISMATCH if the archive is a layer at all. A lookup in layers asks the topmost archive first,
 * and each further one for what those before answered with PA_NOT_FOUND, PA_UNEXECUTED or PA_NO_PROFILE.
 * docs/embedding.md says more. */
PA_API pa_error pa_fits_on(const pa_archive *layer, const pa_archive *base);

/* ---- types ---- */

/* A type is named by its ordinal: 0 to pa_info.types - 1, and late types from there on. */
#define PA_NO_TYPE UINT32_MAX

typedef struct pa_type {
	uint32_t ordinal;
	uint32_t flags; /* bit 0: hidden class; bit 1: the name does not identify the type in another run; bit 2: loaded,
					   bit 3: initialized in a run */
	uint64_t id;
	pa_text name, loader, alias;
} pa_type;

/* pa_type_get reads the type with an ordinal. */
PA_API pa_error pa_type_get(const pa_archive *archive, uint32_t ordinal, pa_type *type);

/* pa_find_type looks up a type by name and loader. */
PA_API pa_error pa_find_type(const pa_archive *archive, pa_text name, pa_text loader, uint32_t *ordinal);

typedef struct pa_types {
	const pa_archive *_archive;
	uint64_t _next, _text;
} pa_types;

/* pa_types_of iterates over the types of the archive: while ((e = pa_types_next(&it, &t)).code == PA_OK). The end is
 * PA_NOT_FOUND, as with all iterators that return an error. */
PA_API pa_types pa_types_of(const pa_archive *archive);
PA_API pa_error pa_types_next(pa_types *it, pa_type *type);

/* ---- methods ---- */

/* Flags of a method. */
enum { PA_METHOD_UNEXECUTED = 1 << 3, PA_METHOD_NOT_MATCHABLE = 1 << 4, PA_METHOD_SHARED_ID = 1 << 5 };

typedef struct pa_method {
	pa_ref at;       /* its record, or its row if the archive has no more than the key */
	uint32_t flags;  /* PA_METHOD_... ; other bits are the format's */
	uint32_t access; /* access flags as in a class file; 0 if not known */
	uint32_t holder; /* the class that declares it; PA_NO_TYPE for none */
	uint64_t id;
	/* The signature may be a list of texts in the file: its bytes are NULL then, and pa_signature copies it. */
	pa_key key;
	uint32_t contexts; /* number of its context records */
	pa_ref _profiles, _contexts, _signature;
} pa_method;

/* pa_key_id returns the id of a key. It is the same in all archives of a domain: compute it once. */
PA_API uint64_t pa_key_id(const pa_archive *archive, const pa_key *key);

/* pa_find_method looks up a method by its key, pa_find_method_id by its id. Unexecuted methods are found by key; by id
 * only some of them. PA_AMBIGUOUS: several keys have the id, use the key. */
PA_API pa_error pa_find_method(const pa_archive *archive, const pa_key *key, pa_method *method);
PA_API pa_error pa_find_method_id(const pa_archive *archive, uint64_t id, pa_method *method);

/* pa_method_at reads the method to which a context or a profile refers, pa_table_method that of a cell of a table: only
 * tables refer to methods of which the archive has no more than the key. */
PA_API pa_error pa_method_at(const pa_archive *archive, pa_ref at, pa_method *method);
PA_API pa_error pa_table_method(const pa_archive *archive, pa_ref at, pa_method *method);

/* pa_signature copies the signature, method->key.signature.size bytes, into a buffer of room bytes. */
PA_API pa_error pa_signature(const pa_archive *archive, const pa_method *method, char *buffer, size_t room);

typedef struct pa_methods {
	const pa_archive *_archive;
	uint64_t _record, _row, _rows_end, _class, _classes_end, _rows, _text;
	bool _begun;
} pa_methods;

/* pa_methods_of iterates over all methods in the order of their keys, unexecuted ones included. */
PA_API pa_methods pa_methods_of(const pa_archive *archive);
PA_API pa_error pa_methods_next(pa_methods *it, pa_method *method);

typedef struct pa_class_methods {
	const pa_archive *_archive;
	uint32_t _class, _next;
	uint64_t _text;
} pa_class_methods;

/* pa_class_methods_of iterates over the methods that a class declares, in the order of their keys, unexecuted ones
 * included. type is the ordinal of the class (pa_find_type), or PA_NO_TYPE for the methods without one. The first call
 * for an archive looks at all methods and keeps 4 bytes for each type and each method; from then on a class costs what
 * its methods cost. */
PA_API pa_class_methods pa_class_methods_of(const pa_archive *archive, uint32_t type);
PA_API pa_error pa_class_methods_next(pa_class_methods *it, pa_method *method);

/* pa_hotspot_code_id returns the code id of a method in archives of PA_HOTSPOT: the hash of its bytecodes as they stand
 * in its class file, as JVMTI's GetBytecodes gives them, or as HotSpot has rewritten them, without what changes with
 * other methods of the class. A lookup with it finds the profile of this version of the code. PA_UNKNOWN_CODE if the
 * bytes are no bytecodes, or if a debugger has set a breakpoint in them. */
PA_API uint64_t pa_hotspot_code_id(const uint8_t *bytecodes, size_t size);

/* ---- contexts ---- */

/* A calling context of a method: a node that adds one outer frame to the node inside. */
typedef struct pa_context {
	pa_ref at;
	pa_ref method; /* whose context it is */
	pa_ref inner;  /* the context with one frame fewer; 0 if there is none */
	pa_ref caller; /* the method of the frame that it adds */
	int32_t point; /* the profile point of the call in the caller */
	pa_ref _profiles;
} pa_context;

typedef struct pa_frame {
	pa_ref caller; /* pa_method.at */
	int32_t point;
} pa_frame;

typedef struct pa_contexts {
	const pa_archive *_archive;
	pa_ref _method, _first, _level;
	uint32_t _next, _count, _depth;
} pa_contexts;

/* pa_contexts_of iterates over the contexts of a method, inner ones before outer ones. */
PA_API pa_contexts pa_contexts_of(const pa_archive *archive, const pa_method *method);
PA_API pa_error pa_contexts_next(pa_contexts *it, pa_context *context);

/* pa_context_at reads the context to which a file reference leads. It takes time linear in the number of frames. */
PA_API pa_error pa_context_at(const pa_archive *archive, pa_ref at, pa_context *context);

/* pa_context_frames writes the frames of a context, the direct caller first, as many as there is room for, and sets
 * count to how many there are: at most 65535. */
PA_API pa_error pa_context_frames(
	const pa_archive *archive, const pa_context *context, pa_frame *frames, size_t room, size_t *count);

/* ---- profiles ---- */

/* PA_ANY_CODE asks for the profile of the only version of the code, PA_UNKNOWN_CODE for that without a code id. */
#define PA_ANY_CODE UINT64_MAX
#define PA_UNKNOWN_CODE ((uint64_t)0)

/* A profile of a method: its MethodData block. */
typedef struct pa_profile {
	const pa_archive *archive;
	const uint8_t *bytes; /* the block as the file has it */
	uint8_t *live;        /* the block that may be counted in; NULL if the profile is not adopted */
	pa_ref at;
	uint32_t units; /* size of the block divided by 8 */
} pa_profile;

/* pa_find_profile looks up the profile of a method for all callers, by the key of the method, pa_find_profile_id by its
 * id. */
PA_API pa_error pa_find_profile(const pa_archive *archive, const pa_key *key, uint64_t code, pa_profile *profile);
PA_API pa_error pa_find_profile_id(const pa_archive *archive, uint64_t id, uint64_t code, pa_profile *profile);

/* pa_find_profile_in finds the profile of a method for a stack of callers, the direct caller first: the one whose
 * context agrees with the most of the frames. depth is the number of frames in that context, 0 for the profile for all
 * callers. */
PA_API pa_error pa_find_profile_in(const pa_archive *archive, const pa_method *method, uint64_t code,
	const pa_frame *frames, size_t count, pa_profile *profile, size_t *depth);

typedef struct pa_profiles {
	pa_contexts _contexts;
	pa_ref _method, _context, _next;
	uint64_t _code;
	bool _begun;
} pa_profiles;

/* pa_profiles_of iterates over the profiles of a method: those for all callers first, then by context; by code id.
 * After damage an iteration may go on: with the profiles of the next context. */
PA_API pa_profiles pa_profiles_of(const pa_archive *archive, const pa_method *method);
PA_API pa_error pa_profiles_next(pa_profiles *it, pa_profile *profile);

/* pa_profile_at reads the profile to which a file reference of a table leads. */
PA_API pa_error pa_profile_at(const pa_archive *archive, pa_ref at, pa_profile *profile);

/* What a profile has beside its entries. Counts are live if the profile is adopted. */
typedef struct pa_summary {
	uint32_t has;    /* bit i: the optional field i of docs/format.md; what follows is 0 without it */
	pa_ref method;   /* pa_method_at */
	pa_ref context;  /* pa_context_at; 0: for all callers */
	uint64_t code;   /* version of the method's code */
	uint32_t code_size, producer_size;
	uint64_t invocations, backedges, interpreted;
	uint32_t decompiles, overflow_recompiles, overflow_traps, tenure_traps;
	uint8_t highest_level, state, would_profile;
	uint16_t loops, blocks;
	uint64_t escape_flags, escape_local, escape_stack, escape_returned;
	const uint8_t *traps; /* number of traps by reason, trap_reasons of them */
	uint32_t trap_reasons;
} pa_summary;

/* The optional fields. */
enum {
	PA_FIELD_ID,
	PA_FIELD_INVOCATIONS,
	PA_FIELD_KEY,
	PA_FIELD_LINKS,
	PA_FIELD_CODE,
	PA_FIELD_SIZE,
	PA_FIELD_BACKEDGES,
	PA_FIELD_INTERPRETED,
	PA_FIELD_HISTORY,
	PA_FIELD_COMPILE,
	PA_FIELD_ESCAPE,
	PA_FIELD_TRAPS,
	PA_FIELD_SECTIONS,
	PA_FIELD_DIRECTORY
};

PA_API void pa_summarize(const pa_profile *profile, pa_summary *summary);

/* ---- entries ---- */

typedef enum pa_tag {
	PA_BIT = 1,
	PA_COUNTER,
	PA_JUMP,
	PA_RECEIVER_TYPE,
	PA_VIRTUAL_CALL,
	PA_RET,
	PA_BRANCH,
	PA_MULTI_BRANCH,
	PA_ARG_INFO,
	PA_CALL_TYPE,
	PA_VIRTUAL_CALL_TYPE,
	PA_PARAMETERS_TYPE,
	PA_SPECULATIVE_TRAP,
	PA_COUNTERS = 64,
	PA_VALUE_SITE,
	PA_BITMAP,
	PA_SUCCESSORS,
	PA_RECEIVERS,
	PA_CALLEES,
	PA_COUNT,
	PA_UNDECODED /* PA_PRODUCER and higher tags are a producer's own: see pa_shape_of */
} pa_tag;

typedef enum pa_section { PA_DATA, PA_EXTRA, PA_PARAMETERS, PA_HANDLERS } pa_section;

/* An entry of a profile. docs/format.md says which cells a tag has. */
typedef struct pa_entry {
	const pa_archive *archive;
	const uint8_t *bytes; /* the entry as the file has it */
	uint8_t *live;        /* the entry that may be counted in; NULL if the profile is not adopted */
	uint32_t units;       /* size of the entry divided by 8 */
	uint8_t tag, flags;   /* flags and traps as in the file; pa_flags and pa_traps are live */
	uint16_t sub;         /* 0 for tags below 64 */
	int32_t point;
	uint32_t cells; /* number of cells */
	uint32_t rows;  /* of tags from 64 on */
	uint32_t traps;
} pa_entry;

typedef struct pa_entries {
	pa_profile _profile;
	uint64_t _at, _end;
	int32_t _point;
	bool _one;
} pa_entries;

/* pa_entries_of iterates over the entries of a section, pa_entries_at over the data entries at a profile point. */
PA_API pa_entries pa_entries_of(const pa_profile *profile, pa_section section);
PA_API pa_entries pa_entries_at(const pa_profile *profile, int32_t point);
PA_API bool pa_entries_next(pa_entries *it, pa_entry *entry);

/* pa_entry_at finds the first data entry at a profile point. */
PA_API bool pa_entry_at(const pa_profile *profile, int32_t point, pa_entry *entry);

/* pa_cell returns cell i as a number: live if the profile is adopted. pa_trained returns it as the file has it.
 * Both return 0 where there is no such cell. */
PA_API uint64_t pa_cell(const pa_entry *entry, uint32_t i);
PA_API uint64_t pa_trained(const pa_entry *entry, uint32_t i);

/* pa_cell_type decodes cell i, which holds a pointer to a type or a type word: the ordinal of the type, PA_NO_TYPE for
 * none. tags are bit 0: a null was seen, bit 1: several types were seen; NULL if you don't need them. */
PA_API uint32_t pa_cell_type(const pa_entry *entry, uint32_t i, unsigned *tags);

/* pa_cell_method reads the method to which cell i points; PA_NOT_FOUND if it is empty. */
PA_API pa_error pa_cell_method(const pa_entry *entry, uint32_t i, pa_method *method);

/* Typed accessors. They return false for an entry of another tag. */

/* The count of a Counter, CallType or Count entry. */
PA_API bool pa_count_of(const pa_entry *entry, uint64_t *count);

typedef struct pa_branch {
	uint64_t taken, not_taken; /* not_taken is 0 for a Jump */
	int64_t displacement;      /* from this entry to the target's */
} pa_branch;

/* A Branch or Jump entry. Cell 0 is taken, cell 2 of a Branch not taken. */
PA_API bool pa_branch_of(const pa_entry *entry, pa_branch *branch);

/* A list in an entry: row i begins at cell first + i * width. */
typedef struct pa_rows {
	uint32_t first, width, count;
} pa_rows;

/* The rows of a MultiBranch, Ret, ArgInfo, Counters, ValueSite, Successors or Callees entry, or of a producer's. */
PA_API bool pa_rows_of(const pa_entry *entry, pa_rows *rows);

/* The receiver rows of a ReceiverType, VirtualCall, VirtualCallType or Receivers entry: a type, its count. Cell 0 is
 * the count of all others. */
PA_API bool pa_receivers_of(const pa_entry *entry, pa_rows *rows);

/* The types of a CallType, VirtualCallType or ParametersType entry: rows of a stack slot and a type word. returned is
 * the cell of the type word of the return value, 0 if there is none. */
PA_API bool pa_arguments_of(const pa_entry *entry, pa_rows *rows, uint32_t *returned);

/* The bytes of a Bitmap entry, live if the profile is adopted; there are entry->rows. */
PA_API const uint8_t *pa_bitmap_of(const pa_entry *entry);

/* ---- shapes ---- */

/* The shape that an archive of PA_CUSTOM declares for the entries of one of its producer's tags. */
typedef struct pa_shape {
	const pa_archive *archive;
	pa_text name;
	uint8_t tag, unit;        /* unit: what its counts count, as numbered in docs/format.md */
	uint8_t cells, row_cells; /* how many cells stand once, and how many a row has */
} pa_shape;

typedef struct pa_cell_shape {
	pa_text name;
	uint8_t kind; /* pa_cell_kind */
} pa_cell_shape;

/* pa_shape_of finds the shape of a tag; false if none is declared. */
PA_API bool pa_shape_of(const pa_archive *archive, uint8_t tag, pa_shape *shape);

/* pa_shape_cell reads the i-th cell: first the cells that stand once, then a row. false if there are fewer. */
PA_API bool pa_shape_cell(const pa_shape *shape, uint32_t i, pa_cell_shape *cell);

/* pa_shape_bit returns the name of a bit of the i-th cell, empty if it has none. */
PA_API pa_text pa_shape_bit(const pa_shape *shape, uint32_t i, uint32_t bit);

/* ---- tables ---- */

enum {
	PA_TABLE_ORDER = 1,
	PA_TABLE_PROPERTIES,
	PA_TABLE_DUMPS,
	PA_TABLE_MONITORS,
	PA_TABLE_SAMPLES,
	PA_TABLE_TRACES = 7,
	PA_TABLE_CODE = 15,
	PA_TABLE_RUNS,
	PA_TABLE_CLASS_PATH,
	PA_TABLE_SHAPES = 19,
	PA_TABLE_COMPILATIONS,
	PA_TABLE_INLINING,
	PA_TABLE_FUNCTIONS,
	PA_TABLE_BASE,
	PA_TABLE_MOVED = 25,
	PA_TABLE_CERTAIN,
	PA_TABLE_OBJECTS = 29
};
#define PA_TABLE_PRODUCER ((uint32_t)1 << 31) /* the first kind of a producer's own tables, in archives of PA_CUSTOM */
enum {
	PA_COLUMN_WORD = 1,
	PA_COLUMN_SYMBOL,
	PA_COLUMN_TYPE,
	PA_COLUMN_METHOD,
	PA_COLUMN_PROFILE,
	PA_COLUMN_CONTEXT,
	PA_MAX_COLUMNS = 64
};

typedef struct pa_table {
	const pa_archive *archive;
	uint32_t kind, flags, rows, columns;
	uint8_t column_kinds[PA_MAX_COLUMNS];
	uint64_t _columns[PA_MAX_COLUMNS];
} pa_table;

/* pa_table_get finds the table of a kind, pa_table_number the i-th table. The end is PA_NOT_FOUND. */
PA_API pa_error pa_table_get(const pa_archive *archive, uint32_t kind, pa_table *table);
PA_API pa_error pa_table_number(const pa_archive *archive, uint32_t i, pa_table *table);

/* pa_table_cell returns a cell: a word, or the pa_ref of a record; 0 where there is no such cell. */
PA_API uint64_t pa_table_cell(const pa_table *table, uint32_t column, uint32_t row);

/* pa_symbol_at reads the text of a symbol, empty for 0; pa_type_at the type whose record is at a reference. */
PA_API pa_error pa_symbol_at(const pa_archive *archive, pa_ref at, pa_text *text);
PA_API pa_error pa_type_at(const pa_archive *archive, pa_ref at, pa_type *type);

/* ---- adoption: counting in place ---- */

/* Where the second mapping of an archive is. */
typedef enum pa_base {
	/* where the archive asks for, if that is free, else anywhere: there nothing has to be relocated */
	PA_BASE_REQUESTED,
	PA_BASE_ANYWHERE
} pa_base;

/* pa_adopt maps the archive a second time, for counting in place; see docs/adoption.md. An archive is adopted once:
 * PA_ADOPTED. Counts stay in this process and never change the file. PA_UNSUPPORTED: this machine is not little-endian.
 */
PA_API pa_error pa_adopt(pa_archive *archive, pa_base base);

typedef struct pa_adoption {
	uint64_t base;     /* address of the second mapping; it is valid until pa_close */
	bool at_requested; /* pointers in the file are addresses in it */
} pa_adoption;

/* pa_adoption_of returns whether the archive is adopted. */
PA_API bool pa_adoption_of(const pa_archive *archive, pa_adoption *adoption);

/* pa_claim makes a profile live: its words may be counted in from now on, by all threads. The first claim of a block
 * that is mapped elsewhere than at its requested base relocates its pointers, others wait for that. Claiming again does
 * nothing. Get entries after the claim: those before it, and other copies of the profile, have no words. PA_NOT_DECODED
 * refuses this profile alone: the VM counts elsewhere, as for a function without a profile. */
PA_API pa_error pa_claim(pa_profile *profile);

/* pa_claim_all claims many profiles, of one archive or of several. It stops at the first that fails; claimed is the
 * number of those before. */
PA_API pa_error pa_claim_all(pa_profile *profiles, size_t count, size_t *claimed);

/* pa_word returns cell i of an entry as a word that may be counted in; NULL if the profile is not claimed, or has no
 * such cell. Compiled code may add to it by any atomic instruction. Only counts may be written, and of a producer's
 * entry what its kinds of cells allow (docs/adoption.md, "What may be written"): other cells by the functions below. */
PA_API pa_counter *pa_word(const pa_entry *entry, uint32_t i);

/* pa_profile_word returns the word of PA_FIELD_INVOCATIONS, PA_FIELD_BACKEDGES or PA_FIELD_INTERPRETED; NULL if the
 * profile is not claimed, or does not have the field. */
PA_API pa_counter *pa_profile_word(const pa_profile *profile, unsigned field);

#define PA_NO_ROW UINT32_MAX

/* pa_count_receiver counts a receiver as a VM would: in the row of its type, else in an empty row, which becomes its
 * own, else in the count of all others. *row is the row, PA_NO_ROW for the count of all others; NULL if you don't need
 * it. A row keeps its type, so that an inline cache can keep pa_word of its count. */
PA_API pa_error pa_count_receiver(const pa_entry *entry, uint32_t type, uint32_t *row);

/* A type profile may say that a null was seen, in the flags (bit 0), and which traps were taken (bit 31: recompiled
 * after the trap; bits 0 to 30: the reason, all set for several). */
PA_API uint8_t pa_flags(const pa_entry *entry);
PA_API uint32_t pa_traps(const pa_entry *entry);
PA_API pa_error pa_mark_null(const pa_entry *entry);
PA_API pa_error pa_mark_trap(const pa_entry *entry, uint32_t reason, bool recompiled);

/* ---- types of this process ---- */

typedef enum pa_binding {
	PA_UNBOUND, /* not loaded yet: do not act on it */
	PA_BOUND,   /* tied to a class of the embedder */
	PA_EXCLUDED /* will never be loaded, or must not be used */
} pa_binding;

/* pa_bind ties a type to the embedder's class, any pointer but NULL. Binding it to another class, or binding an
 * excluded type, is PA_AMBIGUOUS. pa_exclude is for types, bound or not, that must never be acted on. */
PA_API pa_error pa_bind(pa_archive *archive, uint32_t type, void *to);
PA_API pa_error pa_exclude(pa_archive *archive, uint32_t type);

/* pa_bound returns the state of a type, and what it is bound to; to may be NULL. */
PA_API pa_binding pa_bound(const pa_archive *archive, uint32_t type, void **to);

/* A row of a type profile. */
typedef struct pa_receiver {
	uint32_t row, type;
	uint64_t count;
	pa_counter *word; /* of the count; NULL if the profile is not claimed */
	pa_binding binding;
	void *bound;
} pa_receiver;

/* pa_receiver_at reads a row of a type profile; false if it is empty, or there is none. */
PA_API bool pa_receiver_at(const pa_entry *entry, uint32_t row, pa_receiver *receiver);

/* pa_next_bound goes on to the next row from *row on whose type is bound: for (uint32_t row = 0; pa_next_bound(&e,
 * &row, &r);) */
PA_API bool pa_next_bound(const pa_entry *entry, uint32_t *row, pa_receiver *receiver);

/* pa_late_type finds the type of that name and loader. If the archive lacks it, it gets an ordinal of its own, so that
 * it can be recorded and bound; at most 65536 types do. PA_NOT_ADOPTED: only adopted archives take types. */
PA_API pa_error pa_late_type(pa_archive *archive, pa_text name, pa_text loader, uint32_t *ordinal);

/* ---- writing ---- */

/*
 * A builder takes what a VM has recorded, in any order, and lays it out as an archive. The archive has the same bytes
 * as that of the Go package builder for the same calls.
 *
 *	pa_config config = {.domain = PA_GRAAL, .producer = pa_text_of("Example VM 1")};
 *	pa_builder *b;
 *	pa_error e = pa_builder_new(&config, &b);
 *	if (e.code != PA_OK) return e;
 *	pa_key key = {.class_name = pa_text_of("Shapes"), .name = pa_text_of("area")};
 *	pa_begin(b, pa_intern_method(b, &key), PA_UNKNOWN_CODE, 0);
 *	pa_record_invocations(b, 1000);
 *	pa_record_count(b, 7, PA_CALLS, 0, 980);
 *	pa_done(b, NULL);
 *	e = pa_write(b, "app.parc", NULL);
 *	pa_builder_free(b);
 *
 * - A builder is used by one thread at a time. Builders share nothing. Their number and size are bounded by memory
 * alone.
 * - What is recorded is copied: texts and arrays need not outlive the call.
 * - Calls that record keep the first error, and do nothing after it: a long row of calls needs one check. pa_done,
 * pa_write and pa_builder_error return it. Out of memory is PA_SYSTEM with ENOMEM; a builder that failed can only be
 * freed.
 * - Types, methods, contexts, symbols and profiles are named by references: numbers from 1 on, valid for that builder.
 * 0 is none, and what a call returns that fails.
 *
 * What the Go packages write and this library does not: archives merged from several runs (write one archive a run, and
 * `profarc merge` them), with weights, fewer rows or versions; imports of other formats, with the tables in which
 * LLVM's and iprof files keep their source order; batches that are rolled back; and blocks of profiles kept in a file
 * while recording. All domains, entries, fields and tables of the format can be written.
 */
typedef struct pa_builder pa_builder;

/* What an archive says of itself. A config is a struct of zeros with the fields that you set; domain must be. */
typedef struct pa_config {
	uint32_t domain;
	uint32_t settings[PA_SETTINGS]; /* type rows, bci rows and gap decide the sizes of HotSpot's entries: at most 64 */
	pa_text producer;               /* at most 64 bytes */
	uint8_t producer_id[16];        /* of PA_CUSTOM, where it must be set: what profile points, keys and shapes mean */
	uint8_t fingerprint[16];        /* of the program */
	/* Identity of the dump; derived from the content if it is 0: two runs that count just the same are then one dump,
	 * which no merge counts twice. Fill it with random bytes if each run is to count. */
	uint8_t dump_id[16];
	int64_t dump_time; /* nanoseconds since 1970; 0 if not known */
	uint64_t flags;    /* bit 0: increments since a dump; bit 1: made from several dumps */
} pa_config;

/* pa_builder_new makes an empty builder, pa_builder_like one for an archive with the header of another. */
PA_API pa_error pa_builder_new(const pa_config *config, pa_builder **builder);
PA_API pa_error pa_builder_like(const pa_archive *archive, pa_builder **builder);
PA_API void pa_builder_free(pa_builder *builder);
PA_API pa_error pa_builder_error(const pa_builder *builder);

/* pa_intern_symbol interns a text for a table: any bytes. */
PA_API uint32_t pa_intern_symbol(pa_builder *builder, pa_text text);

/* pa_intern_type interns a type. A name has no NUL byte and at most 1 MiB, as all parts of keys. pa_describe_type adds
 * to what is known of it: flags are united; of several aliases the one that sorts first stays. */
PA_API uint32_t pa_intern_type(pa_builder *builder, pa_text name, pa_text loader);
PA_API void pa_describe_type(pa_builder *builder, uint32_t type, pa_text alias, uint32_t flags);

/* pa_intern_method interns a method, and its class as a type. pa_describe_method adds access flags, as in a class file,
 * and PA_METHOD_NOT_MATCHABLE. pa_record_seen says that a method was loaded: if nothing shows that it ran (a profile, a
 * context, a sampled stack, a pointer of an entry), the archive knows it as unexecuted. */
PA_API uint32_t pa_intern_method(pa_builder *builder, const pa_key *key);
PA_API void pa_describe_method(pa_builder *builder, uint32_t method, uint32_t access, uint32_t flags);
PA_API void pa_record_seen(pa_builder *builder, uint32_t method);

/* pa_intern_context interns a calling context of a method: inner, which is 0 for none, with one more frame around it.
 */
PA_API uint32_t pa_intern_context(pa_builder *builder, uint32_t method, uint32_t inner, uint32_t caller, int32_t point);

/* Profiles. pa_begin begins the profile of a method, for a version of its code (PA_UNKNOWN_CODE, but not PA_ANY_CODE)
 * and a context (0: for all callers). What follows belongs to it, until pa_done adds it, or pa_discard drops it. Of a
 * profile that the builder has already pa_done returns PA_AMBIGUOUS: that one is left out, and the builder goes on.
 * *profile is its reference, for tables; it may be NULL. */
PA_API void pa_begin(pa_builder *builder, uint32_t method, uint64_t code, uint32_t context);
PA_API pa_error pa_done(pa_builder *builder, uint32_t *profile);
PA_API void pa_discard(pa_builder *builder);

/* The optional fields, each set at most once; pa_summary has the meaning of each. */
PA_API void pa_record_invocations(pa_builder *builder, uint64_t n);
PA_API void pa_record_backedges(pa_builder *builder, uint64_t n);
PA_API void pa_record_interpreted(pa_builder *builder, uint64_t n);
PA_API void pa_record_size(pa_builder *builder, uint32_t code_size, uint32_t producer_size);
PA_API void pa_record_history(pa_builder *builder, uint32_t decompiles, uint32_t overflow_recompiles,
	uint32_t overflow_traps, uint32_t tenure_traps);
PA_API void pa_record_compile(
	pa_builder *builder, uint8_t highest_level, uint8_t state, uint8_t would_profile, uint16_t loops, uint16_t blocks);
PA_API void pa_record_escape(pa_builder *builder, uint64_t flags, uint64_t local, uint64_t stack, uint64_t returned);
PA_API void pa_record_traps(pa_builder *builder, const uint8_t *by_reason, uint32_t reasons);

/* Entries. Data entries may come in any order: they are stored by point, tag and sub, and else as they came. Those of
 * other sections stay as they came. */

typedef struct pa_type_count { uint32_t type; uint64_t count; } pa_type_count; /* a row; of type 0: an empty one */
typedef struct pa_method_count { uint32_t method; uint64_t count; } pa_method_count;
typedef struct pa_value_count { uint64_t value, count; } pa_value_count;
typedef struct pa_successor { int32_t point; uint32_t index; uint64_t count; } pa_successor;

/* What sub says of a wide entry. */
enum { PA_INDIRECT_CALL, PA_MEM_OP_SIZE, PA_VTABLE };                                                  /* ValueSite */
enum { PA_CONDITIONAL = 1, PA_RETURN };                                                                /* Successors */
enum { PA_OF_CALL = 1, PA_OF_TYPE_CHECK };                                                             /* Receivers */
enum {
	PA_CALLS = 1,
	PA_BYTECODES,
	PA_CYCLES,
	PA_NATIVE_CALLS,
	PA_NEW_ARRAYS,
	PA_SAMPLES,
	PA_UNPROFILED,
	PA_NANOSECONDS
}; /* Count */

/* Receivers: flags bit 0: a null was seen; other counts all types without a row, and is signed for a type check. Rows
 * of type 0 are room for types to be recorded in place. */
typedef struct pa_new_receivers {
	int32_t point;
	uint16_t sub;
	uint8_t flags;
	uint32_t traps;
	uint64_t other;
} pa_new_receivers;

PA_API void pa_record_counters(pa_builder *builder, int32_t point, const uint64_t *counts, uint32_t n);
PA_API void pa_record_value_site(
	pa_builder *builder, int32_t site, uint16_t kind, const pa_value_count *values, uint32_t n);
PA_API void pa_record_bitmap(pa_builder *builder, int32_t point, const uint8_t *bytes, uint32_t n);
PA_API void pa_record_successors(
	pa_builder *builder, int32_t point, uint16_t sub, const pa_successor *rows, uint32_t n);
PA_API void pa_record_receivers(
	pa_builder *builder, const pa_new_receivers *receivers, const pa_type_count *rows, uint32_t n);
PA_API void pa_record_callees(pa_builder *builder, int32_t point, const pa_method_count *rows, uint32_t n);
/* pa_record_count adds one counter of what sub says. flags bit 1: the producer marked it as interpreted. */
PA_API void pa_record_count(pa_builder *builder, int32_t point, uint16_t sub, uint8_t flags, uint64_t count);

/* pa_record_undecoded adds, to an archive of PA_HOTSPOT, the words of HotSpot's data section from the header on of an
 * entry that the dumper does not know, at the bci in that header. flags bit 2: several such entries were merged, these
 * are the words of one. pa_claim refuses such a profile with PA_NOT_DECODED. */
PA_API void pa_record_undecoded(pa_builder *builder, int32_t point, uint8_t flags, const uint64_t *words, uint32_t n);

/* pa_declare_shape declares the entries of one of the producer's tags, in archives of PA_CUSTOM. Declaring a shape
 * again does nothing; another for its tag is PA_MISMATCH. */
PA_API void pa_declare_shape(pa_builder *builder, const pa_new_shape *shape);

typedef struct pa_custom {
	int32_t point;
	uint8_t tag, flags; /* sub and flags mean what the producer says */
	uint16_t sub;
	const uint64_t *cells; /* those that stand once */
	uint32_t n;
} pa_custom;

/* pa_record_custom adds an entry of a declared shape with n rows, whose cells lie one after the other. Cells that point
 * to types or methods are references of the builder. A row of zeros is free; rows with the same keys become one. */
PA_API void pa_record_custom(pa_builder *builder, const pa_custom *entry, const uint64_t *rows, uint32_t n);

/* HotSpot's entries, in archives of HotSpot's alone. More rows than the settings have are PA_ARGUMENT. */

/* Where an entry stands, and what its header says. */
typedef struct pa_at {
	int32_t point; /* the bci: 0 to 65535 */
	uint8_t flags; /* bit 0: a null was seen */
	uint32_t traps;
	pa_section in; /* PA_DATA if it is not set */
} pa_at;

/* The counts of a receiver entry outside its rows. gap is nonprofiled_count, 0 where the setting gap is 0. */
typedef struct pa_others { uint64_t count, gap; } pa_others;
typedef struct pa_case { uint64_t count; int64_t displacement; } pa_case;
typedef struct pa_ret_row { uint64_t bci, count; int64_t displacement; } pa_ret_row;
typedef struct pa_type_word { uint32_t type; bool null_seen, several; } pa_type_word;
typedef struct pa_slot { uint64_t stack; pa_type_word type; } pa_slot; /* the type of an argument, by stack slot */
typedef struct pa_call_types {
	const pa_slot *arguments;
	uint32_t n;
	const pa_type_word *returned; /* NULL if the return value is not profiled */
} pa_call_types;

PA_API void pa_record_bit(pa_builder *builder, pa_at at);
PA_API void pa_record_counter(pa_builder *builder, pa_at at, uint64_t count);
PA_API void pa_record_jump(pa_builder *builder, pa_at at, uint64_t taken, int64_t displacement);
PA_API void pa_record_branch(pa_builder *builder, pa_at at, pa_branch branch);
PA_API void pa_record_receiver_type(
	pa_builder *builder, pa_at at, pa_others others, const pa_type_count *rows, uint32_t n);
PA_API void pa_record_virtual_call(
	pa_builder *builder, pa_at at, pa_others others, const pa_type_count *rows, uint32_t n);
PA_API void pa_record_ret(pa_builder *builder, pa_at at, uint64_t count, const pa_ret_row *rows, uint32_t n);
PA_API void pa_record_multi_branch(pa_builder *builder, pa_at at, pa_case otherwise, const pa_case *cases, uint32_t n);
PA_API void pa_record_call_type(pa_builder *builder, pa_at at, uint64_t count, const pa_call_types *types);
PA_API void pa_record_virtual_call_type(
	pa_builder *builder, pa_at at, pa_others others, const pa_type_count *rows, uint32_t n, const pa_call_types *types);
/* These have a section of their own: pa_record_arg_info and pa_record_speculative_trap the extra entries,
 * pa_record_parameters the parameters. */
PA_API void pa_record_arg_info(pa_builder *builder, const uint64_t *modified, uint32_t n);
PA_API void pa_record_speculative_trap(pa_builder *builder, pa_at at, uint32_t method);
PA_API void pa_record_parameters(pa_builder *builder, const pa_slot *slots, uint32_t n);

/* Tables. pa_declare_table makes the table of a kind; it must begin with the columns of its kind in docs/format.md, of
 * which there are n. Making it again with other columns or flags is PA_MISMATCH. pa_record_row adds a row: a cell is a
 * number, or a reference of the builder, as its column says. */
PA_API void pa_declare_table(pa_builder *builder, uint32_t kind, uint32_t flags, const uint8_t *columns, uint32_t n);
PA_API void pa_record_row(pa_builder *builder, uint32_t kind, const uint64_t *cells, uint32_t n);

/* A run: which process the dump is of. Zeros and empty texts are not known. Mask secrets in command and options. */
typedef struct pa_class_path {
	pa_text path;
	uint64_t kind, size, sum;
} pa_class_path; /* kind 0 missing, 1 file, 2 directory, 3 unreadable */
typedef struct pa_provenance {
	/* of increments: the dump_id of the archive that was adopted; 0: totals since the start of the process */
	uint8_t since[16];
	/* boot id of the machine; 0: the process is not known, and two dumps of it are both counted in a merge */
	uint8_t boot[16];
	uint64_t name_space, process, start;
	int64_t begun;     /* nanoseconds since 1970 */
	uint64_t exit;     /* docs/format.md, the table runs */
	pa_text vm, vendor, main, command, options, selection;
	const pa_class_path *class_path; /* NULL if it is not known */
	size_t class_path_size;
} pa_provenance;

/* pa_describe_run records which run the dump is of. An archive without a dump id gets that of the process and the dump
 * time, or a random one if these are not known; one without a fingerprint gets that of VM and class path. */
PA_API void pa_describe_run(pa_builder *builder, const pa_provenance *run);

/* pa_describe_process is like pa_describe_run, for a dump of this process, as it counts now. It finds out boot,
 * name_space, process, start and begun, and after pa_snapshot with PA_INCREMENTS since, and takes the rest from run,
 * which may be NULL. The dump gets a random id and the time of now. Of several dumps of one process a merge then counts
 * the last, or refuses them; it sums the dumps of all processes. PA_UNSUPPORTED: the system does not say which process
 * this is, and nothing was added. Describing a dump twice is PA_ARGUMENT. */
PA_API pa_error pa_describe_process(pa_builder *builder, const pa_provenance *run);

/* Which counts of an archive are copied. */
typedef enum pa_counts {
	PA_TRAINED, /* as they are in the file */
	PA_TOTALS,    /* as they are now, in an adopted archive */
	/* counts: live minus trained; all else as it is now. Profiles in which nothing has changed are left out */
	PA_INCREMENTS
} pa_counts;

/* pa_snapshot records everything that is in an archive. An empty builder that pa_builder_like made writes the same
 * bytes again. Live copies claim all profiles; other threads may go on counting meanwhile. They are dumps of their own:
 * the builder's dump id is cleared if it is the archive's, and PA_INCREMENTS sets bit 0 of its flags, and copies only
 * the tables properties, code and shapes. A damaged profile, or one that the builder has, does not end a copy of live
 * counts: it is left out, which pa_report says. PA_MISMATCH: domain or settings differ. PA_UNSUPPORTED: PA_INCREMENTS
 * in a process that was forked after the archive was adopted: its increments contain those of its parent. Open and
 * adopt the archive again after a fork, and count there. */
PA_API pa_error pa_snapshot(pa_builder *builder, const pa_archive *archive, pa_counts take);

/* What copies of live counts lack. rows: since native code has written what leads to no type or method, the number of
 * rows and of type words; what follows is where the first of them stands. profiles: the number of profiles that are
 * left out, since they are damaged, or share a damaged page of the file, or only a damaged version of the code leads to
 * them, or since the builder has recorded them already; what follows is of the first of them. */
typedef struct pa_dropped {
	uint64_t rows;
	pa_ref method;      /* pa_table_method of the archive that was copied */
	int32_t point;      /* the profile point of the entry */
	const char *reason; /* short, in English, static; NULL if rows is 0 */
	uint64_t profiles;
	pa_ref lost;        /* method of the first: pa_table_method; 0 if profiles is 0 */
	pa_error error;     /* PA_DAMAGED, or PA_AMBIGUOUS if it was recorded already */
} pa_dropped;

/* What was written. */
typedef struct pa_report {
	uint64_t file_size, requested_base;
	uint8_t dump_id[16];
	pa_dropped dropped;
	/* profiles that were refused with PA_AMBIGUOUS, since the builder had one of the method, code and context */
	uint64_t duplicates;
} pa_report;

/* pa_write lays the archive out and creates or replaces the file at a path in one step: under a temporary name in the
 * same directory, synced and renamed. After an error the old file stays. A replaced file keeps its permissions, and as
 * far as possible its owner. A path that is a symbolic link or no ordinary file is PA_ARGUMENT. report may be NULL. A
 * process that is killed leaves a .profarc-*.tmp, which the next write of the Go packages to the directory removes.
 * pa_write_memory lays it out in memory that you free with free(). The builder can be added to and written again. */
PA_API pa_error pa_write(pa_builder *builder, const char *path, pa_report *report);
PA_API pa_error pa_write_memory(pa_builder *builder, void **bytes, size_t *size, pa_report *report);

/* pa_publish creates or replaces the file at a path with bytes, in one step as pa_write does. */
PA_API pa_error pa_publish(const char *path, const void *bytes, size_t size);

/* pa_write_snapshot writes an archive as it is now to a path: pa_builder_like, pa_snapshot and pa_write, and for
 * PA_INCREMENTS before that pa_describe_process, so that a merge never counts two snapshots of one process. */
PA_API pa_error pa_write_snapshot(const pa_archive *archive, pa_counts take, const char *path, pa_report *report);

/* ---- what a run has beneath ---- */

/* pa_archive_of returns the archive that a run began with, NULL if there is none. It is the run's to close. */
PA_API pa_archive *pa_archive_of(const pa_run *run);

/* pa_profile_of returns the claimed profile in which a function counts; false if it counts in words of its own. */
PA_API bool pa_profile_of(const pa_function *function, pa_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
