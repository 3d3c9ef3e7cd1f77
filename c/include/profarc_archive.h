/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rest of the library, which profarc.h is built on. It reads and writes profarc archives of all domains and counts
 * directly in them. docs/format.md defines the archive. docs/adoption.md defines what native code may do with an
 * adopted one.
 *
 *	pa_archive *archive;
 *	pa_error e = pa_open("app.parc", NULL, &archive);
 *	if (e.code != PA_OK) { log(e.message); run_without_profile(); }
 *
 * The conventions of profarc.h apply. In addition,
 *
 * - Readers allocate only in pa_open, pa_adopt, the first pa_bind, the first pa_class_methods_of, and for late types.
 *   Builders and runs allocate at any time.
 * - pa_close must be the last use of an archive and of everything that belongs to it. Only one thread at a time may use
 *   an iterator or a builder.
 * - Strings, profiles and entries point into the archive and are valid until pa_close.
 * - Unless a comment says otherwise, sizes and offsets are in bytes, and offsets count from the start of the file. A
 *   pa_ref is the offset of a record divided by 8; 0 refers to no record.
 * - The library checks each part of a file once. If the file is truncated later, reading it raises SIGBUS. Replace
 *   archives by renaming, or read them into memory and use pa_open_memory.
 *
 * If a shared object, such as an agent of a JVM, links the static library, link it with --exclude-libs=libprofarc.a.
 * The object then does not export these names, and two such objects in one process do not conflict.
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

/* The profilers, as listed in docs/format.md. */
typedef enum pa_domain {
	PA_HOTSPOT = 1,
	PA_LLVM_IR,
	PA_LLVM_FRONTEND,
	PA_GRAAL,
	PA_JAMAICA,
	PA_CUSTOM,
	PA_SAMPLED
} pa_domain;

/* When pages are checked against their checksums. */
typedef enum pa_check {
	PA_CHECK_TOUCH, /* each page at its first use */
	PA_CHECK_ALL,   /* all pages, in pa_open */
	PA_CHECK_NONE   /* never; damage is noticed only if it breaks a rule of the format */
} pa_check;

/* Options. Zero the struct and set the fields that you need. NULL is equivalent to all zeros. */
typedef struct pa_options {
	pa_check check;
	uint32_t domain;            /* expected domain; 0 for any */
	const char *producer;       /* expected producer; NULL for any */
	const uint8_t *fingerprint; /* expected fingerprint of the program, 16 bytes; NULL for any */
	const uint8_t *producer_id; /* expected producer, 16 bytes, for PA_CUSTOM; NULL for any */
} pa_options;

/* pa_open maps an archive read-only. With PA_CHECK_TOUCH it reads only the header. */
PA_API pa_error pa_open(const char *path, const pa_options *options, pa_archive **archive);

/* pa_open_memory opens an archive in memory. The memory must not change until pa_close. */
PA_API pa_error pa_open_memory(const void *bytes, size_t size, const pa_options *options, pa_archive **archive);

/* pa_close unmaps the archive, adopted or not. NULL is ignored. */
PA_API void pa_close(pa_archive *archive);

/* Indexes of the producer's settings, as numbered in docs/format.md. */
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
	uint32_t version; /* version of the format */
	uint32_t domain;
	uint64_t file_size;
	uint64_t requested_base; /* address at which the file's pointers need no relocation */
	uint8_t fingerprint[16]; /* fingerprint of the program */
	uint8_t dump_id[16];
	uint8_t producer_id[16]; /* for PA_CUSTOM, id of the meaning of points, keys and shapes; otherwise zeros */
	int64_t dump_time; /* nanoseconds since 1970; 0 if unknown */
	uint64_t flags;    /* bit 0: counts since a dump, not totals; bit 1: made from several dumps */
	uint32_t settings[PA_SETTINGS];
	pa_text producer;
	uint64_t seed, index_lines;
	uint32_t max_probe;
	uint64_t methods, unexecuted, profiles, contexts, types, symbols, entries, pointers; /* numbers of records */
	uint64_t total_invocations, max_invocations, total_count, max_count;
} pa_info;

/* pa_info_of returns the header. The provenance is in the tables PA_TABLE_DUMPS and PA_TABLE_RUNS. */
PA_API const pa_info *pa_info_of(const pa_archive *archive);

/* ---- layers ---- */

/* pa_fits_on returns PA_OK if an archive can be used as a layer over a base archive, which supplies the profiles that
 * the layer lacks. This requires that the layer names this base, or that it names no base and both archives belong to
 * the same VM. If the layer names another base, pa_fits_on returns PA_MISMATCH, and the layer can be used alone. With a
 * base of NULL it returns PA_MISMATCH if the archive names any base. A lookup in layers asks the topmost archive first.
 * It asks the next archive if the answer is PA_NOT_FOUND, PA_UNEXECUTED or PA_NO_PROFILE. docs/embedding.md has more on
 * layers. */
PA_API pa_error pa_fits_on(const pa_archive *layer, const pa_archive *base);

/* ---- types ---- */

