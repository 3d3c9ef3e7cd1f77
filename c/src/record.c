/* SPDX-License-Identifier: Apache-2.0 */
/* The open profile of a builder, from pa_begin to the encoded block. */
#include "build.h"

/* ---- which profiles there are ---- */

typedef struct wanted { const pa_builder *b; uint32_t method, context; uint64_t code; } wanted;

static bool same_profile(const void *with, uint32_t ref) {
	const wanted *w = with;
	const new_profile *p = ITEM(new_profile, w->b->profiles, ref);
	return p->method == w->method && p->context == w->context && p->code == w->code;
}

static uint32_t hash_of(uint32_t method, uint64_t code, uint32_t context) {
	return pai_mix(pai_mix(pai_mix(method, context), code), code >> 32);
}

uint32_t pai_find_profile(const pa_builder *b, uint32_t method, uint64_t code, uint32_t context) {
	return pai_find(
		&b->profile_index, hash_of(method, code, context), same_profile, &(wanted){b, method, context, code});
}

bool pai_is_new(pa_builder *b, uint32_t method, uint64_t code, uint32_t context) {
	return pai_find_profile(b, method, code, context) == 0;
}

/* ---- beginning and fields ---- */

static void reset(recording *r) {
	r->open = false;
	r->presence = 0;
	r->entries.size = 0;
	for (unsigned i = 0; i < FIELDS; i++) r->fields[i].size = 0;
	for (unsigned i = 0; i < DIRECTORY; i++) r->sections[i].size = 0;
}

void pa_begin(pa_builder *b, uint32_t method, uint64_t code, uint32_t context) {
	uint8_t id[8];
	if (!sound(b)) return;
	recording *r = &b->open;
	if (r->open) pai_refuse(b, PA_ARGUMENT, "the profile before was neither done nor discarded");
	else if (!HAS(new_method, b->methods, method)) pai_refuse(b, PA_ARGUMENT, "a method that is not of this builder");
	else if (context != 0 &&
		(!HAS(new_context, b->contexts, context) || ITEM(new_context, b->contexts, context)->method != method))
		pai_refuse(b, PA_ARGUMENT, "a context that is not one of the method");
	else if (code == PA_ANY_CODE) pai_refuse(b, PA_ARGUMENT, "a profile is of one version of the code, not of any");
	if (!sound(b)) return;
	reset(r);
	r->open = true;
	r->twin = !pai_is_new(b, method, code, context);
	r->method = method;
	r->context = context;
	r->code = code;
	put64(id, code);
	if (code != 0) pai_set_field(b, PA_FIELD_CODE, id, sizeof id);
}

/* recorded reports whether the open profile accepts calls. */
static bool recorded(pa_builder *b) {
	return sound(b) && (b->open.open || pai_refuse(b, PA_ARGUMENT, "something is recorded, and no profile was begun"));
}

void pai_set_field(pa_builder *b, unsigned field, const void *bytes, size_t size) {
	if (!recorded(b)) return;
	b->open.fields[field].size = 0;
	if (pai_append(b, &b->open.fields[field], bytes, size)) b->open.presence |= 1u << field;
}

static void set_numbers(pa_builder *b, unsigned field, const uint64_t *numbers, unsigned n) {
	uint8_t bytes[32];
	for (unsigned i = 0; i < n; i++) put64(bytes + 8 * i, numbers[i]);
	pai_set_field(b, field, bytes, 8 * (size_t)n);
}

static uint64_t two(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }

void pa_record_invocations(pa_builder *b, uint64_t n) { set_numbers(b, PA_FIELD_INVOCATIONS, &n, 1); }
void pa_record_backedges(pa_builder *b, uint64_t n) { set_numbers(b, PA_FIELD_BACKEDGES, &n, 1); }
void pa_record_interpreted(pa_builder *b, uint64_t n) { set_numbers(b, PA_FIELD_INTERPRETED, &n, 1); }
void pa_record_size(pa_builder *b, uint32_t code, uint32_t producer) {
	set_numbers(b, PA_FIELD_SIZE, (uint64_t[]){two(code, producer)}, 1);
}

