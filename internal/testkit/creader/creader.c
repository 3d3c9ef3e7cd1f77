//go:build ignore

/*
 * creader reads profarc archives. It was written from docs/format.md alone and shares no line with the Go code, so that
 * the page defines the format. (The first line keeps the Go tool from compiling it.)
 *
 *	creader ARCHIVE                                    the whole archive as JSON
 *	creader ARCHIVE find CLASS NAME SIGNATURE LOADER   one method, through the hash index
 *
 * The exit status is 1 if the archive is damaged or cannot be read, 2 if it lacks the method, and otherwise 0. All
 * checksums are verified first. Even so, each number is read by need(), which ends the program if an offset is outside
 * the file.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 640, PAGE = 4096, FANOUT = 64, LINE = 64, SLOTS = 10, TYPE = 24, CONTEXT = 16, DEEPEST = 65535 };
enum { PS = 1, IX, RO, BM, EX, RW };
enum { SYMBOLS, TYPES, METHODS, NEVER_RAN, CONTEXTS };
enum { DATA, EXTRA, PARAMETERS, HANDLERS, DIRECTORY };

struct span { uint64_t at, size; }; struct text { const uint8_t *bytes; uint64_t n; };

static struct {
	const uint8_t *bytes;
	uint64_t size, domain, base, seed, lines, probe, type_rows, bci_rows, gap, rows, text, crowded;
	struct span region[7], section[5];
} file;

/* ---- access ---- */
static void must(bool ok, uint64_t at, const char *what) {
	if (ok) return;
	fflush(stdout);
	fprintf(stderr, "creader: at 0x%" PRIx64 ": %s\n", at, what);
	exit(1);
}
static const uint8_t *need(uint64_t at, uint64_t n) {
	must(at <= file.size && n <= file.size - at, at, "an offset leads out of the file");
	return file.bytes + at;
}
static uint64_t little(const uint8_t *p, uint64_t n) { return n == 0 ? 0 : little(p + 1, n - 1) << 8 | *p; }
static uint64_t u8(uint64_t at) { return *need(at, 1); }
static uint64_t u16(uint64_t at) { return little(need(at, 2), 2); }
static uint64_t u32(uint64_t at) { return little(need(at, 4), 4); }
static uint64_t u64(uint64_t at) { return little(need(at, 8), 8); }
static int64_t i32(uint64_t at) { return (int32_t)u32(at); }
static uint64_t narrow(uint64_t at) { return u32(at) * 8; }
static uint64_t round_up(uint64_t n, uint64_t align) { return (n + align - 1) / align * align; }
static struct span span_at(uint64_t at) { return (struct span){u64(at), u64(at + 8)}; }
static uint64_t end_of(struct span s) { return s.at + s.size; }
static bool inside(struct span s, uint64_t at, uint64_t n) {
	return at >= s.at && n <= s.size && at - s.at <= s.size - n;
}
static bool placed(struct span s, uint64_t at, struct span in) {
	return s.at == at && s.size % 8 == 0 && inside(in, at, s.size);
}
static void *allocate(uint64_t n) {
	void *p = calloc(n, 1);
	must(p != NULL, 0, "out of memory");
	return p;
}
static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- hashes ---- */
static const uint64_t P1 = 0x9e3779b185ebca87, P2 = 0xc2b2ae3d27d4eb4f, P3 = 0x165667b19e3779f9,
					  P4 = 0x85ebca77c2b2ae63, P5 = 0x27d4eb2f165667c5;