/* A type's number is its ordinal. Types have 0 to pa_info.types - 1, and late types have the next numbers. */
#define PA_NO_TYPE UINT32_MAX

typedef struct pa_type {
	uint32_t ordinal;
	/* bit 0: hidden class; bit 1: the name does not identify the type in another run; bit 2: loaded, bit 3: initialized
	 * in a run */
	uint32_t flags;
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

/* pa_types_of iterates over the types of the archive. Use it as in while ((e = pa_types_next(&it, &t)).code == PA_OK).
 * At the end it returns PA_NOT_FOUND, as do all iterators that return an error. */
PA_API pa_types pa_types_of(const pa_archive *archive);
PA_API pa_error pa_types_next(pa_types *it, pa_type *type);

/* ---- methods ---- */

/* Flags of a method. */
enum { PA_METHOD_UNEXECUTED = 1 << 3, PA_METHOD_NOT_MATCHABLE = 1 << 4, PA_METHOD_SHARED_ID = 1 << 5 };

typedef struct pa_method {
	pa_ref at;       /* its record, or its row if the archive has only the key */
	uint32_t flags;  /* PA_METHOD_...; other bits are reserved for the format */
	uint32_t access; /* access flags as in a class file; 0 if unknown */
	uint32_t holder; /* ordinal of the declaring class, or PA_NO_TYPE */
	uint64_t id;
	/* The file may store the signature as a list of strings. Its bytes are then NULL, and pa_signature copies it. */
	pa_key key;
	uint32_t contexts; /* number of its context records */
	pa_ref _profiles, _contexts, _signature;
} pa_method;

/* pa_key_id returns the id of a key. A key has the same id in all archives of a domain, so compute it once. */
PA_API uint64_t pa_key_id(const pa_archive *archive, const pa_key *key);

/* pa_find_method looks up a method by its key, and pa_find_method_id by its id. All unexecuted methods can be found by
 * key, but only some of them by id. PA_AMBIGUOUS means that several keys have the id. Use the key then. */
PA_API pa_error pa_find_method(const pa_archive *archive, const pa_key *key, pa_method *method);
PA_API pa_error pa_find_method_id(const pa_archive *archive, uint64_t id, pa_method *method);

/* pa_method_at reads the method that a context or a profile refers to. pa_table_method reads the method that a cell of
 * a table refers to. Only tables refer to methods that are stored only as a key. */
PA_API pa_error pa_method_at(const pa_archive *archive, pa_ref at, pa_method *method);
PA_API pa_error pa_table_method(const pa_archive *archive, pa_ref at, pa_method *method);

/* pa_signature copies the signature, method->key.signature.size bytes, into a buffer with a capacity of room bytes. */
PA_API pa_error pa_signature(const pa_archive *archive, const pa_method *method, char *buffer, size_t room);

typedef struct pa_methods {
	const pa_archive *_archive;
	uint64_t _record, _row, _rows_end, _class, _classes_end, _rows, _text;
	bool _begun;
} pa_methods;

/* pa_methods_of iterates over all methods in the order of their keys, including unexecuted ones. */
PA_API pa_methods pa_methods_of(const pa_archive *archive);
PA_API pa_error pa_methods_next(pa_methods *it, pa_method *method);

typedef struct pa_class_methods {
	const pa_archive *_archive;
	uint32_t _class, _next;
	uint64_t _text;
} pa_class_methods;

/* pa_class_methods_of iterates over the methods that a class declares, in the order of their keys, including unexecuted
 * ones. type is the ordinal of the class (pa_find_type), or PA_NO_TYPE for methods without a class. The first call for
 * an archive reads all methods and allocates 4 bytes per type and per method. Later calls read only the methods of the
 * class. */
PA_API pa_class_methods pa_class_methods_of(const pa_archive *archive, uint32_t type);
PA_API pa_error pa_class_methods_next(pa_class_methods *it, pa_method *method);

/* pa_hotspot_code_id returns the code id of a method in archives of PA_HOTSPOT. It hashes the bytecodes in a form that
 * HotSpot's rewriting and other methods of the class do not change. So bytecodes from the class file, from JVMTI's
 * GetBytecodes and from HotSpot's memory have the same id. A lookup with the id finds the profile of this version of
 * the code. It returns PA_UNKNOWN_CODE if the bytes are not bytecodes, or if a debugger has set a breakpoint in
 * them. */
PA_API uint64_t pa_hotspot_code_id(const uint8_t *bytecodes, size_t size);

/* ---- contexts ---- */

/* A calling context of a method. It is a node that adds one outer frame to the context in inner. */
typedef struct pa_context {
	pa_ref at;
	pa_ref method; /* the method with this context */
	pa_ref inner;  /* the context with one frame fewer, or 0 */
	pa_ref caller; /* the method of the added frame */
	int32_t point; /* profile point of the call in the caller */
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

/* pa_context_at reads the context at a reference. Its time is linear in the number of frames. */
PA_API pa_error pa_context_at(const pa_archive *archive, pa_ref at, pa_context *context);

/* pa_context_frames writes at most room frames of a context, the direct caller first. It sets count to the number of
 * frames in the context, which is at most 65535. */
PA_API pa_error pa_context_frames(
	const pa_archive *archive, const pa_context *context, pa_frame *frames, size_t room, size_t *count);

/* ---- profiles ---- */

/* PA_ANY_CODE asks for the profile of the only version of the code. PA_UNKNOWN_CODE asks for the profile without a code
 * id. */
#define PA_ANY_CODE UINT64_MAX
#define PA_UNKNOWN_CODE ((uint64_t)0)

/* A profile of a method: its MethodData block. */
typedef struct pa_profile {
	const pa_archive *archive;
	const uint8_t *bytes; /* the block in the read-only mapping */
	uint8_t *live;        /* the writable block; NULL if the profile is not adopted */
	pa_ref at;
	uint32_t units; /* size of the block divided by 8 */
} pa_profile;

/* pa_find_profile looks up the profile of a method for all callers by the method's key, and pa_find_profile_id by its
 * id. */
PA_API pa_error pa_find_profile(const pa_archive *archive, const pa_key *key, uint64_t code, pa_profile *profile);
PA_API pa_error pa_find_profile_id(const pa_archive *archive, uint64_t id, uint64_t code, pa_profile *profile);

/* pa_find_profile_in finds the profile of a method whose context matches the most frames of a stack of callers, the
 * direct caller first. depth is the number of matched frames, 0 for the profile for all callers. */
PA_API pa_error pa_find_profile_in(const pa_archive *archive, const pa_method *method, uint64_t code,
	const pa_frame *frames, size_t count, pa_profile *profile, size_t *depth);

typedef struct pa_profiles {
	pa_contexts _contexts;
	pa_ref _method, _context, _next;
	uint64_t _code;
	bool _begun;
} pa_profiles;

/* pa_profiles_of iterates over the profiles of a method, sorted by context and code id. Profiles for all callers come
 * first. After damage the iteration can continue with the next context. */
PA_API pa_profiles pa_profiles_of(const pa_archive *archive, const pa_method *method);
PA_API pa_error pa_profiles_next(pa_profiles *it, pa_profile *profile);

/* pa_profile_at reads the profile that a table refers to. */
PA_API pa_error pa_profile_at(const pa_archive *archive, pa_ref at, pa_profile *profile);

/* The fields of a profile other than its entries. Counts are live if the profile is adopted. */
typedef struct pa_summary {
	uint32_t has; /* bit i is set if the profile has optional field i of docs/format.md; others are 0 */
	pa_ref method;   /* reference for pa_method_at */
	pa_ref context;  /* reference for pa_context_at; 0 for all callers */
	uint64_t code;   /* version of the method's code */
	uint32_t code_size, producer_size;
	uint64_t invocations, backedges, interpreted;
	uint32_t decompiles, overflow_recompiles, overflow_traps, tenure_traps;
	uint8_t highest_level, state, would_profile;
	uint16_t loops, blocks;
	uint64_t escape_flags, escape_local, escape_stack, escape_returned;
	const uint8_t *traps; /* counts of traps by reason; trap_reasons is the length */
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
	PA_UNDECODED /* tags from PA_PRODUCER on belong to the producer, see pa_shape_of */
} pa_tag;

typedef enum pa_section { PA_DATA, PA_EXTRA, PA_PARAMETERS, PA_HANDLERS } pa_section;

/* An entry of a profile. docs/format.md lists the cells of each tag. */
typedef struct pa_entry {
	const pa_archive *archive;
	const uint8_t *bytes; /* the entry in the read-only mapping */
	uint8_t *live;        /* the writable entry; NULL if the profile is not adopted */
	uint32_t units;       /* size of the entry divided by 8 */
	uint8_t tag, flags;   /* flags and traps are the values in the file; pa_flags and pa_traps read the live ones */
	uint16_t sub;         /* 0 for tags below 64 */
	int32_t point;
	uint32_t cells; /* number of cells */
	uint32_t rows;  /* number of rows, for tags from 64 on */
	uint32_t traps;
} pa_entry;

typedef struct pa_entries {
	pa_profile _profile;
	uint64_t _at, _end;
	int32_t _point;
	bool _one;
} pa_entries;

/* pa_entries_of iterates over the entries of a section, and pa_entries_at over the data entries at a profile point. */
PA_API pa_entries pa_entries_of(const pa_profile *profile, pa_section section);
PA_API pa_entries pa_entries_at(const pa_profile *profile, int32_t point);
PA_API bool pa_entries_next(pa_entries *it, pa_entry *entry);

/* pa_entry_at finds the first data entry at a profile point. */
PA_API bool pa_entry_at(const pa_profile *profile, int32_t point, pa_entry *entry);

/* pa_cell returns cell i as a number, the live one if the profile is adopted. pa_trained returns the number in the
 * file. Both return 0 if i is out of range. */
PA_API uint64_t pa_cell(const pa_entry *entry, uint32_t i);
PA_API uint64_t pa_trained(const pa_entry *entry, uint32_t i);

/* pa_cell_type decodes cell i, which holds a pointer to a type or a type word. It returns the ordinal of the type, or
 * PA_NO_TYPE. It sets bit 0 of tags if a null was seen and bit 1 if several types were seen. tags may be NULL. */
PA_API uint32_t pa_cell_type(const pa_entry *entry, uint32_t i, unsigned *tags);

/* pa_cell_method reads the method that cell i points to. It returns PA_NOT_FOUND if the cell is empty. */
PA_API pa_error pa_cell_method(const pa_entry *entry, uint32_t i, pa_method *method);

/* Typed accessors. They return false for an entry with another tag. */

/* pa_count_of reads the count of a Counter, CallType or Count entry. */
PA_API bool pa_count_of(const pa_entry *entry, uint64_t *count);

typedef struct pa_branch {
	uint64_t taken, not_taken; /* not_taken is 0 for a Jump */
	int64_t displacement;      /* distance from this entry to the target's entry */
} pa_branch;

/* pa_branch_of reads a Branch or Jump entry. Cell 0 counts the taken branch, and cell 2 of a Branch the branch not
 * taken. */
PA_API bool pa_branch_of(const pa_entry *entry, pa_branch *branch);

/* A list in an entry. Row i begins at cell first + i * width. */
typedef struct pa_rows {
	uint32_t first, width, count;
} pa_rows;

/* pa_rows_of finds the rows of a MultiBranch, Ret, ArgInfo, Counters, ValueSite, Successors or Callees entry, or of an
 * entry of a producer. */
PA_API bool pa_rows_of(const pa_entry *entry, pa_rows *rows);

/* pa_receivers_of finds the rows of a ReceiverType, VirtualCall, VirtualCallType or Receivers entry. A row has a type
 * and its count. Cell 0 counts all other types. */
PA_API bool pa_receivers_of(const pa_entry *entry, pa_rows *rows);

/* pa_arguments_of finds the argument types of a CallType, VirtualCallType or ParametersType entry. A row has a stack
 * slot and a type word. returned is the cell with the type word of the return value, or 0. */
PA_API bool pa_arguments_of(const pa_entry *entry, pa_rows *rows, uint32_t *returned);

/* pa_bitmap_of returns the bytes of a Bitmap entry, entry->rows in number. They are live if the profile is adopted. */
PA_API const uint8_t *pa_bitmap_of(const pa_entry *entry);

/* ---- shapes ---- */

/* The shape that an archive of PA_CUSTOM declares for the entries with one of its producer's tags. */
typedef struct pa_shape {
	const pa_archive *archive;
	pa_text name;
	uint8_t tag, unit;        /* unit is the number in docs/format.md of what the entries count */
	uint8_t cells, row_cells; /* number of cells that occur once, and number of cells in a row */
} pa_shape;

typedef struct pa_cell_shape {
	pa_text name;
	uint8_t kind; /* pa_cell_kind */
} pa_cell_shape;

/* pa_shape_of finds the shape of a tag. It returns false if none is declared. */
PA_API bool pa_shape_of(const pa_archive *archive, uint8_t tag, pa_shape *shape);

/* pa_shape_cell reads the i-th cell. The cells that occur once come first, then the cells of a row. It returns false if
 * i is out of range. */
PA_API bool pa_shape_cell(const pa_shape *shape, uint32_t i, pa_cell_shape *cell);

/* pa_shape_bit returns the name of a bit of the i-th cell, or the empty string. */
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
	PA_TABLE_OBJECTS = 29,
	PA_TABLE_INPUTS,
	PA_TABLE_LOSSES,
	PA_TABLE_VERSIONS,
	PA_TABLE_ADVICE,
	PA_TABLE_HOT,
	PA_TABLE_CROWDED /* the library writes and reads it */
};
#define PA_TABLE_PRODUCER ((uint32_t)1 << 31) /* first kind of a producer's tables, in archives of PA_CUSTOM */
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

/* pa_table_get finds the table of a kind, and pa_table_number the i-th table. At the end they return PA_NOT_FOUND. */
PA_API pa_error pa_table_get(const pa_archive *archive, uint32_t kind, pa_table *table);
PA_API pa_error pa_table_number(const pa_archive *archive, uint32_t i, pa_table *table);

/* pa_table_cell returns a cell, which is a word or the pa_ref of a record. It returns 0 if there is no such cell. */
PA_API uint64_t pa_table_cell(const pa_table *table, uint32_t column, uint32_t row);

/* pa_symbol_at reads the string of a symbol, which is empty for reference 0. pa_type_at reads the type record at a
 * reference. */
PA_API pa_error pa_symbol_at(const pa_archive *archive, pa_ref at, pa_text *text);
PA_API pa_error pa_type_at(const pa_archive *archive, pa_ref at, pa_type *type);

/* ---- adoption: counting in place ---- */

/* The address of the second mapping of an archive. */
typedef enum pa_base {
	/* the requested address of the archive, where no pointer needs relocation; any address if it is occupied */
	PA_BASE_REQUESTED,
	PA_BASE_ANYWHERE
} pa_base;

/* pa_adopt maps the archive a second time, copy-on-write, for counting (docs/adoption.md). An archive can be adopted
 * once. A second call returns PA_ADOPTED. Counts stay in this process and never change the file. On a big-endian
 * machine it returns PA_UNSUPPORTED. */
PA_API pa_error pa_adopt(pa_archive *archive, pa_base base);

typedef struct pa_adoption {
	uint64_t base;     /* address of the second mapping, which is valid until pa_close */
	bool at_requested; /* the file's pointers are valid addresses in the mapping */
} pa_adoption;

/* pa_adoption_of returns whether the archive is adopted, and describes the adoption. */
PA_API bool pa_adoption_of(const pa_archive *archive, pa_adoption *adoption);

/* pa_claim makes a profile live. From then on all threads may count in its words. If the block is not mapped at its
 * requested address, the first claim relocates its pointers, and other claims wait. Claiming again has no effect. Get
 * entries after the claim, because earlier entries and other copies of the pa_profile have no words. PA_NOT_DECODED
 * refuses only this profile. The VM then counts in other memory, as for a function without a profile. */
PA_API pa_error pa_claim(pa_profile *profile);

/* pa_claim_all claims many profiles, from one or several archives. It stops at the first one that fails. claimed is the
 * number of profiles claimed before it. */
PA_API pa_error pa_claim_all(pa_profile *profiles, size_t count, size_t *claimed);

/* pa_word returns cell i of an entry as a word for counting. It returns NULL if the profile is not claimed or i is out
 * of range. Compiled code may add to the word with any atomic instruction. Write only counts, and in a producer's
 * entries only what the kinds of its cells allow (docs/adoption.md, "What may be written"). For other cells use the
 * functions below. */
PA_API pa_counter *pa_word(const pa_entry *entry, uint32_t i);

/* pa_profile_word returns the word of PA_FIELD_INVOCATIONS, PA_FIELD_BACKEDGES or PA_FIELD_INTERPRETED. It returns NULL
 * if the profile is not claimed or lacks the field. */
PA_API pa_counter *pa_profile_word(const pa_profile *profile, unsigned field);

#define PA_NO_ROW UINT32_MAX

/* pa_count_receiver counts a receiver as a VM would. It counts in the row of the type, else in an empty row, which it
 * assigns to the type, else in the count of all other types. *row is the row, or PA_NO_ROW for the count of all other
 * types. row may be NULL. A row keeps its type, so an inline cache can keep the pa_word of the row's count. */
PA_API pa_error pa_count_receiver(const pa_entry *entry, uint32_t type, uint32_t *row);

/* pa_flags returns the live flags of an entry. Bit 0 is set if a type profile has seen a null. pa_traps returns the
 * traps taken there. Bits 0 to 30 are the reason, all set for several reasons, and bit 31 means recompiled after the
 * trap. */
PA_API uint8_t pa_flags(const pa_entry *entry);
PA_API uint32_t pa_traps(const pa_entry *entry);
PA_API pa_error pa_mark_null(const pa_entry *entry);
PA_API pa_error pa_mark_trap(const pa_entry *entry, uint32_t reason, bool recompiled);

/* ---- types of this process ---- */

typedef enum pa_binding {
	PA_UNBOUND, /* not loaded yet; do not use it */
	PA_BOUND,   /* bound to a class of the embedder */
	PA_EXCLUDED /* will never be loaded, or must not be used */
} pa_binding;

/* pa_bind binds a type to the embedder's class, a pointer other than NULL. It returns PA_AMBIGUOUS if the type is bound
 * to another class or excluded. pa_exclude marks a type, bound or not, that must never be used. */
PA_API pa_error pa_bind(pa_archive *archive, uint32_t type, void *to);
PA_API pa_error pa_exclude(pa_archive *archive, uint32_t type);

/* pa_bound returns the state of a type and, in to, the class that it is bound to. to may be NULL. */
PA_API pa_binding pa_bound(const pa_archive *archive, uint32_t type, void **to);

/* A row of a type profile. */
typedef struct pa_receiver {
	uint32_t row, type;
	uint64_t count;
	pa_counter *word; /* word of the count; NULL if the profile is not claimed */
	pa_binding binding;
	void *bound;
} pa_receiver;

/* pa_receiver_at reads a row of a type profile. It returns false if the row is empty or out of range. */
PA_API bool pa_receiver_at(const pa_entry *entry, uint32_t row, pa_receiver *receiver);

/* pa_next_bound advances to the next row with a bound type, starting at *row. Use it as in for (uint32_t row = 0;
 * pa_next_bound(&e, &row, &r);). For the share of a type, divide by cell 0 plus the counts of all rows, bound or
 * not. */
PA_API bool pa_next_bound(const pa_entry *entry, uint32_t *row, pa_receiver *receiver);

/* pa_late_type finds the type with a name and loader. If the archive lacks the type, it gets a new ordinal, so that it
 * can be recorded and bound. An archive takes at most 65536 such types. If the archive is not adopted, the result is
 * PA_NOT_ADOPTED. */
PA_API pa_error pa_late_type(pa_archive *archive, pa_text name, pa_text loader, uint32_t *ordinal);

/* ---- writing ---- */

/*
 * A builder records profiles in any order and lays them out as an archive. The same calls of the Go package builder
 * give an archive with the same bytes.
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
 * - One thread at a time may use a builder. Builders share no state. Only memory limits their number and size.
 * - Recording copies strings and arrays, which need not outlive the call.
 * - Calls that record keep the first error and ignore later calls, so a sequence of calls needs one check. pa_done,
 *   pa_write and pa_builder_error return the error. Running out of memory is PA_SYSTEM with ENOMEM. A failed builder
 *   can only be freed.
 * - References name types, methods, contexts, symbols and profiles. They are numbers from 1 on, valid for one builder.
 *   0 is the empty reference, and a failed call returns it.
 *
 * The library writes all domains, entries, fields and tables of the format. Only the Go packages merge several runs
 * into one archive (write one archive per run and use `profarc merge`), with weights, fewer rows or versions. Only they
 * import other formats with the tables that keep the source order of LLVM's and iprof files, roll back batches, and
 * keep recorded profiles in a temporary file.
 */
typedef struct pa_builder pa_builder;

/* The header of a new archive. Zero the struct and set the fields that you need. domain is required. */
typedef struct pa_config {
	uint32_t domain;
	uint32_t settings[PA_SETTINGS]; /* type rows, bci rows and gap determine sizes of HotSpot's entries; at most 64 */
	pa_text producer;               /* at most 64 bytes */
	uint8_t producer_id[16];        /* required for PA_CUSTOM; id of the meaning of points, keys and shapes */
	uint8_t fingerprint[16];        /* fingerprint of the program */
	/* Identity of the dump. If it is 0, it is derived from the content. Then two runs with equal counts are the same
	 * dump, and a merge counts it once. To count each run, fill it with random bytes. */
	uint8_t dump_id[16];
	int64_t dump_time; /* nanoseconds since 1970; 0 if unknown */
	uint64_t flags;    /* bit 0: counts since a dump, not totals; bit 1: made from several dumps */
} pa_config;

/* pa_builder_new makes an empty builder. pa_builder_like makes one with the header of an existing archive. */
PA_API pa_error pa_builder_new(const pa_config *config, pa_builder **builder);
PA_API pa_error pa_builder_like(const pa_archive *archive, pa_builder **builder);
PA_API void pa_builder_free(pa_builder *builder); /* ignores NULL */
PA_API pa_error pa_builder_error(const pa_builder *builder);

/* pa_intern_symbol interns a string for a table. It can contain any bytes. */
PA_API uint32_t pa_intern_symbol(pa_builder *builder, pa_text text);

/* pa_intern_type interns a type. A name has no NUL byte and at most 1 MiB, as have all parts of keys. pa_describe_type
 * adds flags to a type, and an alias. Of several aliases the builder keeps the one that sorts first. */
PA_API uint32_t pa_intern_type(pa_builder *builder, pa_text name, pa_text loader);
PA_API void pa_describe_type(pa_builder *builder, uint32_t type, pa_text alias, uint32_t flags);

/* pa_intern_method interns a method, and its class as a type. pa_describe_method adds access flags, as in a class file,
 * and PA_METHOD_NOT_MATCHABLE. pa_record_seen records that a method was loaded. The archive lists it as unexecuted if
 * no profile, context, sampled stack or pointer of an entry refers to it. */
PA_API uint32_t pa_intern_method(pa_builder *builder, const pa_key *key);
PA_API void pa_describe_method(pa_builder *builder, uint32_t method, uint32_t access, uint32_t flags);
PA_API void pa_record_seen(pa_builder *builder, uint32_t method);

/* pa_intern_context interns the calling context of a method that adds one outer frame to inner. inner may be 0. */
PA_API uint32_t pa_intern_context(pa_builder *builder, uint32_t method, uint32_t inner, uint32_t caller, int32_t point);

/* pa_begin begins the profile of a method, for a version of its code (PA_UNKNOWN_CODE, but not PA_ANY_CODE) and a
 * context (0 for all callers). Calls that record add to this profile until pa_done adds it to the builder or pa_discard
 * drops it. If the builder has such a profile already, pa_done drops the new one, returns PA_AMBIGUOUS, and the builder
 * stays usable. *profile is the reference of the profile, for tables. profile may be NULL. */
PA_API void pa_begin(pa_builder *builder, uint32_t method, uint64_t code, uint32_t context);
PA_API pa_error pa_done(pa_builder *builder, uint32_t *profile);
PA_API void pa_discard(pa_builder *builder);

/* The optional fields. Set each at most once. pa_summary describes them. */
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

/* Entries. Add data entries in any order. The builder sorts them by point, tag and sub, and keeps the order of equal
 * ones. It keeps the order of entries in other sections. */

typedef struct pa_type_count { uint32_t type; uint64_t count; } pa_type_count; /* a row; it is empty if type is 0 */
typedef struct pa_method_count { uint32_t method; uint64_t count; } pa_method_count;
typedef struct pa_value_count { uint64_t value, count; } pa_value_count;
typedef struct pa_successor { int32_t point; uint32_t index; uint64_t count; } pa_successor;

/* Values of sub in wide entries. */
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
	PA_NANOSECONDS,
	PA_ITERATIONS, /* of the loop at the point */
	PA_DEOPTS = 32 /* for cause 0; the next PA_DEOPT_CAUSES - 1 are the other causes */
}; /* Count */

