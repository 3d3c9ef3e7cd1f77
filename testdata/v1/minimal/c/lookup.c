/* Symbols, types, methods, the index, and lookups of docs/format.md. */
#include <stdlib.h>
#include <string.h>

#include "hashes.h"
#include "minimal.h"

typedef struct Chunk {
    struct Chunk *next;
    uint8_t bytes[];
} Chunk;

static Chunk *chunks;

void *allocate(uint64_t size) {
    Chunk *chunk = malloc(sizeof *chunk + size);
    if (chunk == NULL) refuse("memory");
    chunk->next = chunks;
    chunks = chunk;
    return chunk->bytes;
}

void *memory_mark(void) { return chunks; }

void release_memory(void *mark) {
    while (chunks != mark) {
        Chunk *next = chunks->next;
        free(chunks);
        chunks = next;
    }
}

static bool same_text(Text a, Text b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

bool same_key(const Key *a, const Key *b) {
    for (int i = 0; i < 4; i++)
        if (!same_text(a->part[i], b->part[i])) return false;
    return true;
}

static Text read_symbol(uint64_t at) {
    Span symbols = archive.sections[SYMBOLS];
    if (at == 0) return (Text){NULL, 0};
    require(inside(symbols, at, 8));
    uint32_t size = u32(at);
    require(size < 1u << 31 && inside(symbols, at + 4, size));
    return (Text){archive.data + at + 4, size};
}

/* read_list returns the text of a signature of count parts. */
static Text read_list(uint64_t at, uint64_t count) {
    require(count >= 1 && count <= 1 << 20 && inside(archive.sections[SYMBOLS], at, 4 * count));
    uint64_t size = 0, total = count + 1, most = 1 << 20;
    for (uint64_t i = 0; i < count && total <= most; i++) total += read_symbol(reference(at + 4 * i)).size;
    require(total <= most);
    uint8_t *bytes = allocate(total);
    for (uint64_t i = 0; i < count; i++) {
        Text part = read_symbol(reference(at + 4 * i));
        if (part.size > 0) memcpy(bytes + size, part.bytes, part.size);
        size += part.size;
        if (i == 0 || i + 1 < count) bytes[size++] = i == 0 ? '(' : ',';
    }
    bytes[size++] = ')';
    return (Text){bytes, size};
}

static Text read_signature(uint64_t at) {
    if (at == 0 || !inside(archive.sections[SYMBOLS], at, 8) || u32(at) < 1u << 31) return read_symbol(at);
    return read_list(at + 4, u32(at) - (1u << 31));
}

void read_type(uint64_t at, Text *name, Text *loader) {
    require(inside(archive.sections[TYPES], at, 24) && (at - archive.sections[TYPES].at) % 24 == 0);
    *name = read_symbol(reference(at + 8));
    *loader = read_symbol(reference(at + 12));
}

/* read_parts reads what follows the head of a record: the fields of its flags, and the name of a named one. */
static void read_parts(Method *m, uint64_t at, uint64_t end) {
    if (m->flags & 128) {
        m->id = u64(at);
        at += 8;
    }
    if (m->flags & 64) {
        while (end > at && archive.data[end - 1] == 0) end--;
        m->key.part[1] = (Text){archive.data + at, end - at};
    }
    if (m->flags & 1) {
        if (u32(at) != 0) read_type(reference(at), &m->key.part[0], &m->key.part[3]);
        m->key.part[2] = read_signature(reference(at + 4));
        at += 8;
    }
    if (m->flags & 2) {
        m->profiles = reference(at);
        at += 8;
    }
    if (m->flags & 4) {
        Span contexts = archive.sections[CONTEXTS];
        m->contexts = reference(at);
        m->nodes = u32(at + 4);
        require(m->nodes > 0 && inside(contexts, m->contexts, 16 * m->nodes) && (m->contexts - contexts.at) % 16 == 0);
    }
}

Method read_method(uint64_t at) {
    Span methods = archive.sections[METHODS];
    require(inside(methods, at, 8));
    Method m = {.at = at, .flags = u16(at + 6)};
    uint64_t units = u16(at + 4), fixed = 1;
    for (int bit = 0; bit < 8; bit++) fixed += 0x87 >> bit & m.flags >> bit & 1;
    bool named = m.flags & 64;
    require(m.flags < 256 && inside(methods, at, 8 * units) && (named ? units >= fixed : units == fixed));
    require(!named || (m.flags & 7) == 0);
    if (named)
        m.profiles = reference(at);
    else
        m.key.part[1] = read_symbol(reference(at));
    read_parts(&m, at + 8, at + 8 * units);
    require((m.flags & 128 ? 1 : 0) == (m.profiles == 0));
    if (m.profiles != 0) { /* the id is in the first block */
        Block b = read_block(m.profiles);
        require(b.fields[ID] != 0 && b.method == at);
        m.id = u64(b.fields[ID]);
    }
    return m;
}

/* A Search goes through the candidates of the index for an id. */
typedef struct {
    uint64_t kind, h, bucket, rest;
    uint32_t line, slot;
    void *mark; /* of the memory before the search */
} Search;

static Search start_search(uint64_t id, uint64_t kind) {
    uint64_t h = (id ^ archive.seed ^ kind * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
    uint64_t bucket = high64(h, archive.lines), rest = h * archive.lines;
    return (Search){.kind = kind, .h = h, .bucket = bucket, .rest = rest, .mark = memory_mark()};
}

/* next_candidate returns the offset of the next candidate, or 0 after the last. */
static uint64_t next_candidate(Search *s) {
    for (; s->line < archive.max_probe; s->line++, s->slot = 0) {
        uint64_t line = archive.regions[IX].at + 64 * ((s->bucket + s->line) % archive.lines);
        uint64_t own = high64(s->rest * archive.data[line + 22], 10);
        while (s->slot < 10) {
            uint32_t slot = s->slot++;
            bool searched = archive.data[line + 23] != 0 || slot == own;
            if (!searched || u16(line + 2 * slot) != (uint16_t)(s->h | 1)) continue;
            uint64_t at = reference(line + 24 + 4 * slot);
            bool type = inside(archive.sections[TYPES], at, 8);
            require(type || inside(archive.sections[METHODS], at, 8) || inside(archive.regions[RW], at, 16));
            if (type == (s->kind == TYPE)) return at;
        }
        if ((u16(line + 20) >> (s->h >> 16 & 15) & 1) == 0) break;
    }
    s->line = archive.max_probe;
    return 0;
}

/* next_method finds the next method with an id, and releases the memory of the one before. */
static bool next_method(Search *s, uint64_t id, Method *m) {
    for (uint64_t at; (at = next_candidate(s)) != 0;) {
        release_memory(s->mark);
        if (inside(archive.sections[METHODS], at, 8)) {
            *m = read_method(at);
        } else {
            Block b = read_block(at);
            *m = read_method(b.method);
            require(b.fields[ID] != 0 && m->profiles == at);
        }
        if (m->id == id) return true;
    }
    return false;
}

static uint64_t type_of_class(Text name) {
    Search s = start_search(fold(fold(FOLD_START, name.bytes, name.size), NULL, 0), TYPE);
    for (uint64_t at; (at = next_candidate(&s)) != 0;) {
        Text its, loader;
        read_type(at, &its, &loader);
        if (same_text(its, name) && loader.size == 0) return at;
    }
    return 0;
}

/* find_row finds an unexecuted method without a record. */
static bool find_row(const Key *key, Method *found) {
    Span part = archive.sections[UNEXECUTED];
    if (key->part[0].size == 0 || key->part[3].size != 0 || part.at == part.end) return false;
    uint64_t type = type_of_class(key->part[0]), classes = u32(part.at), first = part.at + 8 + 8 * classes, at = first;
    require(inside(part, part.at + 8, 8 * classes));
    for (uint64_t row = part.at + 8; row < part.at + 8 + 8 * classes; row += 8) {
        uint64_t end = first + reference(row + 4);
        require(end > at && end <= part.end);
        for (; at < end; at += 8) {
            if (type == 0 || reference(row) != type) continue;
            void *mark = memory_mark();
            bool same = same_text(read_symbol(reference(at)), key->part[1]) &&
                        same_text(read_signature(reference(at + 4)), key->part[2]);
            release_memory(mark);
            if (same) {
                *found = (Method){.at = at, .flags = 8, .id = found->id, .key = *key};
                return true;
            }
        }
    }
    return false;
}

static uint64_t method_id(const Key *key) {
    if (archive.domain == 2 || archive.domain == 3) return md5_start(key->part[1].bytes, key->part[1].size);
    uint64_t h = FOLD_START;
    for (int i = 0; i < 4; i++) h = fold(h, key->part[i].bytes, key->part[i].size);
    return h;
}

bool find_by_key(const Key *key, Method *found) {
    uint64_t id = method_id(key);
    Search s = start_search(id, METHOD);
    while (next_method(&s, id, found))
        if (same_key(&found->key, key)) return true;
    found->id = id;
    return find_row(key, found);
}

bool find_by_id(uint64_t id, Method *found) {
    Search s = start_search(id, METHOD);
    return next_method(&s, id, found);
}

/* is_indexed reports whether the index leads to a method under its id. */
bool is_indexed(const Method *method) {
    Search s = start_search(method->id, METHOD);
    for (Method other; next_method(&s, method->id, &other);)
        if (other.at == method->at) return true;
    return false;
}

/* find_node returns the context record of a method with these values, or 0. */
static uint64_t find_node(const Method *m, uint64_t parent, uint64_t caller, int32_t point) {
    for (uint64_t at = m->contexts; at < m->contexts + 16 * m->nodes; at += 16)
        if (reference(at) == parent && reference(at + 4) == caller && (int32_t)u32(at + 8) == point) return at;
    return 0;
}

/* find_profiles returns the first block in the longest recorded context, and this context with its depth. */
uint64_t find_profiles(const Method *m, const Frame *frames, int count, uint64_t *context, int *depth) {
    uint64_t profiles = m->profiles, parent = m->at;
    *context = 0;
    *depth = 0;
    for (int i = 0; i < count; i++) {
        Method caller;
        if (!find_by_key(&frames[i].caller, &caller)) break;
        parent = find_node(m, parent, caller.at, frames[i].point);
        if (parent == 0) break;
        if (u32(parent + 12) == 0) continue;
        profiles = reference(parent + 12);
        *context = parent;
        *depth = i + 1;
    }
    return profiles;
}
