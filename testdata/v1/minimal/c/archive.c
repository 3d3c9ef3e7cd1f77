/* Opening: the header, the page checksums, and Rules for readers 1 to 6 of docs/format.md. */
#include <string.h>

#include "hashes.h"
#include "minimal.h"

Archive archive;
jmp_buf refused;
const char *refused_kind;

void refuse(const char *kind) {
    refused_kind = kind;
    longjmp(refused, 1);
}

void require(bool ok) {
    if (!ok) refuse("corrupt");
}

bool inside(Span part, uint64_t at, uint64_t size) {
    return at >= part.at && at <= part.end && size <= part.end - at;
}

uint16_t u16(uint64_t at) { return read16(archive.data + at); }
uint32_t u32(uint64_t at) { return read32(archive.data + at); }
uint64_t u64(uint64_t at) { return read64(archive.data + at); }
uint64_t reference(uint64_t at) { return 8 * (uint64_t)u32(at); }

static void check_generic_part(void) {
    static uint8_t header[65536];
    if (archive.size < 8 || memcmp(archive.data, "\x89PARC\r\n\x1a", 8) != 0) refuse("format");
    if (archive.size < 64) refuse("truncated");
    uint32_t size = u32(16);
    require(u32(8) == 0x0a0b0c0d && size >= 64 && size <= 65536);
    if (u64(24) > archive.size || size > archive.size) refuse("truncated");
    require(u64(24) == archive.size);
    memcpy(header, archive.data, 32);
    memcpy(header + 32, archive.data + 40, size - 40);
    if (xxh64(header, size - 8) != u64(32)) refuse("checksum");
    if (u32(12) != 1 || u64(40) != 0) refuse("unsupported");
    require(size == 640);
    archive.domain = u32(64);
    if (archive.domain < 1 || archive.domain > 7) refuse("unsupported");
}

static void check_fields(void) {
    archive.base = u64(72);
    archive.max_probe = u32(84);
    archive.seed = u64(88);
    archive.lines = u64(104);
    archive.type_rows = u32(160);
    archive.bci_rows = u32(164);
    archive.gap = u32(168);
    require(u32(68) == 12 && archive.base % 4096 == 0 && archive.base <= 1ULL << 62 && u64(152) < 4);
    require(archive.type_rows <= 64 && archive.bci_rows <= 64 && archive.gap <= 64);
    require((archive.domain == 6) == (u64(608) != 0 || u64(616) != 0));
    for (int at = 224; at < 287; at++) require(archive.data[at] != 0 || archive.data[at + 1] == 0);
}

static uint64_t round_up(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

static void check_regions(void) {
    static const uint32_t protections[6] = {1, 1, 1, 3, 3, 2};
    uint64_t end = 640;
    for (uint32_t i = PS; i <= RW; i++) {
        uint64_t row = 288 + 24 * i, at = u64(row), size = u64(row + 8);
        uint32_t bits = i < RW || size < 1 << 16 ? 6 : size < 1 << 26 ? 16 : 21;
        require(at == round_up(end, 1ULL << bits) && at <= archive.size && size <= archive.size - at && size % 8 == 0);
        require(u32(row + 16) == protections[i] && u32(row + 20) == i + 1 && (i < RW || u32(80) == bits));
        end = at + size;
        archive.regions[i] = (Span){at, end};
    }
    Span ix = archive.regions[IX];
    require(end == archive.size && archive.lines <= archive.size && 64 * archive.lines == ix.end - ix.at);
    require(archive.max_probe <= 255 && archive.max_probe <= archive.lines);
}

static void check_sections(void) {
    Span ro = archive.regions[RO];
    uint64_t end = ro.at;
    for (int i = SYMBOLS; i <= CONTEXTS; i++) {
        uint64_t at = u64(432 + 16 * i), size = u64(440 + 16 * i);
        require(at == end && size % 8 == 0 && inside(ro, at, size));
        end = at + size;
        archive.sections[i] = (Span){at, end};
    }
    Span types = archive.sections[TYPES], contexts = archive.sections[CONTEXTS];
    require(end == ro.end && u64(544) <= archive.size && u64(536) <= archive.size);
    require(24 * u64(544) == types.end - types.at && 16 * u64(536) == contexts.end - contexts.at);
}

/* check_level compares the sums at sums with the bytes from start to end, in pieces that end at multiples of unit
 * after base. */
static void check_level(uint64_t sums, uint64_t base, uint64_t unit, uint64_t start, uint64_t end) {
    for (uint64_t from = start; from < end; sums += 8) {
        uint64_t to = base + (from - base) / unit * unit + unit;
        if (to > end) to = end;
        if (xxh64(archive.data + from, to - from) != u64(sums)) refuse("checksum");
        from = to;
    }
}

/* check_sums verifies the checksums of all pages, then of each level. */
static void check_sums(void) {
    uint64_t counts[8], levels = 0, total = 0;
    Span ps = archive.regions[PS];
    uint64_t start = archive.regions[IX].at, end = archive.size;
    uint64_t n = start < end ? (end - 1) / 4096 - start / 4096 + 1 : 0;
    for (; n > 0; n = n > 64 ? (n + 63) / 64 : 0) {
        counts[levels++] = n;
        total += 8 * n;
    }
    require(ps.end - ps.at >= total && ps.end - ps.at <= total + 64 + round_up(total / 256, 8));
    uint64_t level = ps.at + total;
    for (uint64_t i = 0; i < levels; i++) {
        level -= 8 * counts[i];
        if (i == 0) {
            check_level(level, 0, 4096, start, end);
        } else {
            uint64_t below = level + 8 * counts[i];
            check_level(level, below, 512, below, below + 8 * counts[i - 1]);
        }
    }
    if (xxh64(archive.data + ps.at, levels > 0 ? 8 * counts[levels - 1] : 0) != u64(96)) refuse("checksum");
}

void open_archive(uint8_t *data, uint64_t size) {
    archive = (Archive){.data = data, .size = size};
    check_generic_part();
    check_fields();
    check_regions();
    check_sections();
    check_sums();
}