/* Receivers. Bit 0 of flags is set if a null was seen. other counts all types without a row, and is signed for a type
 * check. Rows with type 0 are free for types that are recorded in the archive later. */
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
/* pa_record_count adds one counter of the events in sub. Bit 1 of flags marks a count of interpreted code. */
PA_API void pa_record_count(pa_builder *builder, int32_t point, uint16_t sub, uint8_t flags, uint64_t count);

/* pa_record_undecoded adds an entry of HotSpot that the dumper could not decode to an archive of PA_HOTSPOT. words are
 * the words of the data section from the entry's header on, and point is the bci in that header. Bit 2 of flags is set
 * if this is one of several merged entries. pa_claim refuses such a profile with PA_NOT_DECODED. */
PA_API void pa_record_undecoded(pa_builder *builder, int32_t point, uint8_t flags, const uint64_t *words, uint32_t n);

/* pa_declare_shape declares the shape of the entries with one of the producer's tags, in archives of PA_CUSTOM.
 * Declaring a shape again has no effect. Another shape for its tag is PA_MISMATCH. */
PA_API void pa_declare_shape(pa_builder *builder, const pa_new_shape *shape);

typedef struct pa_custom {
	int32_t point;
	uint8_t tag, flags; /* the producer defines the meaning of sub and flags */
	uint16_t sub;
	const uint64_t *cells; /* cells that occur once */
	uint32_t n;
} pa_custom;

