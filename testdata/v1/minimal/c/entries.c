/* MethodData blocks and their entries, the table of shapes, and the plain form of ../../README.md. */
#include <inttypes.h>
#include <string.h>

#include "minimal.h"

Block read_block(uint64_t at) {
    static const uint8_t sizes[FIELDS] = {8, 8, 16, 8, 8, 8, 8, 8, 16, 8, 32, 8, 16, 8};
    Span rw = archive.regions[RW];
    require(inside(rw, at, 16));
    Block b = {.at = at, .end = at + reference(at), .method = reference(at + 4), .entries = at + 16};
    uint32_t presence = u32(at + 8);
    require(reference(at) >= 16 && inside(rw, at, reference(at)) && presence < 1 << FIELDS);
    for (int i = 0; i < FIELDS; i++) {
        if ((presence >> i & 1) == 0) continue;
        b.fields[i] = b.entries;
        require(b.entries + sizes[i] <= b.end);
        b.entries += i == TRAPS ? 8 + ((uint64_t)u32(b.entries) + 7) / 8 * 8 : sizes[i];
    }
    b.units[0] = u32(at + 12);
    for (int i = 0; i < 3 && b.fields[SECTIONS] != 0; i++) b.units[i + 1] = u32(b.fields[SECTIONS] + 4 * i);
    b.rows = b.fields[DIRECTORY] != 0 ? u32(b.fields[DIRECTORY]) : 0;
    uint64_t used = b.entries + 8 * (b.units[0] + b.units[1] + b.units[2] + b.units[3] + b.rows);
    require(used <= b.end && b.end - used <= 24);
    return b;
}

/* The cells of an entry, in runs: a letter for each cell, and how often they repeat. t is a type, w a type word, m a
 * method, any other letter a number. */
typedef struct {
    struct {
        const char *kinds;
        uint64_t times;
    } runs[6];
    int count;
    uint64_t total, room;
} Cells;

static void add_run(Cells *c, const char *kinds, uint64_t times) {
    require(*kinds == 0 || times <= c->room);
    c->runs[c->count].kinds = kinds;
    c->runs[c->count++].times = times;
    c->total += strlen(kinds) * times;
    require(c->total <= c->room);
}

/* add_length adds a cell with the number of cells after it, and returns it. */
static uint64_t add_length(Cells *c, uint64_t first) {
    uint64_t at = first + 8 * c->total;
    add_run(c, "n", 1);
    require(u64(at) <= c->room - c->total);
    return u64(at);
}

static void add_receivers(Cells *c) {
    add_run(c, "c", 1);
    add_run(c, "c", archive.gap);
    add_run(c, "tc", archive.type_rows);
}

static void add_types(Cells *c, uint64_t first, bool even) {
    uint64_t n = add_length(c, first);
    require(!even || n % 2 == 0);
    add_run(c, "cw", n / 2);
    add_run(c, "w", n % 2);
}

static void add_narrow(Cells *c, uint8_t tag, uint64_t first) {
    static const char *simple[14] = {[1] = "", "c", "cc", [7] = "ccc", [10] = "c", [12] = "", "m"};
    require(tag >= 1 && tag <= 13);
    if (simple[tag] != NULL) add_run(c, simple[tag], 1);
    if (tag == 4 || tag == 5 || tag == 11) add_receivers(c);
    if (tag == 6) {
        add_run(c, "c", 1);
        add_run(c, "ccc", archive.bci_rows);
    }
    if (tag == 8 || tag == 9) {
        uint64_t n = add_length(c, first);
        require(tag == 9 || (n % 2 == 0 && n >= 2));
        add_run(c, "c", n);
    }
    if (tag >= 10 && tag <= 12) add_types(c, first, tag == 12);
}

/* add_heads adds the cells of the rows of the table of shapes with a tag: fixed ones, and cells of a row. */
static bool add_heads(uint64_t table, uint64_t rows, uint32_t tag, char *parts[2]) {
    uint64_t used[2] = {0, 0};
    bool declared = false;
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t head = u64(table + 24 + 8 * i), part = head >> 24 & 255, kind = head & 255;
        if (head >> 32 != tag) continue;
        declared = declared || part == 0;
        if (part != 1 && part != 2) continue;
        require(used[part - 1] < 32);
        parts[part - 1][used[part - 1]++] = kind == 6 ? 't' : kind == 7 ? 'm' : 'c';
    }
    return declared;
}

