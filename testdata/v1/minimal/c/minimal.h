/* A minimal reader of profarc archives. ../../README.md leads through it. */
#ifndef MINIMAL_H
#define MINIMAL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Fields of a block that it uses, by their presence bits. */
enum { ID = 0, INVOCATIONS = 1, LINKS = 3, CODE = 4, BACKEDGES = 6, TRAPS = 11, SECTIONS = 12, DIRECTORY = 13, FIELDS };
/* Kinds of records in the index. */
enum { METHOD = 1, TYPE = 3 };

typedef struct {
    uint64_t at, end;
} Span;

/* An open archive. The parts of ro are symbols to contexts. */
typedef struct {
    uint8_t *data;
    uint64_t size, base, lines, seed;
    uint32_t domain, max_probe, type_rows, bci_rows, gap;
    Span regions[6];
    Span sections[5];
} Archive;

enum { PS, IX, RO, BM, EX, RW };
enum { SYMBOLS, TYPES, METHODS, UNEXECUTED, CONTEXTS };

typedef struct {
    const uint8_t *bytes;
    uint64_t size;
} Text;

/* class, name, signature and loader */
typedef struct {
    Text part[4];
} Key;

typedef struct {
    uint64_t at, id, profiles, contexts, nodes;
    uint16_t flags;
    Key key;
} Method;

typedef struct {
    uint64_t at, end, method, entries;
    uint64_t fields[FIELDS];
    uint64_t units[4]; /* of the sections with entries */
    uint64_t rows;     /* of the directory */
} Block;

/* A frame of a calling context. */
typedef struct {
    int32_t point;
    Key caller;
} Frame;

/* archive.c: the open archive, and where a violation leads to with its kind. */
extern Archive archive;
extern jmp_buf refused;
extern const char *refused_kind;
_Noreturn void refuse(const char *kind);
void require(bool ok);
bool inside(Span part, uint64_t at, uint64_t size);
uint16_t u16(uint64_t at);
uint32_t u32(uint64_t at);
uint64_t u64(uint64_t at);
uint64_t reference(uint64_t at);
void open_archive(uint8_t *data, uint64_t size);

/* lookup.c */
void *allocate(uint64_t size);
void *memory_mark(void);
void release_memory(void *mark); /* all that was allocated since the mark; NULL for all */
bool same_key(const Key *a, const Key *b);
void read_type(uint64_t at, Text *name, Text *loader);
Method read_method(uint64_t at);
Block read_block(uint64_t at);
bool find_by_key(const Key *key, Method *found);
bool find_by_id(uint64_t id, Method *found);
bool is_indexed(const Method *method);
uint64_t find_profiles(const Method *method, const Frame *frames, int count, uint64_t *context, int *depth);

/* entries.c */
void print_block(FILE *out, const Block *block, int depth);
void print_key(FILE *out, const Key *key);

#endif