/* pa_record_custom adds an entry of a declared shape with n rows. rows has the cells of all rows, one row after the
 * other. Cells that point to types or methods are references of the builder. A row of zeros is free. Rows with equal
 * keys are combined. */
PA_API void pa_record_custom(pa_builder *builder, const pa_custom *entry, const uint64_t *rows, uint32_t n);

/* Entries of HotSpot, only in archives of PA_HOTSPOT. More rows than the settings allow is PA_ARGUMENT. */

/* Position and header of an entry. */
typedef struct pa_at {
	int32_t point; /* bci, 0 to 65535 */
	uint8_t flags; /* bit 0: a null was seen */
	uint32_t traps;
	pa_section in; /* 0 means PA_DATA */
} pa_at;

/* Counts of a receiver entry outside its rows. gap is HotSpot's nonprofiled_count; it is 0 if the setting gap is 0. */
typedef struct pa_others { uint64_t count, gap; } pa_others;
typedef struct pa_case { uint64_t count; int64_t displacement; } pa_case;
typedef struct pa_ret_row { uint64_t bci, count; int64_t displacement; } pa_ret_row;
typedef struct pa_type_word { uint32_t type; bool null_seen, several; } pa_type_word;
typedef struct pa_slot { uint64_t stack; pa_type_word type; } pa_slot; /* type of the argument in a stack slot */
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
/* pa_record_arg_info and pa_record_speculative_trap add extra entries. pa_record_parameters sets the section of
 * parameters. */
