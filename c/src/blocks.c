/* SPDX-License-Identifier: Apache-2.0 */
/* MethodData blocks with their parts and fields, and the chains that link the versions of a method. */
#include "internal.h"

/* ones returns the number of bits set in a 14-bit number. */
static uint64_t ones(uint32_t v) {
	v = (v & 0x5555) + (v >> 1 & 0x5555);
	v = (v & 0x3333) + (v >> 2 & 0x3333);
	return ((v & 0x0f0f) + (v >> 4 & 0x0f0f)) * 0x0101 >> 8 & 0xff;
}

/* offset_of returns the end offset of the fields in a set, which precede all others. Each field takes a unit, and some
 * take more. */
static uint64_t offset_of(uint32_t set, uint64_t traps) {
	uint32_t two = set & (1 << PA_FIELD_KEY | 1 << PA_FIELD_HISTORY | 1 << PA_FIELD_SECTIONS);
	return 16 + 8 * (ones(set) + ones(two)) + (set >> PA_FIELD_ESCAPE & 1 ? 24 : 0) +
		(set >> PA_FIELD_TRAPS & 1 ? traps : 0);
}

uint64_t pai_field(const block *b, unsigned i) {
	return b->presence >> i & 1 ? offset_of(b->presence & ((1u << i) - 1), b->traps) : 0;
}

/* parse finds the fields and parts of a block. The first 16 bytes of the block must lie in rw. */
static const char *parse(const pa_archive *a, block *b) {
	const uint8_t *p = a->bytes + b->at;
	uint64_t traps = pai_field(b, PA_FIELD_TRAPS);
	if (b->presence >> 14 != 0 || (b->presence & 5) == 4) return "fields of a block that can't be";
	if (traps != 0 && traps + 8 > b->size) return "the fields of a block do not fit into it";
	if (traps != 0) b->traps = round_up(get32(p + traps), 8);
	uint64_t end = offset_of(b->presence, b->traps);
	if (end > b->size) return "the fields of a block do not fit into it";
	uint64_t sections = pai_field(b, PA_FIELD_SECTIONS), directory = pai_field(b, PA_FIELD_DIRECTORY);
	const uint32_t units[PARTS] = {get32(p + 12), sections ? get32(p + sections) : 0,
		sections ? get32(p + sections + 4) : 0, sections ? get32(p + sections + 8) : 0,
		directory ? get32(p + directory) : 0};
	for (unsigned i = 0; i < PARTS; i++) {
		b->part[i] = (span){b->at + end, place_of(units[i])};
		end += b->part[i].size;
	}
	if (end > b->size || b->size - end > 24) return "fields and sections do not fill their block";
	return NULL;
}

/* check_entries checks the entries of a part. For data entries it also checks their number and the directory. */
static bool check_entries(const pa_archive *a, const block *b, unsigned i, pa_error *e) {
	span s = b->part[i], directory = i == PA_DATA ? b->part[DIRECTORY] : (span){0, 0};
	uint64_t row = directory.at, last_point = 0;
	for (uint64_t at = s.at; at < end_of(s); row += 8) {
		pa_entry entry;
		slots list[MAX_SLOTS];
		const char *wrong = pai_entry(a, a->bytes + at, end_of(s) - at, &entry);
		if (wrong != NULL) return pai_damage(a, e, at, wrong);
		if (entry.tag == PA_UNDECODED) atomic_store_explicit(&a->live->undecoded, true, memory_order_relaxed);
		for (unsigned n = pai_slots(&entry, list); n-- > 0;)
			for (uint32_t k = 0; k < list[n].n; k++) {
				uint64_t cell = header_of(entry.tag) + 8 * ((uint64_t)list[n].first + (uint64_t)k * list[n].stride);
				if (!pai_pointer(a, get64(entry.bytes + cell), list[n].kind))
					return pai_damage(a, e, at + cell, "a pointer leads to no record");
			}
		if (directory.size > 0) {
			bool listed = inside(directory, row, 8) && (int32_t)get32(a->bytes + row) == entry.point &&
				8 * (uint64_t)get32(a->bytes + row + 4) == at - s.at;
			uint64_t point = (uint32_t)entry.point ^ 0x80000000; /* maps signed order to unsigned order */
			if (!listed || point < last_point)
				return pai_damage(a, e, at, "the point directory does not have the entry, or is not sorted");
			last_point = point;
		}
		at += 8 * (uint64_t)entry.units;
	}
	return directory.size == 0 || row == end_of(directory) ||
		pai_damage(a, e, row, "the point directory has too many rows");
}

/* check validates the parts of a block that parse did not check. */
static bool check(const pa_archive *a, const block *b, pa_error *e) {
	uint64_t bit = (b->at - a->region[PA_RW].at) / 8;
	if (has_bit(a->sound, bit)) return true;
	if (!inside(a->section[METHODS], b->method, 8)) return pai_damage(a, e, b->at, "a profile of no method");
	if (b->context != 0 && !is_row(a->section[CONTEXTS], b->context, CONTEXT))
		return pai_damage(a, e, b->at, "a profile in no context");
	for (unsigned i = PA_DATA; i < DIRECTORY; i++)
		if (!check_entries(a, b, i, e)) return false;
	add_bit(a->sound, bit);
	return true;
}