void pa_record_history(
	pa_builder *b, uint32_t decompiles, uint32_t overflow_recompiles, uint32_t overflow_traps, uint32_t tenure_traps) {
	set_numbers(
		b, PA_FIELD_HISTORY, (uint64_t[]){two(decompiles, overflow_recompiles), two(overflow_traps, tenure_traps)}, 2);
}

void pa_record_compile(
	pa_builder *b, uint8_t level, uint8_t state, uint8_t would_profile, uint16_t loops, uint16_t blocks) {
	uint32_t low = level | (uint32_t)state << 8 | (uint32_t)would_profile << 16, high = loops | (uint32_t)blocks << 16;
	set_numbers(b, PA_FIELD_COMPILE, (uint64_t[]){two(low, high)}, 1);
}

void pa_record_escape(pa_builder *b, uint64_t flags, uint64_t local, uint64_t stack, uint64_t returned) {
	set_numbers(b, PA_FIELD_ESCAPE, (uint64_t[]){flags, local, stack, returned}, 4);
}

void pa_record_traps(pa_builder *b, const uint8_t *by_reason, uint32_t reasons) {
	if (!pai_take(b, by_reason != NULL || reasons == 0) || !recorded(b)) return;
	buffer *field = &b->open.fields[PA_FIELD_TRAPS];
	if (reasons > 8 * (uint32_t)MAX_CELLS - 8) {
		pai_refuse(b, PA_TOO_LARGE, "more reasons for traps than a profile can have");
		return;
	}
	set_numbers(b, PA_FIELD_TRAPS, (uint64_t[]){reasons}, 1);
	uint8_t *room = sound(b) ? pai_extend(b, field, (size_t)round_up(reasons, 8)) : NULL;
	if (room != NULL && reasons > 0) memcpy(room, by_reason, reasons);
}

/* ---- entries ---- */

uint64_t pai_type_cell(pa_builder *b, uint32_t type) {
	if (type != 0 && !HAS(new_type, b->types, type)) {
		pai_refuse(b, PA_ARGUMENT, "a type that is not of this builder");
		return 0;
	}
	return (uint64_t)type << REF_SHIFT;
}

uint64_t pai_method_cell(pa_builder *b, uint32_t method) {
	if (method != 0 && !HAS(new_method, b->methods, method)) {
		pai_refuse(b, PA_ARGUMENT, "a method that is not of this builder");
		return 0;
	}
	return (uint64_t)method << REF_SHIFT;
}

/* make adds an entry of zeros to a section. Data entries are also listed for sorting. */
static uint8_t *make(pa_builder *b, pa_section in, uint32_t header, uint64_t cells, new_entry entry) {
	if (!recorded(b)) return NULL;
	if ((unsigned)in >= DIRECTORY) {
		pai_refuse(b, PA_ARGUMENT, "a section that has no entries");
		return NULL;
	}
	buffer *section = &b->open.sections[in];
	if (section->size / 8 > MAX_CELLS || cells > MAX_CELLS - section->size / 8) {
		pai_refuse(b, PA_TOO_LARGE, "more cells than a profile can have");
		return NULL;
	}
	entry.start = section->size;
	entry.size = header + 8 * (size_t)cells;
	uint8_t *p = pai_extend(b, section, entry.size);
	if (p == NULL || (in == PA_DATA && !pai_append(b, &b->open.entries, &entry, sizeof entry))) return NULL;
	return p;
}