PA_API void pa_record_arg_info(pa_builder *builder, const uint64_t *modified, uint32_t n);
PA_API void pa_record_speculative_trap(pa_builder *builder, pa_at at, uint32_t method);
PA_API void pa_record_parameters(pa_builder *builder, const pa_slot *slots, uint32_t n);

/* pa_declare_table makes the table of a kind with n columns. They must begin with the columns of the kind in
 * docs/format.md. Declaring the table again with other columns or flags is PA_MISMATCH. pa_record_row adds a row.
 * Depending on its column, a cell is a number or a reference of the builder. */
PA_API void pa_declare_table(pa_builder *builder, uint32_t kind, uint32_t flags, const uint8_t *columns, uint32_t n);
PA_API void pa_record_row(pa_builder *builder, uint32_t kind, const uint64_t *cells, uint32_t n);

/* The process and run of a dump. Zeros and empty strings mean unknown. Mask secrets in command and options. */
typedef struct pa_class_path {
	pa_text path;
	uint64_t kind, size, sum;
} pa_class_path; /* kind 0 missing, 1 file, 2 directory, 3 unreadable */
typedef struct pa_provenance {
	/* dump_id of the adopted archive, for increments; 0 for totals since the start of the process */
	uint8_t since[16];
	/* boot id of the machine; 0 if the process is unknown, and then a merge counts each of its dumps */
	uint8_t boot[16];
	uint64_t name_space, process, start;
	int64_t begun;     /* nanoseconds since 1970 */
	uint64_t exit;     /* as in the table runs of docs/format.md */
	pa_text vm, vendor, main, command, options, selection;
	const pa_class_path *class_path; /* NULL if unknown */
	size_t class_path_size;
} pa_provenance;