/* add_declared adds the cells of a producer's entry. */
static void add_declared(Cells *c, uint32_t tag, uint64_t rows) {
    Span ex = archive.regions[EX];
    char *parts[2] = {memset(allocate(33), 0, 33), memset(allocate(33), 0, 33)};
    bool declared = false;
    require(inside(ex, ex.at, 8));
    uint64_t tables = u32(ex.at);
    require(tables <= 1024 && inside(ex, ex.at + 8, 24 * tables));
    for (uint64_t row = ex.at + 8; row < ex.at + 8 + 24 * tables; row += 24) {
        uint64_t at = u64(row + 8), size = u64(row + 16);
        if (u32(row) != 19) continue;
        require(inside(ex, at, size) && size >= 24 && u32(at) == 19 && u32(at + 4) == 0 && u32(at + 8) == 5);
        require(u64(at + 16) == 0x0101010101 && size == 24 + 40 * (uint64_t)u32(at + 12));
        declared = add_heads(at, u32(at + 12), tag, parts);
    }
    require(declared && (rows == 0 || parts[1][0] != 0));
    add_run(c, parts[0], 1);
    add_run(c, parts[1], rows);
}

static void add_wide(Cells *c, uint8_t tag, uint64_t rows) {
    static const char *of_row[8] = {"c", "cc", "c", "cc", "tc", "mc", "", "c"};
    if (tag > 71) {
        require(tag >= 192 && archive.domain == 6);
        add_declared(c, tag, rows);
        return;
    }
    if (tag == 68) add_run(c, "cc", 1);
    if (tag == 70)
        add_run(c, "c", 1);
    else
        add_run(c, of_row[tag - 64], tag == 66 ? (rows + 7) / 8 : rows);
}

static void print_text(FILE *out, Text text) {
    for (uint64_t i = 0; i < text.size; i++) {
        uint8_t b = text.bytes[i];
        fprintf(out, b <= ' ' || b > '~' || b == '%' || b == '|' ? "%%%02x" : "%c", b);
    }
}

void print_key(FILE *out, const Key *key) {
    for (int i = 0; i < 4; i++) {
        if (i > 0) fputc('|', out);
        print_text(out, key->part[i]);
    }
}

static void print_cell(FILE *out, char kind, uint64_t word) {
    uint64_t pointer = kind == 'w' ? word & ~3ULL : word, at = pointer - archive.base;
    bool named = kind == 't' || kind == 'w' || kind == 'm';
    fputc(' ', out);
    if (!named || pointer == 0) {
        fprintf(out, "%" PRIu64, word);
    } else if (kind == 'm') {
        void *mark = memory_mark();
        Method m = read_method(at);
        require(is_indexed(&m));
        print_key(out, &m.key);
        release_memory(mark);
    } else {
        Text name, loader;
        read_type(at, &name, &loader);
        if (kind == 'w') fprintf(out, "%d|", (int)(word & 3));
        print_text(out, name);
        fputc('|', out);
        print_text(out, loader);
    }
}

static int32_t point_of(uint64_t at) { return archive.data[at] < 64 ? u16(at + 2) : (int32_t)u32(at + 4); }

/* print_entry prints an entry that ends at end at the latest, and returns the offset after it. */
static uint64_t print_entry(FILE *out, uint64_t at, uint64_t end) {
    uint8_t tag = archive.data[at];
    bool wide = tag >= 64;
    uint64_t first = at + (wide ? 16 : 8);
    require(first <= end);
    uint32_t rows = wide ? u32(at + 12) : 0, detail = wide ? u16(at + 2) : u32(at + 4);
    Cells c = {.room = (end - first) / 8};
    if (wide)
        add_wide(&c, tag, rows);
    else
        add_narrow(&c, tag, first);
    require(!wide || u32(at + 8) == c.total);
    fprintf(out, " %d %d %d %" PRIu32 " %" PRIu32, tag, archive.data[at + 1], point_of(at), detail, rows);
    for (int i = 0; i < c.count; i++)
        for (uint64_t n = 0; n < c.runs[i].times; n++)
            for (const char *kind = c.runs[i].kinds; *kind != 0; kind++, first += 8) print_cell(out, *kind, u64(first));
    fputc('\n', out);
    return first;
}

static uint64_t counter(const Block *b, int field) { return b->fields[field] != 0 ? u64(b->fields[field]) : 0; }

void print_block(FILE *out, const Block *b, int depth) {
    static const char *names[4] = {"data", "extra", "parameters", "handlers"};
    fprintf(out, "  profile %016" PRIx64 " %d ", counter(b, CODE), depth);
    fprintf(out, "%" PRIu64 " %" PRIu64 "\n", counter(b, INVOCATIONS), counter(b, BACKEDGES));
    uint64_t at = b->entries, data = 8 * (b->units[0] + b->units[1] + b->units[2] + b->units[3]), row = at + data;
    uint64_t rows_end = row + 8 * b->rows;
    for (int i = 0; i < 4; i++) {
        for (uint64_t end = at + 8 * b->units[i]; at < end;) {
            if (i == 0 && b->rows != 0) {
                require(row < rows_end && (int32_t)u32(row) == point_of(at) && reference(row + 4) == at - b->entries);
                require(u32(row + 4) == 0 || (int32_t)u32(row - 8) <= (int32_t)u32(row));
                row += 8;
            }
            fprintf(out, "  %s", names[i]);
            at = print_entry(out, at, end);
        }
    }
    require(row == rows_end);
}