uint8_t *pai_put_narrow(pa_builder *b, uint8_t tag, pa_at at, uint64_t cells) {
	if (!sound(b)) return NULL;
	if (b->config.domain != PA_HOTSPOT) {
		pai_refuse(b, PA_ARGUMENT,
			"an entry of HotSpot's in an archive of another domain: record receivers, successors, counts or "
			"counters");
		return NULL;
	}
	if (at.point < 0 || at.point > UINT16_MAX) {
		pai_refuse(b, PA_TOO_LARGE, "entries of HotSpot's stand at points from 0 to 65535");
		return NULL;
	}
	uint8_t *p = make(b, at.in, 8, cells, (new_entry){.point = at.point, .tag = tag});
	if (p == NULL) return NULL;
	p[0] = tag;
	p[1] = at.flags;
	put16(p + 2, (uint32_t)at.point);
	put32(p + 4, at.traps);
	return p + 8;
}

/* has_wide reports whether a domain allows a wide tag. PA_CUSTOM allows all of them. */
static bool has_wide(uint32_t domain, uint8_t tag) {
	bool hotspot = domain == PA_HOTSPOT, graal = domain == PA_GRAAL, jamaica = domain == PA_JAMAICA,
		 sampled = domain == PA_SAMPLED;
	if (domain == PA_CUSTOM) return tag != PA_UNDECODED;
	switch (tag) {
	case PA_UNDECODED: return hotspot;
	case PA_SUCCESSORS: case PA_RECEIVERS: return graal || hotspot;
	case PA_CALLEES: return jamaica || sampled;
	case PA_COUNT: return graal || jamaica || hotspot || sampled;
	default: return tag < PA_PRODUCER && !hotspot && !graal && !jamaica && !sampled;
	}
}

uint8_t *pai_put_wide(
	pa_builder *b, uint8_t tag, uint8_t flags, uint16_t sub, int32_t point, uint64_t cells, uint32_t rows) {
	if (!sound(b)) return NULL;
	if (!has_wide(b->config.domain, tag)) {
		pai_refuse(b, PA_ARGUMENT, "an entry that archives of this domain do not have");
		return NULL;
	}
	uint8_t *p = make(b, PA_DATA, 16, cells, (new_entry){.point = point, .tag = tag, .sub = sub});
	if (p == NULL) return NULL;
	p[0] = tag;
	p[1] = flags;
	put16(p + 2, sub);
	put32(p + 4, (uint32_t)point);
	put32(p + 8, (uint32_t)cells);
	put32(p + 12, rows);
	return p + 16;
}

uint8_t *pai_put_bytes(pa_builder *b, pa_section in, const uint8_t *bytes, uint64_t size) {
	uint32_t header = header_of(bytes[0]);
	new_entry entry = {.tag = bytes[0],
		.point = header == 8 ? get16(bytes + 2) : (int32_t)get32(bytes + 4),
		.sub = header == 8 ? 0 : get16(bytes + 2)};
	uint8_t *p = make(b, in, header, (size - header) / 8, entry);
	if (p != NULL) memcpy(p, bytes, (size_t)size);
	return p;
}

/* ---- the block ---- */

static int order(const void *with, uint32_t x, uint32_t y) {
	const new_entry *all = with, *e = &all[x], *f = &all[y];
	if (e->point != f->point) return e->point < f->point ? -1 : 1;
	return e->tag != f->tag ? e->tag - f->tag : e->sub - f->sub;
}

static bool add_sections(pa_builder *b, size_t directory) {
	recording *r = &b->open;
	uint32_t units[DIRECTORY];
	for (unsigned i = 0; i < DIRECTORY; i++) units[i] = (uint32_t)(r->sections[i].size / 8);
	if (units[PA_EXTRA] != 0 || units[PA_PARAMETERS] != 0 || units[PA_HANDLERS] != 0)
		set_numbers(
			b, PA_FIELD_SECTIONS, (uint64_t[]){two(units[PA_EXTRA], units[PA_PARAMETERS]), units[PA_HANDLERS]}, 2);
	if (directory > 0) set_numbers(b, PA_FIELD_DIRECTORY, (uint64_t[]){directory}, 1);
	return sound(b);
}