bool pai_block(const pa_archive *a, uint64_t at, block *b, pa_error *e) {
	span rw = a->region[PA_RW];
	if (!inside(rw, at, 16)) return pai_damage(a, e, at, "a profile does not lie in rw");
	if (!pai_touch(a, at, 16, e)) return false;
	const uint8_t *p = a->bytes + at;
	*b = (block){.at = at, .size = place_of(get32(p)), .method = place_of(get32(p + 4)), .presence = get32(p + 8)};
	if (b->size < 16 || !inside(rw, at, b->size)) return pai_damage(a, e, at, "a profile has an impossible size");
	if (!pai_touch(a, at, b->size, e)) return false;
	const char *wrong = parse(a, b);
	if (wrong != NULL) return pai_damage(a, e, at, wrong);
	uint64_t links_at = pai_field(b, PA_FIELD_LINKS), code = pai_field(b, PA_FIELD_CODE);
	const uint8_t *links = p + links_at;
	if (links_at != 0) {
		b->context = place_of(get32(links));
		b->next = place_of(get32(links + 4));
	}
	if (code != 0) b->code = get64(p + code);
	return check(a, b, e);
}

bool pai_step(const pa_archive *a, chain *c, uint64_t *at, block *b, pa_error *e) {
	*at = c->next;
	if (c->next == 0) return true;
	if (!pai_block(a, *at, b, e)) return false;
	bool head = pai_field(b, PA_FIELD_ID) != 0;
	if (b->method != c->method || b->context != c->context)
		return pai_damage(a, e, *at, "a profile of another method or context");
	if (head != (c->context == 0 && !c->begun))
		return pai_damage(a, e, *at, "not the first profile of a method alone has its id");
	if ((c->begun && b->code <= c->code) || (b->next != 0 && b->next <= *at))
		return pai_damage(a, e, *at, "a chain of profiles does not go forward");
	c->next = b->next;
	c->code = b->code;
	c->begun = true;
	return true;
}

bool pai_of_code(const pa_archive *a, chain *c, uint64_t code, block *b, pa_error *e) {
	for (;;) {
		uint64_t at;
		if (!pai_step(a, c, &at, b, e)) return false;
		if (at != 0 && code == PA_ANY_CODE && c->next != 0)
			return pai_fail(e, PA_AMBIGUOUS, "the archive has profiles of several versions of the code");
		if (at == 0 || (code != PA_ANY_CODE && c->code > code))
			return pai_fail(e, PA_NO_PROFILE, "the archive has no profile of this code of the method");
		if (code == PA_ANY_CODE || c->code == code) return true;
	}
}

void pai_profile(const pa_archive *a, const block *b, pa_profile *p) {
	*p = (pa_profile){a, a->bytes + b->at, NULL, ref_of(b->at), (uint32_t)(b->size / 8)};
}

pa_error pa_profile_at(const pa_archive *a, pa_ref at, pa_profile *p) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && p != NULL, &e)) return e;
	block b;
	if (at == 0) pai_fail(&e, PA_NOT_FOUND, "no profile");
	else if (pai_block(a, place_of(at), &b, &e)) pai_profile(a, &b, p);
	return e;
}

/* field returns an optional field, live if the profile is adopted. It returns NULL if the profile lacks the field. */
static const uint8_t *field(const pa_profile *p, const block *b, unsigned i) {
	uint64_t at = pai_field(b, i);
	return at == 0 ? NULL : (p->live != NULL ? p->live : p->bytes) + at;
}

/* counter returns the value of a counter field. If the profile is adopted, other threads may be counting in it. */
static uint64_t counter(const pa_profile *p, const block *b, unsigned i) {
	uint64_t at = pai_field(b, i);
	if (at == 0) return 0;
	return p->live == NULL ? get64(p->bytes + at)
						   : atomic_load_explicit((pa_counter *)(void *)(p->live + at), memory_order_relaxed);
}

static void old_code(pa_summary *s, const uint8_t *history, const uint8_t *compile) {
	if (history != NULL) {
		s->decompiles = get32(history);
		s->overflow_recompiles = get32(history + 4);
		s->overflow_traps = get32(history + 8);
		s->tenure_traps = get32(history + 12);
	}
	if (compile != NULL) {
		s->highest_level = compile[0];
		s->state = compile[1];
		s->would_profile = compile[2];
		s->loops = get16(compile + 4);
		s->blocks = get16(compile + 6);
	}
}

void pa_summarize(const pa_profile *p, pa_summary *s) {
	pa_error e = pai_none();
	block b;
	if (s == NULL) return;
	*s = (pa_summary){0};
	if (p == NULL || p->archive == NULL) return;
	if (!pai_block(p->archive, place_of(p->at), &b, &e)) return; /* the file has changed since */
	s->has = b.presence;
	s->method = ref_of(b.method);
	s->context = ref_of(b.context);
	s->code = b.code;
	s->invocations = counter(p, &b, PA_FIELD_INVOCATIONS);
	s->backedges = counter(p, &b, PA_FIELD_BACKEDGES);
	s->interpreted = counter(p, &b, PA_FIELD_INTERPRETED);
	old_code(s, field(p, &b, PA_FIELD_HISTORY), field(p, &b, PA_FIELD_COMPILE));
	const uint8_t *size = field(p, &b, PA_FIELD_SIZE), *escape = field(p, &b, PA_FIELD_ESCAPE),
				  *traps = field(p, &b, PA_FIELD_TRAPS);
	if (size != NULL) {
		s->code_size = get32(size);
		s->producer_size = get32(size + 4);
	}
	if (escape != NULL) {
		s->escape_flags = get64(escape);
		s->escape_local = get64(escape + 8);
		s->escape_stack = get64(escape + 16);
		s->escape_returned = get64(escape + 24);
	}
	if (traps != NULL) {
		s->traps = traps + 8;
		s->trap_reasons = get32(p->bytes + pai_field(&b, PA_FIELD_TRAPS));
	}
}