/* pa_describe_run records the run of the dump. If the archive has no dump id, its id is derived from the process and
 * the dump time, or it is random if these are unknown. If it has no fingerprint, the fingerprint is derived from the VM
 * and the class path. */
PA_API void pa_describe_run(pa_builder *builder, const pa_provenance *run);

/* pa_describe_process is like pa_describe_run, for a dump of this process at this time. It determines boot, name_space,
 * process, start and begun, and also since after a pa_snapshot with PA_INCREMENTS. The other fields come from run,
 * which may be NULL. The dump gets a random id and the current time. A merge then counts only the last of several dumps
 * of one process, or refuses them, and adds up the dumps of all processes. If the system does not identify this
 * process, the result is PA_UNSUPPORTED, and nothing is added. Describing a dump twice is PA_ARGUMENT. */
PA_API pa_error pa_describe_process(pa_builder *builder, const pa_provenance *run);

/* Which counts of an archive to copy. */
typedef enum pa_counts {
	PA_TRAINED, /* counts in the file */
	PA_TOTALS,    /* current counts of an adopted archive */
	/* live counts minus counts in the file; other data as it is now. Unchanged profiles are skipped */
	PA_INCREMENTS
} pa_counts;

/* pa_snapshot copies everything in an archive into a builder. If pa_builder_like made the builder and it is empty, it
 * writes the same bytes again. Copies of live counts claim all profiles, and other threads may count meanwhile. Such a
 * copy is a new dump, so pa_snapshot clears the builder's dump id if it equals the archive's. With PA_INCREMENTS it
 * sets bit 0 of the builder's flags and copies only the tables properties, code and shapes. A copy of live counts skips
 * a profile that is damaged or that the builder has already, and pa_report counts it. The result is PA_MISMATCH if
 * domain or settings differ. It is PA_UNSUPPORTED for PA_INCREMENTS in a process that was forked after the archive was
 * adopted, because its increments contain the parent's. Open and adopt the archive again after a fork, and count in
 * that one. */