/* add_data appends the sorted data entries, then rest (the sections in between), then the directory. */
static bool add_data(pa_builder *b, const uint32_t *sorted, size_t n, bool directory) {
	recording *r = &b->open;
	const new_entry *all = (const void *)r->entries.bytes;
	uint8_t row[8];
	for (size_t i = 0; i < n; i++)
		if (!pai_append(b, &b->blocks, r->sections[PA_DATA].bytes + all[sorted[i]].start, all[sorted[i]].size))
			return false;
	for (unsigned s = PA_EXTRA; s < DIRECTORY; s++)
		if (!pai_append(b, &b->blocks, r->sections[s].bytes, r->sections[s].size)) return false;
	for (size_t i = 0, at = 0; directory && i < n; at += all[sorted[i++]].size) {
		put32(row, (uint32_t)all[sorted[i]].point);
		put32(row + 4, (uint32_t)(at / 8));
		if (!pai_append(b, &b->blocks, row, sizeof row)) return false;
	}
	return true;
}

/* encode appends the encoded block to the builder's blocks. */
static bool encode(pa_builder *b, const uint32_t *sorted, size_t n) {
	recording *r = &b->open;
	size_t start = b->blocks.size;
	bool directory = n >= DIRECTORY_MIN;
	if (!add_sections(b, directory ? n : 0) || pai_extend(b, &b->blocks, BLOCK_HEADER) == NULL) return false;
	for (unsigned i = 0; i < FIELDS; i++)
		if (!pai_append(b, &b->blocks, r->fields[i].bytes, r->fields[i].size)) return false;
	if (!add_data(b, sorted, n, directory)) return false;
	uint64_t size = b->blocks.size - start;
	if (size / 8 > UINT32_MAX) return pai_refuse(b, PA_TOO_LARGE, "a profile of more than 32 GiB");
	put32(b->blocks.bytes + start, (uint32_t)(size / 8));
	put32(b->blocks.bytes + start + 8, r->presence);
	put32(b->blocks.bytes + start + 12, (uint32_t)(r->sections[PA_DATA].size / 8));
	new_profile p = {r->code, start, size, r->method, r->context};
	uint32_t ref = (uint32_t)COUNT(new_profile, b->profiles) + 1;
	if (ref == UINT32_MAX) return pai_refuse(b, PA_TOO_LARGE, "more profiles than an archive can have");
	return pai_append(b, &b->profiles, &p, sizeof p) &&
		pai_insert(b, &b->profile_index, hash_of(r->method, r->code, r->context), ref);
}

/* refuse_twin drops the open profile because the builder has one with its key. The builder stays usable. */
static pa_error refuse_twin(pa_builder *b) {
	pa_error e = pai_none();
	b->duplicates++;
	reset(&b->open);
	pai_fail(&e, PA_AMBIGUOUS, "the builder has a profile of this method, code and context: this one is left out");
	return e;
}

pa_error pa_done(pa_builder *b, uint32_t *profile) {
	if (!recorded(b)) return pai_error_of(b);
	if (b->open.twin) return refuse_twin(b);
	size_t n = COUNT(new_entry, b->open.entries);
	uint32_t *sorted = malloc(2 * n * sizeof *sorted + 1);
	if (sorted == NULL) {
		pai_no_memory(b);
		return b->error;
	}
	for (size_t i = 0; i < n; i++) sorted[i] = (uint32_t)i;
	pai_sort(sorted, sorted + n, n, order, b->open.entries.bytes);
	encode(b, sorted, n);
	free(sorted);
	reset(&b->open);
	if (sound(b) && profile != NULL) *profile = (uint32_t)COUNT(new_profile, b->profiles);
	return b->error;
}

void pa_discard(pa_builder *b) {
	if (b != NULL) reset(&b->open);
}