static uint64_t rotl(uint64_t v, int n) { return v << n | v >> (64 - n); }
static uint64_t lane(uint64_t acc, uint64_t w) { return rotl(acc + w * P2, 31) * P1; }
static uint64_t xxh64(const uint8_t *p, uint64_t n) {
	uint64_t h = P5, length = n;
	if (n >= 32) {
		uint64_t v[4] = {P1 + P2, P2, 0, 0 - P1};
		for (; n >= 32; n -= 32, p += 32) for (int i = 0; i < 4; i++) v[i] = lane(v[i], little(p + 8 * i, 8));
		h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
		for (int i = 0; i < 4; i++) h = (h ^ lane(0, v[i])) * P1 + P4;
	}
	for (h += length; n >= 8; n -= 8, p += 8) h = rotl(h ^ lane(0, little(p, 8)), 27) * P1 + P4;
	if (n >= 4) {
		h = rotl(h ^ little(p, 4) * P1, 23) * P2 + P3;
		n -= 4;
		p += 4;
	}
	for (; n > 0; n--, p++) h = rotl(h ^ *p * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}
/* md5_low returns the first 8 bytes of the MD5 of a text. */
static uint64_t md5_low(struct text text) {
	static const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	size_t length = text.n, size = (length + 9 + 63) / 64 * 64;
	uint8_t *padded = allocate(size);
	memcpy(padded, text.bytes, length);
	padded[length] = 0x80;
	for (size_t i = 0; i < 8; i++) padded[size - 8 + i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
	for (const uint8_t *p = padded; p < padded + size; p += 64) {
		uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
		for (int i = 0; i < 64; i++) {
			int round = i / 16, turn = turns[round][i % 4], word[4] = {i, 5 * i + 1, 3 * i + 5, 7 * i};
			uint32_t mixed[4] = {(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)};
			uint32_t f = a + mixed[round] + (uint32_t)(fabs(sin(i + 1)) * 4294967296) +
				(uint32_t)little(p + word[round] % 16 * 4, 4);
			a = d;
			d = c;
			c = b;
			b += f << turn | f >> (32 - turn);
		}
		state[0] += a;
		state[1] += b;
		state[2] += c;
		state[3] += d;
	}
	free(padded);
	return state[0] | (uint64_t)state[1] << 32;
}
/* ---- header and checksums ---- */
static void check_regions(void) {
	static const uint32_t protection[7] = {0, 1, 1, 1, 3, 3, 2};
	uint64_t rw = u64(288 + 24 * (RW - PS) + 8), shift = rw >= 64 << 20 ? 21 : rw >= 64 << 10 ? 16 : 6, end = HEADER;
	for (uint64_t kind = PS; kind <= RW; end = end_of(file.region[kind++])) {
		uint64_t row = 288 + 24 * (kind - 1), align = kind == RW ? (uint64_t)1 << shift : 64;
		struct span s = file.region[kind] = span_at(row);
		must(u32(row + 16) == protection[kind] && u32(row + 20) == kind, row, "wrong region row");
		must(placed(s, round_up(end, align), (struct span){0, file.size}), row, "a region does not lie at its place");
	}
	must(end == file.size && u32(80) == shift, 80, "rw has a wrong alignment, or does not end with the file");
}
static void check_sections(void) {
	uint64_t end = file.region[RO].at;
	for (uint64_t i = SYMBOLS; i <= CONTEXTS; end = end_of(file.section[i++])) {
		file.section[i] = span_at(432 + 16 * i);
		must(placed(file.section[i], end, file.region[RO]), end, "a section is not at its place");
	}
	must(end == end_of(file.region[RO]), 432, "the sections do not fill ro");
	struct span rows = file.section[NEVER_RAN];
	file.rows = rows.at + (rows.size > 0 ? 8 + 8 * u32(rows.at) : 0);
	must(rows.size == 0 || (file.rows <= end_of(rows) && 8 * u32(file.rows - 4) == end_of(rows) - file.rows), rows.at,
		"wrong rows");
	for (uint64_t at = rows.at + 8, last = 0; at < file.rows; last = u32(at + 4), at += 8)
		must(u32(at + 4) > last, at, "a class without rows");
	must(file.section[TYPES].size == TYPE * u64(544) && u64(544) < 1u << 31, 544, "wrong number of types");
	must(file.section[CONTEXTS].size == CONTEXT * u64(536) && u64(536) <= 1u << 31, 536, "wrong number of contexts");
}
static struct text trimmed(struct text t) { while (t.n > 0 && t.bytes[t.n - 1] == 0) t.n--; return t; }
static void check_header(void) {
	must(file.size >= 64 && memcmp(file.bytes, "\x89PARC\r\n\x1a", 8) == 0, 0, "not a profarc archive");
	must(u32(8) == 0x0a0b0c0d, 8, "wrong byte order");
	uint8_t summed[65536];
	uint64_t size = u32(16); must(size >= 64 && size <= 65536, 16, "impossible header size");
	must(u64(24) == file.size, 24, "the file does not have the size that its header says");
	memcpy(summed, need(0, size), 32);
	memcpy(summed + 32, file.bytes + 40, size - 40);
	must(xxh64(summed, size - 8) == u64(32), 32, "the header does not have its sum");
	must(u32(12) == 1, 12, "unsupported version: this reader takes version 1 alone");
	must((u64(40) | 2) == 2, 40, "the archive needs unknown features");
	must(size == HEADER, 16, "wrong header size");
	file.domain = u32(64);
	file.base = u64(72);
	file.probe = u32(84);
	file.seed = u64(88);
	file.lines = u64(104);
	file.type_rows = u32(160);
	file.bci_rows = u32(164);
	file.gap = u32(168);
	must(file.domain >= 1 && file.domain <= 7 && u32(68) == 12, 64, "unknown domain or page shift");
	must((file.domain == 6) == (u64(608) != 0 || u64(616) != 0), 608,
		"a producer id that the domain does not have, or none");
	struct text producer = trimmed((struct text){file.bytes + 224, 64});
	must(memchr(producer.bytes, 0, producer.n) == NULL && u64(152) < 4, 152,
		"a NUL byte in the producer, or unknown flags");
	must(file.size <= (uint64_t)32 << 30, 24, "impossible file size");
	must(file.base % PAGE == 0 && file.base <= (uint64_t)1 << 62, 72, "impossible requested base");
	must(file.type_rows <= 64 && file.bci_rows <= 64 && file.gap <= 64, 160, "impossible settings");
	check_regions();
	check_sections();
	must(file.region[IX].size % LINE == 0 && file.region[IX].size / LINE == file.lines, 104,
		"wrong number of index lines");
	must(file.probe <= 255 && file.probe <= file.lines, 84, "impossible length of a look-up");
}
static void check_sum(uint64_t at, uint64_t end, uint64_t sum) {
	must(xxh64(need(at, end - at), end - at) == u64(sum), at, "bytes do not have their sum");
}
static void check_sums(void) {
	uint64_t at = file.region[IX].at, n = file.size > at ? (file.size - 1) / PAGE - at / PAGE + 1 : 0;
	uint64_t ps = file.region[PS].at, room = file.region[PS].size, size = 8 * n;
	for (uint64_t m = n; m > FANOUT; size += 8 * m) m = (m + FANOUT - 1) / FANOUT;
	must(size <= room && room - size <= 64 + (size / 256 + 7) / 8 * 8, ps, "the page sums do not fit");
	uint64_t end = ps + size, level = end - 8 * n; /* level 0 is the last */
	for (uint64_t sum = level, next; sum < end; sum += 8, at = next) {
		next = lesser((at / PAGE + 1) * PAGE, file.size);
		check_sum(at, next, sum);
	}
	for (; n > FANOUT; end = level, level = end - 8 * n) {
		n = (n + FANOUT - 1) / FANOUT;
		for (uint64_t from = level, sum = level - 8 * n; from < end; from += 8 * FANOUT, sum += 8)
			check_sum(from, lesser(from + 8 * FANOUT, end), sum);
	}
	check_sum(level, end, 96);
}

/* ---- records, identified by the offset of the first byte, or 0 ---- */
static struct text symbol(uint64_t at) {
	if (at == 0) return (struct text){file.bytes, 0};
	struct span s = file.section[SYMBOLS];
	must(inside(s, at, 4) && inside(s, at + 4, u32(at)), at, "a symbol does not lie in its section");
	return (struct text){need(at + 4, u32(at)), u32(at)};
}
/* signature returns the text of a signature. The next call overwrites it. */
static struct text signature(uint64_t at) {
	static uint8_t text[1 << 20];
	if (at == 0 || !inside(file.section[SYMBOLS], at, 4) || u32(at) >> 31 == 0) return symbol(at);
	uint64_t parts = u32(at) & 0x7fffffff, n = 0;
	must(parts > 0 && inside(file.section[SYMBOLS], at, 4 + 4 * parts), at,
		"a list of symbols does not lie in its section");
	for (uint64_t i = 0; i < parts; i++) {
		struct text part = symbol(narrow(at + 4 + 4 * i));
		must(part.n < sizeof text - 2 - n, at, "a signature is too long");
		memcpy(text + n, part.bytes, part.n);
		n += part.n;
		text[n++] = i == 0 ? '(' : i + 1 < parts ? ',' : ')';
	}
	if (parts == 1) text[n++] = ')';
	return (struct text){text, n};
}
static uint64_t record(uint64_t at, int section, uint64_t size) {
	struct span s = file.section[section];
	must(at == 0 || (inside(s, at, size) && (at - s.at) % size == 0), at, "a record does not lie in its section");
	return at;
}
static uint64_t type_at(uint64_t at) { return record(at, TYPES, TYPE); }
static uint64_t context_at(uint64_t at) { return record(at, CONTEXTS, CONTEXT); }
static struct text type_name(uint64_t type) { return symbol(type ? narrow(type + 8) : 0); }
static struct text type_loader(uint64_t type) { return symbol(type ? narrow(type + 12) : 0); }
struct method {
	uint64_t at, size, id, flags, holder, signature, profiles, access, contexts, ncontexts;
	struct text name;
};
/* multiply returns the high half of the product of two numbers, whose low half it stores. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low) {
	uint64_t a1 = a >> 32, a0 = a & 0xffffffff, b1 = b >> 32, b0 = b & 0xffffffff, mid = a1 * b0 + (a0 * b0 >> 32),
			 more = a0 * b1 + (mid & 0xffffffff);
	*low = a * b;
	return a1 * b1 + (mid >> 32) + (more >> 32);
}
static uint64_t mum(uint64_t a, uint64_t b) { uint64_t low, high = multiply(a, b, &low); return high ^ low; }
static uint64_t fold(uint64_t h, struct text t) {
	uint64_t n = t.n, a = 0, b = 0; const uint8_t *p = t.bytes;
	for (h ^= n * 0x8ebc6af09c88c6e3; n > 16; n -= 16, p += 16)
		h = mum(little(p, 8) ^ 0xa0761d6478bd642f, little(p + 8, 8) ^ h);
	if (n >= 8) {
		a = little(p, 8);
		b = little(p + n - 8, 8);
	} else if (n >= 4) {
		a = little(p, 4);
		b = little(p + n - 4, 4);
	} else if (n > 0) a = (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
	return mum(a ^ 0xe7037ed1a0b428db, b ^ h);
}
/* key_id returns the id of a class, name, signature and loader. */
static uint64_t key_id(const struct text key[4]) {
	uint64_t h = 0xa0761d6478bd642f;
	for (int i = 0; i < 4; i++) h = fold(h, key[i]);
	return file.domain == 2 || file.domain == 3 ? md5_low(key[1]) : h;
}
static struct method row_at(uint64_t at) {
	uint64_t class = file.section[NEVER_RAN].at + 8;
	for (uint64_t end = file.rows, middle; class < end;)
		if (u32((middle = class + (end - class) / 16 * 8) + 4) <= (at - file.rows) / 8) class = middle + 8;
		else end = middle;
	must(at >= file.rows && class < file.rows, at, "a method that never ran, of no class");
	struct method m = {.at = at, .size = 8, .flags = 9, .holder = type_at(narrow(class)), .signature = narrow(at + 4)};
	m.name = symbol(narrow(at));
	m.id = key_id((struct text[4]){type_name(m.holder), m.name, signature(m.signature), type_loader(m.holder)});
	return m;
}
struct block { uint64_t at, size, method, context, next, code, id, field[14]; struct span part[5]; };
static struct block block_at(uint64_t at) {
	static const uint8_t field_size[14] = {8, 8, 16, 8, 8, 8, 8, 8, 16, 8, 32, 8, 16, 8};
	must(inside(file.region[RW], at, 16), at, "a block does not lie in rw");
	struct block b = {.at = at, .size = narrow(at), .method = narrow(at + 4)};
	uint64_t presence = u32(at + 8), end = at + 16;
	must(b.size >= 16 && inside(file.region[RW], at, b.size) && presence < 1 << 14 && (presence & 5) != 4, at,
		"a broken block header");
	must(inside(file.section[METHODS], b.method, 8), at, "a block of no method");
	for (int i = 0; i < 14; i++)
		if (presence >> i & 1) {
			b.field[i] = end;
			end += field_size[i] + (i == 11 ? round_up(u32(b.field[i]), 8) : 0);
		}
	for (uint64_t i = DATA; i <= DIRECTORY; end = end_of(b.part[i++])) {
		uint64_t from = i == DATA ? at + 12
			: i == DIRECTORY      ? b.field[13]
			: b.field[12]         ? b.field[12] + 4 * (i - EXTRA)
								  : 0;
		b.part[i] = (struct span){end, from ? 8 * u32(from) : 0};
	}
	must(end <= at + b.size && at + b.size - end <= 24, at, "fields and sections do not fill their block");
	b.id = b.field[0];
	b.code = b.field[4] ? u64(b.field[4]) : 0;
	if (b.field[3]) {
		b.context = context_at(narrow(b.field[3]));
		b.next = narrow(b.field[3] + 4);
	}
	return b;
}
static struct method method_at(uint64_t at) {
	if (at % 8 == 0 && inside(file.section[NEVER_RAN], at, 8)) return row_at(at);
	must(at % 8 == 0 && inside(file.section[METHODS], at, 8 * u16(at + 4)) && u16(at + 4) > 0, at,
		"a method does not lie in its section");
	struct method m = {.at = at, .size = 8 * u16(at + 4), .flags = u16(at + 6)};
	uint64_t field = at + 8, end = at + m.size, named = m.flags & 64; /* named: the record holds its name */
	if (named) m.profiles = narrow(at);
	if (m.flags & 128) {
		m.id = u64(field);
		field += 8;
	}
	uint64_t fields = field;
	if (m.flags & 1) {
		m.holder = type_at(narrow(field));
		m.signature = narrow(field + 4);
		field += 8;
	}
	if (m.flags & 2) {
		m.profiles = narrow(field);
		m.access = u32(field + 4);
		field += 8;
	}
	if (m.flags & 4) {
		m.contexts = context_at(narrow(field));
		m.ncontexts = u32(field + 4);
		field += 8;
	}
	must(m.flags < 256 && (named ? field == fields && end >= field : end == field), at, "a broken method record");
	m.name = named ? trimmed((struct text){need(field, end - field), end - field}) : symbol(narrow(at));
	must(m.ncontexts == 0 || inside(file.section[CONTEXTS], m.contexts, CONTEXT * m.ncontexts), at,
		"contexts out of place");
	must(!(m.flags & 128) == (m.profiles != 0), at, "a method has its id twice, or not at all");
	if (m.flags & 128) return m;
	struct block b = block_at(m.profiles); /* it contains the id */
	must(b.id && b.method == at, at, "a method's head is not its own");
	m.id = u64(b.id);
	return m;
}

/* ---- looking up ---- */
static bool same(struct text t, struct text u) { return t.n == u.n && memcmp(t.bytes, u.bytes, t.n) == 0; }
static bool is(uint64_t at, const struct text key[4]) {
	struct method m = method_at(at);
	struct text own[4] = {type_name(m.holder), m.name, signature(m.signature), type_loader(m.holder)};
	return same(own[0], key[0]) && same(own[1], key[1]) && same(own[2], key[2]) && same(own[3], key[3]);
}
/* crowded searches the table of the records without a slot. */
static uint64_t crowded(uint64_t id, const struct text *key, uint64_t place) {
	uint64_t t = file.crowded, n = t ? u32(t + 12) : 0, all = t + 16 + round_up(u32(t + 8), 8),
			 refs = all + 8 * n, low = 0, at;
	for (uint64_t high = n; low < high;) {
		uint64_t mid = (low + high) / 2, row = u64(all + 8 * mid), to = narrow(refs + 4 * mid);
		if (row < id || (row == id && to != 0 && to < place)) low = mid + 1;
		else high = mid;
	}
	for (; low < n && u64(all + 8 * low) == id && (at = narrow(refs + 4 * low)) != 0; low++) {
		must(u32(refs + round_up(4 * n, 8) + 4 * low) == 0, t, "two records");
		if (!key) return at == place ? at : 0;
		must(method_at(at).id == id, at, "another id");
		if (is(at, key)) return at;
	}
	return 0;
}
/* search returns the offset of the record with a key, or 0. If key is NULL, it searches for the offset `place`. */
static uint64_t search(uint64_t id, const struct text *key, uint64_t place) {
	uint64_t h = (id ^ file.seed ^ 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93, rest, low,
			 line = multiply(h, file.lines, &rest);
	for (uint64_t i = 0; i < file.probe; i++, line = (line + 1) % file.lines) {
		uint64_t at = file.region[IX].at + LINE * line, own = multiply(rest * u8(at + 22), SLOTS, &low);
		for (uint64_t slot = 0; slot < SLOTS; slot++) {
			uint64_t to = narrow(at + 24 + 4 * slot);
			if (u16(at + 2 * slot) != ((h & 0xffff) | 1) || (!u8(at + 23) && slot != own)) continue;
			if (inside(file.section[TYPES], to, TYPE)) { type_at(to); continue; }
			uint64_t head = inside(file.section[METHODS], to, 8) ? 0 : to;
			if (head) {
				to = block_at(head).method;
				must(method_at(to).profiles == head, at, "a slot leads to a profile that is not a head");
			}
			if (key ? method_at(to).id == id && is(to, key) : to == place) return to;
		}
		if (!(u16(at + 20) >> (h >> 16 & 15) & 1)) return 0;
	}
	return file.probe ? crowded(id, key, place) : 0;
}
static uint64_t find(char *const parts[4]) { /* returns the offset of a method, or 0 */
	struct text key[4];
	for (int i = 0; i < 4; i++) key[i] = (struct text){(const uint8_t *)parts[i], strlen(parts[i])};
	uint64_t at = search(key_id(key), key, 0), row = file.rows, end = end_of(file.section[NEVER_RAN]);
	while (at == 0 && row < end && !is(row, key)) row += 8;
	return at || row == end ? at : row;
}
/* referred returns the method at an offset, which must be indexed. */
static struct method referred(uint64_t at) {
	struct method m = method_at(at);
	must(inside(file.section[NEVER_RAN], at, 8) || search(m.id, NULL, at), at, "no method begins here");
	return m;
}

/* ---- JSON ---- */
/* utf8 returns the length of the UTF-8 sequence at the start of n bytes and stores its character in *c, or returns 0 if
 * it is invalid. */
static uint64_t utf8(const uint8_t *p, uint64_t n, uint32_t *c) {
	uint64_t length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0x80 ? 2 : 1;
	uint8_t low = p[0] == 0xe0 ? 0xa0
		: p[0] == 0xf0         ? 0x90
							   : 0x80,
			high = p[0] == 0xed ? 0x9f
		: p[0] == 0xf4          ? 0x8f
								: 0xbf;
	if (length > 1 && (p[0] < 0xc2 || p[0] > 0xf4 || n < length || p[1] < low || p[1] > high)) return 0;
	*c = length > 1 ? p[0] & 0x7f >> length : p[0];
	for (uint64_t i = 1; i < length; *c = *c << 6 | (p[i++] & 0x3f)) if (p[i] >> 6 != 2) return 0;
	return length;
}
static void put_text(struct text t) { /* prints an invalid byte as a low surrogate */
	static const uint32_t escaped[][2] = {{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xdc00, 0xdfff}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
		{0xe0000, 0xe007f}, {~0u, ~0u}};
	putchar('"');
	for (uint64_t length; t.n > 0; t.bytes += length, t.n -= length) {
		uint32_t c, i = 0;
		if ((length = utf8(t.bytes, t.n, &c)) == 0) {
			length = 1;
			c = 0xdc00 | *t.bytes;
		}
		while (escaped[i][1] < c) i++;
		if (c >= escaped[i][0])
			printf(c > 0xffff ? "\\udb40\\u%04x" : "\\u%04x", (unsigned)(c > 0xffff ? 0xdc00 | (c & 0x3ff) : c));
		else printf(c == '"' || c == '\\' ? "\\%.*s" : "%.*s", (int)length, t.bytes);
	}
	putchar('"');
}
/* say is printf for JSON. It replaces ' by ". Its verbs are %u uint64_t, %d int64_t, %x uint64_t as hex, %s char *,
 * and %t text. */
static void say(const char *format, ...) {
	va_list args;
	va_start(args, format);
	for (const char *f = format; *f; f++) {
		switch (*f == '%' ? *++f : 0) {
		case 'u': printf("%" PRIu64, va_arg(args, uint64_t)); break;
		case 'd': printf("%" PRId64, va_arg(args, int64_t)); break;
		case 'x': printf("\"%016" PRIx64 "\"", va_arg(args, uint64_t)); break;
		case 's': fputs(va_arg(args, const char *), stdout); break;
		case 't': put_text(va_arg(args, struct text)); break;
		default: putchar(*f == '\'' ? '"' : *f);
		}
	}
	va_end(args);
}
static const char *comma(uint64_t i) { return i > 0 ? "," : ""; }
static void optional_text(const char *key, struct text t) { say(t.n > 0 ? ",'%s':%t" : "", key, t); }
static void optional_number(const char *key, uint64_t v) { say(v != 0 ? ",'%s':%u" : "", key, v); }
static void put_hex(uint64_t at, uint64_t n) { for (const uint8_t *p = need(at, n); n > 0; n--) printf("%02x", *p++); }
static void put_numbers(const char *key, uint64_t at, uint64_t n, uint64_t width) {
	say(",'%s':[", key);
	for (uint64_t i = 0; i < n; i++) say("%s%u", comma(i), little(need(at + i * width, width), width));
	say("]");
}
static void put_type(uint64_t at) {
	say(type_at(at) ? "{'name':%t" : "null", type_name(at));
	optional_text("loader", type_loader(at));
	say(at ? "}" : "");
}
static void put_key(const struct method *m) {
	say("'name':%t", m->name);
	optional_text("class", type_name(m->holder));
	optional_text("signature", signature(m->signature));
	optional_text("loader", type_loader(m->holder));
}
static void put_method(uint64_t at, bool row) { /* only tables refer to rows */
	struct method m = at ? referred(at) : (struct method){0};
	must(row || !inside(file.section[NEVER_RAN], at, 8), at, "a method that never ran where one that ran is expected");
	if (at) say("{"), put_key(&m), say("}"); else say("null");
}
/* leaf returns the offset of the method of a context. */
static uint64_t leaf(uint64_t node) {
	uint64_t top = context_at(node), depth = 1;
	for (; !inside(file.section[METHODS], narrow(top), 16); depth++, top = context_at(narrow(top)))
		must(narrow(top) > 0 && narrow(top) < top && depth < DEEPEST, top, "a context does not lead to its method");
	struct method m = method_at(narrow(top));
	must(top >= m.contexts && node < m.contexts + CONTEXT * m.ncontexts, node,
		"a context that its method does not have");
	return m.at;
}
/* put_frames prints the frames of a context. The deepest node is the outermost caller, which comes last. */
static void put_frames(uint64_t node) {
	static uint64_t path[DEEPEST];
	uint64_t i = DEEPEST;
	for (referred(leaf(node)); inside(file.section[CONTEXTS], node, CONTEXT); node = narrow(node)) path[--i] = node;
	for (const char *sep = "["; i < DEEPEST; i++, sep = ",") {
		say("%s{'caller':", sep);
		put_method(referred(narrow(path[i] + 4)).at, false);
		say(",'point':%d}", i32(path[i] + 8));
	}
	say("]");
}

/* ---- entries ---- */
/* A form is the format of an entry's cells. ' is printed as ". A verb prints a cell, namely %u, %d, %T type, %M
 * method, %W type word, or %p point and index. %n reads the number n of the following cells. %r prints a return type
 * word if one of the n cells is left. %h prints all rows as bytes. <X...> is repeated. If X is T, B or G, the setting
 * has the number; if X is R, it is the number of rows of a wide entry. For 1 or 2, it repeats while that many cells
 * are left. */
#define ROWS ",'gap':[<G%u>],'rows':[<T{'type':%T,'count':%u}>]"
#define ARGS "%n,'args':[<2{'slot':%u,'type':%W}>]"
static struct { const char *name, *form;
} tags[256] = {[1] = {"Bit", ""},
	{"Counter", ",'count':%u"},
	{"Jump", ",'taken':%u,'displacement':%d"},
	{"ReceiverType", ",'count':%d" ROWS},
	{"VirtualCall", ",'count':%u" ROWS},
	{"Ret", ",'count':%u,'rows':[<B[%u,%u,%d]>]"},
	{"Branch", ",'taken':%u,'displacement':%d,'not_taken':%u"},
	{"MultiBranch", "%n,'default':[%u,%d],'cases':[<2[%u,%d]>]"},
	{"ArgInfo", "%n,'modified':[<1%d>]"},
	{"CallType", ",'count':%u" ARGS "%r"},
	{"VirtualCallType", ",'count':%u" ROWS ARGS "%r"},
	{"ParametersType", ARGS},
	{"SpeculativeTrap", ",'method':%M"},
	[64] = {"Counters", ",'counts':[<R%u>]"},
	{"ValueSite", ",'values':[<R[%u,%u]>]"},
	{"Bitmap", ",'bytes':'%h'"},
	{"Successors", ",'rows':[<R[%p,%u]>]"},
	{"Receivers", ",'other':%u,'traps':%u,'rows':[<R{'type':%T,'count':%u}>]"},
	{"Callees", ",'rows':[<R{'method':%M,'count':%u}>]"},
	{"Count", ",'count':%u"},
	{"Undecoded", ",'words':[<R%u>]"}};
/* ---- shapes of a producer's entries, which are converted to forms ---- */
static bool is_name(const char *name, bool capital) {
	const char *small = "abcdefghijklmnopqrstuvwxyz", *large = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", *other = "0123456789-_";
	if (name[0] == 0 || strlen(name) > 32 || !strchr(capital ? large : small, name[0])) return false;
	for (const char *c = name; *c; c++)
		if (!strchr(small, *c) && !strchr(other, *c) && !(capital && strchr(large, *c))) return false;
	return true;
}
/* A line is a row of the table of shapes. */
struct line { uint64_t head; char name[33]; };
static unsigned part_of(const struct line *l, int byte) {
	return (unsigned)(l->head >> 8 * byte & 255);
} /* 0 kind, 1 bit, 2 cell, 3 part, 4 tag */
static struct line line_at(uint64_t column, uint64_t rows, uint64_t row) {
	struct line l = {u64(column + 8 * row), ""};
	for (int i = 0; i < 32; i++)
		l.name[i] = (char)u8(column + 8 * (rows * (1 + (uint64_t)i / 8) + row) + (uint64_t)i % 8);
	size_t n = 32;
	while (n > 0 && l.name[n - 1] == 0) n--;
	must(strlen(l.name) == n, column, "a name that holds a zero");
	return l;
}
/* put_form adds the cells of one part of a shape to its form. Cells outside rows have keys. Cells of a row have keys if
 * one is a pointer. Otherwise they are a list, or a single number. */
static void put_form(char *form, const struct line *cells, unsigned n, bool once) {
	static const char *const verb[10] = {"", "%u", "%u", "%u", "%u", "%u", "%T", "%M", "%u", "%u"};
	bool keys = once;
	for (unsigned i = 0; i < n; i++) keys |= strchr("TM", verb[part_of(&cells[i], 0)][1]) != NULL;
	if (!once) strcat(form, keys ? "{" : n > 1 ? "[" : "");
	for (unsigned i = 0; i < n; i++) {
		if (once || i > 0) strcat(form, ",");
		if (keys) {
			strcat(form, "'");
			strcat(form, cells[i].name);
			strcat(form, "':");
		}
		strcat(form, verb[part_of(&cells[i], 0)]);
	}
	if (!once) strcat(form, keys ? "}" : n > 1 ? "]" : "");
}
static char *forms[256]; /* forms of shapes, each followed by its name */
/* read_shape reads the n lines of one shape and checks them. */
static void read_shape(const struct line *l, uint64_t n, uint64_t at) {
	static const char *const words[6] = {"tag", "point", "flags", "traps", "sub", "rows"};
	unsigned tag = part_of(l, 4), count[3] = {0, 0, 0};
	must(l->head >> 40 == 0 && tag >= 192 && (l->head & 0xffffff00) == 0 && part_of(l, 0) < 7 && is_name(l->name, true),
		at, "a shape without a name and a unit");
	for (int i = 0; i < 256; i++)
		must(!tags[i].name || strcmp(tags[i].name, l->name) != 0, at, "two shapes of one name");
	for (uint64_t i = 1; i < n; i++) {
		unsigned part = part_of(&l[i], 3), cell = part_of(&l[i], 2), bit = part_of(&l[i], 1), kind = part_of(&l[i], 0);
		must(part >= 1 && part <= 4 && is_name(l[i].name, false), at, "a line of a shape of nothing");
		for (uint64_t j = 1; j < i; j++)
			must(part_of(&l[j], 3) != part || (part > 2 && part_of(&l[j], 2) != cell) ||
					strcmp(l[j].name, l[i].name) != 0,
				at, "a name that stands twice");
		if (part <= 2) {
			must(cell == count[part]++ && count[part] <= (part == 1 ? 32 : 8) && bit == 0 && kind >= 1 && kind <= 9, at,
				"a cell out of order, or of no kind");
			for (int w = 0; part == 1 && w < 6; w++)
				must(strcmp(words[w], l[i].name) != 0, at, "a cell with the name of a part");
		} else {
			const struct line *of = &l[part == 3 ? 1 + cell : 1 + count[1] + cell];
			must(cell < count[part - 2] && bit < 64 && kind == 0 && part_of(of, 0) == 3, at,
				"a bit of no cell");
		}
	}
	char *form = forms[tag] = allocate(64 * 48), *name = form + 63 * 48;
	put_form(form, l + 1, count[1], true);
	if (count[2] > 0) {
		strcat(form, ",'rows':[<R");
		put_form(form, l + 1 + count[1], count[2], false);
		strcat(form, ">]");
	}
	strcpy(name, l->name);
	tags[tag].name = name;
	tags[tag].form = form;
}
static void read_shapes(void) {
	static struct line *lines;
	for (int i = 192; i < 256; i++) {
		free(forms[i]);
		forms[i] = NULL;
		tags[i].name = tags[i].form = NULL; /* shapes of the previous archive */
	}
	struct span ex = file.region[EX], t = {0, 0};
	uint64_t n = ex.size > 0 ? u32(ex.at) : 0, end = ex.at + 8 + 24 * n, before = 0;
	file.crowded = 0;
	if ((file.domain != 6 && u64(40) == 0) || ex.size == 0) return;
	must(n <= 1024 && 8 + 24 * n <= ex.size, ex.at, "the directory of tables does not fit");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t row = ex.at + 8 + 24 * i, kind = u32(row); struct span s = span_at(row + 8);
		must(kind > before && placed(s, end, ex), row, "a table is misplaced");
		if (kind == 19 && file.domain == 6) t = s;
		if (kind == 35 && u64(40) != 0) file.crowded = s.at;
		before = kind;
		end = end_of(s);
	}
	must(end == end_of(ex), ex.at, "the tables do not fill ex");
	if (t.size == 0) return;
	must(t.size >= 24 && u32(t.at) == 19 && u32(t.at + 4) == 0 && u32(t.at + 8) == 5 &&
			u64(t.at + 16) << 24 == (uint64_t)0x0101010101 << 24,
		t.at, "not a table of shapes");
	uint64_t rows = u32(t.at + 12), first = 0;
	must(t.size == 24 + 40 * rows, t.at, "the columns do not fill their table");
	free(lines);
	lines = allocate((rows + 1) * sizeof *lines);
	for (uint64_t i = 0; i < rows; i++) {
		lines[i] = line_at(t.at + 24, rows, i);
		must(i == 0 || lines[i].head > lines[i - 1].head, t.at, "shapes are not sorted");
		if (i > 0 && lines[i].head >> 32 != lines[i - 1].head >> 32) {
			read_shape(&lines[first], i - first, t.at);
			first = i;
		}
	}
	if (rows > 0) read_shape(&lines[first], rows - first, t.at);
}

struct cursor { uint64_t at, end, rows, left; bool counted; };
static uint64_t take(struct cursor *c) {
	must(c->end - c->at >= 8 && !(c->counted && c->left == 0), c->at, "an entry is longer than it says");
	c->left--;
	c->at += 8;
	return u64(c->at - 8);
}
static uint64_t pointed(uint64_t cell) {
	must(cell != file.base || cell == 0, 0, "a pointer leads to the start of the file");
	return cell ? cell - file.base : 0;
}
static void put_word(uint64_t cell) {
	say("{'type':");
	put_type(pointed(cell & ~(uint64_t)3));
	say("%s%s}", cell & 1 ? ",\"null_seen\":true" : "", cell & 2 ? ",\"unknown\":true" : "");
}
static void put_cells(const char *f, struct cursor *c) {
	for (uint64_t v; *f && *f != '>'; f++) {
		if (*f == '<') {
			f++;
			v = *f == 'T'   ? file.type_rows
				: *f == 'B' ? file.bci_rows
				: *f == 'G' ? file.gap
				: *f == 'R' ? c->rows
				: *f == '2' ? c->left / 2
							: c->left;
			for (uint64_t i = 0; i < v; i++) {
				say("%s", comma(i));
				put_cells(f + 1, c);
			}
			f = strchr(f, '>');
		} else switch (*f == '%' ? *++f : 0) {
		case 'u': say("%u", take(c)); break;
		case 'd': say("%d", (int64_t)take(c)); break;
		case 'T': put_type(pointed(take(c))); break;
		case 'M': put_method(pointed(take(c)), false); break;
		case 'W': put_word(take(c)); break;
		case 'p': v = take(c); say("%d,%u", (int64_t)(int32_t)v, v >> 32); break;
		case 'n': c->left = take(c); c->counted = true; break;
		case 'r': if (c->left == 1) say(",'return':"), put_word(take(c)); break;
		case 'h': v = round_up(c->rows, 8); must(v <= c->end - c->at, c->at, "a bitmap is longer than its section");
			put_hex(c->at, c->rows), c->at += v; break;
		default: putchar(*f == '\'' ? '"' : *f);
		}
	}
}
/* put_entry prints the entry at `at`, which must not extend past `end`, and returns its end. */
static uint64_t put_entry(uint64_t at, uint64_t end) {
	uint64_t tag = u8(at), header = tag >= 64 ? 16 : 8;
	must(tags[tag].name && header <= end - at, at, "an unknown tag, or an entry that is cut off");
	struct cursor c = {at + header, end, tag >= 64 ? u32(at + 12) : 0, 0, false};
	say("{'tag':'%s','point':%d", tags[tag].name, tag >= 64 ? i32(at + 4) : (int64_t)u16(at + 2));
	optional_number("flags", u8(at + 1));
	optional_number(tag >= 64 ? "sub" : "traps", tag >= 64 ? u16(at + 2) : u32(at + 4));
	must(tag < 192 || c.rows == 0 || strchr(tags[tag].form, 'R') != NULL, at, "rows that have no cells");
	put_cells(tags[tag].form, &c);
	say("}");
	must(!(c.counted && c.left > 0), at, "an entry of an impossible length");
	must(tag < 64 || c.at - at - header == 8 * u32(at + 8), at, "an entry does not have the cells of its rows");
	return c.at;
}

/* ---- the dump ---- */
/* put_which prints the code id and context of a block. */
static void put_which(const struct block *b) {
	say("'code':%x", b->code);
	if (b->context) {
		say(",'context':");
		put_frames(b->context);
	}
}
/* put_section prints the entries of a section, and compares data entries with the point directory, if any. */
static void put_section(const char *key, struct span s, struct span list) {
	uint64_t row = list.at; say(",'%s':[", key);
	for (uint64_t at = s.at; at < end_of(s); row += 8) {
		uint64_t point = u8(at) >= 64 ? u32(at + 4) : u16(at + 2), entry = at - s.at;
		bool listed = inside(list, row, 8) && u32(row) == point && u32(row + 4) * 8 == entry;
		must(list.size == 0 || listed, at, "the point directory does not have the entry");
		say("%s", comma(entry));
		at = put_entry(at, end_of(s));
	}
	must(list.size == 0 || row == end_of(list), row, "the point directory has too many rows");
	say("]");
}
static void put_profile(const struct block *b) {
	static const char *const keys[4] = {"data", "extra", "parameters", "handlers"};
	static const char *const counters[3] = {"invocations", "backedges", "interpreted"};
	const uint64_t *field = b->field, c = field[9], counter[3] = {field[1], field[6], field[7]};
	say("{");
	put_which(b);
	if (field[5]) put_numbers("size", field[5], 2, 4);
	for (int i = 0; i < 3; i++) if (counter[i]) say(",'%s':%u", counters[i], u64(counter[i]));
	if (field[8]) put_numbers("history", field[8], 4, 4);
	if (c) say(",'compile':[%u,%u,%u,%u,%u]", u8(c), u8(c + 1), u8(c + 2), u16(c + 4), u16(c + 6));
	if (field[10]) put_numbers("escape", field[10], 4, 8);
	if (field[11]) put_numbers("traps", field[11] + 8, u32(field[11]), 1);
	put_section(keys[DATA], b->part[DATA], b->part[DIRECTORY]);
	for (int i = EXTRA; i <= HANDLERS; i++)
		if (b->part[i].size > 0) put_section(keys[i], b->part[i], (struct span){0, 0});
	say("}");
}
/* ascend reports whether one context of a method sorts before another. */
static bool ascend(uint64_t a, uint64_t b) {
	uint64_t place = u32(a) << 32 | u32(a + 4), other = u32(b) << 32 | u32(b + 4);
	return place < other || (place == other && i32(a + 8) < i32(b + 8));
}
/* spend adds to the length of the names of all types or methods, which is limited. */
static void spend(uint64_t at, uint64_t n) {
	must((file.text += n) <= (uint64_t)64 << 20 || file.text <= 32 * file.size, at, "names are shared too often");
}
/* put_method_line prints a method with its blocks and returns the size of its record or row. Blocks without a context
 * come first. */
static uint64_t put_method_line(const char *prefix, uint64_t at) {
	struct method m = method_at(at);
	say("%s{'id':%x,", prefix, m.id);
	put_key(&m);
	spend(at, m.flags & 64 ? 0 : type_name(m.holder).n + m.name.n + signature(m.signature).n + type_loader(m.holder).n);
	spend(at, m.signature && u32(m.signature) >> 31 ? 16 * (u32(m.signature) & 0x7fffffff) : 0);
	optional_number("flags", m.flags & 0x38);
	optional_number("access", m.access);
	say(",'profiles':[");
	for (uint64_t i = 0, printed = 0; i <= m.ncontexts; i++) {
		uint64_t context = i > 0 ? m.contexts + CONTEXT * (i - 1) : 0,
				 first = i > 0 ? narrow(context + 12) : m.profiles;
		must(i < 2 || ascend(context - CONTEXT, context), context, "contexts are not sorted");
		must(i == 0 || leaf(context) == at, context, "a context of another method");
		struct block b = {.next = first};
		for (uint64_t code = 0, to; (to = b.next) != 0; code = b.code) {
			b = block_at(to);
			must(b.method == at && b.context == context, to, "a block of another method or context");
			must(!b.id == !(i == 0 && to == first), to, "a block that is not the head has an id");
			must((b.next == 0 || b.next > to) && (to == first || b.code > code), to,
				"a chain of blocks does not go forward");
			say("%s", comma(printed++));
			put_profile(&b);
		}
	}
	say("]}");
	return m.size;
}
static bool before(uint64_t record, uint64_t row) {
	struct method m = method_at(record), n = row_at(row);
	if (m.holder != n.holder) return m.holder < n.holder;
	return m.name.bytes != n.name.bytes ? m.name.bytes < n.name.bytes : m.signature < n.signature;
}
static void put_methods(void) {
	uint64_t at = file.section[METHODS].at, end = end_of(file.section[METHODS]), row = file.rows, n = 0;
	file.text = 0;
	for (uint64_t rows_end = end_of(file.section[NEVER_RAN]); at < end || row < rows_end; n++) {
		uint64_t *next = row == rows_end || (at < end && before(at, row)) ? &at : &row;
		*next += put_method_line(n > 0 ? ",\n" : "\n", *next);
	}
}
static void put_types(void) {
	struct span s = file.section[TYPES];
	for (uint64_t at = s.at + (file.text = 0); at < end_of(s); at += TYPE) {
		spend(at, type_name(at).n + type_loader(at).n + symbol(narrow(at + 16)).n);
		say("%s\n{'id':%x,'name':%t", comma(at - s.at), u64(at), type_name(at));
		optional_text("loader", type_loader(at));
		optional_text("alias", symbol(narrow(at + 16)));
		optional_number("flags", u32(at + 20));
		say("}");
	}
}
static void put_table_cell(uint64_t kind, uint64_t at) {
	uint64_t to = kind == 1 ? 0 : narrow(at);
	if (kind == 1) say("%u", u64(at));
	else if (to == 0 || kind == 3) put_type(to);
	else if (kind == 2) say("%t", symbol(to));
	else if (kind == 4) put_method(to, true);
	else { /* a context is printed like a block without a code id */
		struct block b = kind == 5 ? block_at(to) : (struct block){.context = to, .method = leaf(to)};
		say("{'method':");
		put_method(b.method, false);
		say(",");
		put_which(&b);
		say("}");
	}
}
static void put_table(struct span t) {
	static const char *const begins[36] = {"", "", "22", "1111", "31", "1411", "2", "111", "211", "11", "311111",
		"3111112", "11111111", "3", "22", "42", "1111111111111222222", "112111", "2111", "11111", "41111111", "611",
		"4221", "11112", "", "", "5111", "121111111111111111111111111111",
		"121", "5211111", "22121121", "2221112", "411", "5111", "51", "143"}; /* the columns of each kind of table */
	static const char *const names[7] = {"", "word", "symbol", "type", "method", "profile", "context"};
	uint64_t n = u32(t.at + 8), rows = u32(t.at + 12), kind[64], column[64], at = t.at + 16 + round_up(n, 8);
	const char *begin = u32(t.at) < 36 ? begins[u32(t.at)] : "";
	must(n >= 1 && n <= 64 && n >= strlen(begin), t.at, "a table of an impossible number of columns");
	must(u32(t.at) > 35 || u32(t.at + 4) <= (u32(t.at) == 1), t.at, "a table with unknown flags");
	say("\n{'kind':%u", u32(t.at));
	optional_number("flags", u32(t.at + 4));
	say(",'columns':[");
	for (uint64_t i = 0; i < n; i++) {
		kind[i] = u8(t.at + 16 + i);
		column[i] = at;
		must(kind[i] >= 1 && kind[i] <= 6, t.at, "a column of an unknown kind");
		must(i >= strlen(begin) || kind[i] == (uint64_t)(begin[i] - '0'), t.at,
			"a column that tables of this kind do not have here");
		say("%s'%s'", comma(i), names[kind[i]]);
		at += round_up(rows * (kind[i] == 1 ? 8 : 4), 8);
	}
	must(at == end_of(t), t.at, "the columns do not fill their table");
	say("],'rows':[");
	for (uint64_t i = 0; i < rows * n; i++) {
		uint64_t c = i % n, row = i / n;
		say("%s", c ? "," : row ? "],[" : "[");
		put_table_cell(kind[c], column[c] + row * (kind[c] == 1 ? 8 : 4));
	}
	say(rows ? "]]}" : "]}");
}
static void put_tables(void) {
	struct span ex = file.region[EX];
	uint64_t n = ex.size > 0 ? u32(ex.at) : 0, end = ex.at + 8 + 24 * n, before = 0;
	must(n == 0 || 8 + 24 * n <= ex.size, ex.at, "the directory of tables does not fit");
	for (uint64_t i = 0; i < n; i++) {
		uint64_t row = ex.at + 8 + 24 * i, kind = u32(row); struct span t = span_at(row + 8);
		must(kind > before && placed(t, end, ex), row, "a table is not at its place");
		must(t.size >= 16 && u32(t.at) == kind, row, "a table is not what the directory says");
		say("%s", comma(i));
		put_table(t);
		before = kind;
		end = end_of(t);
	}
	must(ex.size == 0 || end == end_of(ex), ex.at, "the tables do not fill ex");
}
static void dump(void) {
	static const char *const domains[8] = {
		"", "hotspot", "llvm-ir", "llvm-frontend", "graal", "jamaica", "custom", "sampled"};
	say("{\n'header':{'format':'1','domain':'%s'", domains[file.domain]);
	say(",'producer':%t,'file_size':%u,'base':%x", trimmed((struct text){need(224, 64), 64}), file.size, file.base);
	say(",'producer_id':'");
	put_hex(608, 16);
	say("','fingerprint':'");
	put_hex(112, 16);
	say("','dump_id':'");
	put_hex(128, 16);
	say("','dump_time':%d,'flags':%u", (int64_t)u64(144), u64(152));
	put_numbers("settings", 160, 16, 4);
	say(",'seed':%x,'lines':%u,'max_probe':%u", file.seed, file.lines, file.probe);
	put_numbers("counts", 512, 8, 8);
	put_numbers("summary", 576, 4, 8);
	say("},\n'types':[");
	put_types();
	say("\n],\n'methods':[");
	put_methods();
	say("\n],\n'tables':[");
	put_tables();
	say("\n]\n}\n");
}
static void read_file(const char *path) {
	FILE *f = fopen(path, "rb");
	long size = f != NULL && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	uint8_t *bytes = size > 0 ? malloc((size_t)size) : NULL;
	must(bytes != NULL && fseek(f, 0, SEEK_SET) == 0, 0, "the file cannot be opened, is empty or too large");
	must(fread(bytes, 1, (size_t)size, f) == (size_t)size && fclose(f) == 0, 0, "the file cannot be read");
	file.bytes = bytes;
	file.size = (uint64_t)size;
}
int main(int argc, char **argv) {
	bool one = argc == 7 && strcmp(argv[2], "find") == 0;
	if (argc != 2 && !one) {
		fputs("usage: creader ARCHIVE [find CLASS NAME SIGNATURE LOADER]\n", stderr);
		return 1;
	}
	read_file(argv[1]);
	check_header();
	check_sums();
	read_shapes();
	uint64_t at = one ? find(argv + 3) : 0;
	if (one && at == 0) {
		fputs("creader: the archive does not hold the method\n", stderr);
		return 2;
	}
	if (one) {
		put_method_line("", at);
		say("\n");
	} else dump();
	return fflush(stdout) == 0 ? 0 : 1;
}