PA_API pa_error pa_snapshot(pa_builder *builder, const pa_archive *archive, pa_counts take);

/* What a copy of live counts omitted. rows counts rows and type words that refer to no type or method, because native
 * code wrote an invalid word. method, point and reason describe the first one. profiles counts skipped profiles. A
 * profile is skipped if it is damaged, shares a damaged page of the file, is reachable only through a damaged version
 * of the code, or is in the builder already. lost and error describe the first one. */
typedef struct pa_dropped {
	uint64_t rows;
	pa_ref method;      /* reference for pa_table_method of the copied archive */
	int32_t point;      /* profile point of the entry */
	const char *reason; /* short static string in English; NULL if rows is 0 */
	uint64_t profiles;
	pa_ref lost;        /* method of the first skipped profile, for pa_table_method; 0 if profiles is 0 */
	pa_error error;     /* PA_DAMAGED, or PA_AMBIGUOUS if the builder had the profile already */
} pa_dropped;

typedef struct pa_report {
	uint64_t file_size, requested_base;
	uint8_t dump_id[16];
	pa_dropped dropped;
	/* profiles refused with PA_AMBIGUOUS, since the builder had one for the method, code and context */
	uint64_t duplicates;
} pa_report;

/* pa_write lays the archive out and creates or replaces the file at path in one step. It writes a temporary file in the
 * same directory, syncs it and renames it. After an error the old file stays. A replaced file keeps its permissions
 * and, if possible, its owner. If path is a symbolic link or not a regular file, the result is PA_ARGUMENT. report may
 * be NULL. A killed process leaves a file .profarc-*.tmp, which the next write of the Go packages to the directory
 * removes. pa_write_memory lays the archive out in memory that you free with free(). You can add to the builder and
 * write it again. */
PA_API pa_error pa_write(pa_builder *builder, const char *path, pa_report *report);
PA_API pa_error pa_write_memory(pa_builder *builder, void **bytes, size_t *size, pa_report *report);

/* pa_publish creates or replaces the file at path with bytes, in one step as pa_write does. */
PA_API pa_error pa_publish(const char *path, const void *bytes, size_t size);

/* pa_write_snapshot writes an archive with its current counts to path. It calls pa_builder_like, pa_snapshot and
 * pa_write. For PA_INCREMENTS it also calls pa_describe_process, so that a merge never counts two snapshots of one
 * process. */
PA_API pa_error pa_write_snapshot(const pa_archive *archive, pa_counts take, const char *path, pa_report *report);

/* ---- archive and profiles of a run ---- */

/* pa_archive_of returns the archive that a run began with, or NULL. The run closes it. */
PA_API pa_archive *pa_archive_of(const pa_run *run);

/* pa_profile_of gets the claimed profile that a function counts in. It returns false if the function counts in private
 * words. */
PA_API bool pa_profile_of(const pa_function *function, pa_profile *profile);

#ifdef __cplusplus
}
#endif
#endif
