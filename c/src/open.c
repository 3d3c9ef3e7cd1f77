/* SPDX-License-Identifier: Apache-2.0 */
/* Opening of archives, and the checks of the header. */
#include <stdlib.h>

#include "internal.h"

/* ---- the header ---- */

static span span_at(const pa_archive *a, uint64_t at) { return (span){get64(a->bytes + at), get64(a->bytes + at + 8)}; }

static bool placed(span s, uint64_t at, span in) { return s.at == at && s.size % 8 == 0 && inside(in, at, s.size); }

static bool generic(pa_archive *a, pa_error *e) {
	static const uint8_t magic[8] = {0x89, 'P', 'A', 'R', 'C', '\r', '\n', 0x1a};
	const uint8_t *p = a->bytes;
	if (a->size < 8 || memcmp(p, magic, 8) != 0) return pai_fail(e, PA_FOREIGN, "not a profarc archive");
	if (a->size < 64) return pai_fail(e, PA_TRUNCATED, "the header is cut off");
	if (get32(p + 8) != 0x0a0b0c0d) return pai_damage(a, e, 8, "wrong byte order");
	uint64_t size = get32(p + 16);
	if (size < 64 || size > 65536) return pai_damage(a, e, 16, "an impossible size of the header");
	if (a->size < get64(p + 24) || a->size < size)
		return pai_fail(e, PA_TRUNCATED, "the file is shorter than its header says");
	if (a->size != get64(p + 24)) return pai_damage(a, e, 24, "the file is longer than its header says");
	uint8_t first[64]; /* two stripes, the bytes around the checksum, which is not part of the hash */
	memcpy(first, p, 32);
	memcpy(first + 32, p + 40, size < 72 ? size - 40 : 32);
	uint64_t sum = size < 72 ? pai_xxh64(NULL, 0, first, size - 8) : pai_xxh64(first, 64, p + 72, size - 72);
	if (sum != get64(p + 32)) return pai_damage(a, e, 32, "the header does not have its sum");
	if (get32(p + 12) != FORMAT)
		return pai_fail(e, PA_UNSUPPORTED, "another version of the format than 1: profarc merge converts drafts");
	if ((get64(p + 40) & ~(uint64_t)CROWDED) != 0)
		return pai_fail(e, PA_UNSUPPORTED, "the archive needs features that this library does not know");
	return size == HEADER || pai_damage(a, e, 16, "a wrong size of the header");
}

bool pai_may_write(const pa_archive *a, pa_error *e) {
	return get64(a->bytes + 56) == 0 ||
		pai_fail(e, PA_UNSUPPORTED, "the archive may only be read: it has features that this library does not know");
}

static bool regions(pa_archive *a, pa_error *e) {
	static const uint8_t protection[] = {0, 1, 1, 1, 3, 3, 2};
	uint64_t shift = rw_shift(get64(a->bytes + 288 + 24 * (PA_RW - PA_PS) + 8)), end = HEADER;
	for (unsigned kind = PA_PS; kind <= PA_RW; end = end_of(a->region[kind++])) {
		uint64_t row = 288 + 24 * (kind - PA_PS), align = kind == PA_RW ? (uint64_t)1 << shift : 64;
		a->region[kind] = span_at(a, row);
		if (get32(a->bytes + row + 16) != protection[kind] || get32(a->bytes + row + 20) != kind)
			return pai_damage(a, e, row, "a wrong region row");
		if (!placed(a->region[kind], round_up(end, align), (span){0, a->size}))
			return pai_damage(a, e, row, "a region does not lie at its place");
	}
	if (end != a->size || get32(a->bytes + 80) != shift)
		return pai_damage(a, e, 80, "rw has a wrong alignment, or does not end with the file");
	return true;
}

static bool sections(pa_archive *a, pa_error *e) {
	uint64_t end = a->region[PA_RO].at;
	for (unsigned i = SYMBOLS; i < SECTIONS; end = end_of(a->section[i++])) {
		a->section[i] = span_at(a, 432 + 16 * i);
		if (!placed(a->section[i], end, a->region[PA_RO]))
			return pai_damage(a, e, 432 + 16 * i, "a section does not lie at its place");
	}
	if (end != end_of(a->region[PA_RO])) return pai_damage(a, e, 432, "the sections do not fill ro");
	if (a->info.types >= 1u << 31 || a->section[TYPES].size != TYPE * a->info.types)
		return pai_damage(a, e, 544, "a wrong number of types");
	if (a->info.contexts > 1u << 31 || a->section[CONTEXTS].size != CONTEXT * a->info.contexts)
		return pai_damage(a, e, 536, "a wrong number of contexts");
	return true;
}

static void fill_info(pa_archive *a) {
	const uint8_t *p = a->bytes;
	pa_info *i = &a->info;
	*i = (pa_info){.version = get32(p + 12),
		.domain = get32(p + 64),
		.file_size = a->size,
		.requested_base = get64(p + 72),
		.max_probe = get32(p + 84),
		.seed = get64(p + 88),
		.index_lines = get64(p + 104),
		.dump_time = (int64_t)get64(p + 144),
		.flags = get64(p + 152)};
	memcpy(i->fingerprint, p + 112, 16);
	memcpy(i->dump_id, p + 128, 16);
	memcpy(i->producer_id, p + 608, 16);
	for (unsigned n = 0; n < PA_SETTINGS; n++) i->settings[n] = get32(p + 160 + 4 * n);
	i->producer = (pa_text){(const char *)p + 224, 64};
	while (i->producer.size > 0 && i->producer.bytes[i->producer.size - 1] == 0) i->producer.size--;
	uint64_t *const numbers[] = {&i->methods, &i->unexecuted, &i->profiles, &i->contexts, &i->types, &i->symbols,
		&i->entries, &i->pointers, &i->total_invocations, &i->max_invocations, &i->total_count, &i->max_count};
	for (unsigned n = 0; n < sizeof numbers / sizeof *numbers; n++) *numbers[n] = get64(p + 512 + 8 * n);
	a->type_rows = i->settings[PA_TYPE_ROWS];
	a->bci_rows = i->settings[PA_BCI_ROWS];
	a->gap = i->settings[PA_GAP];
}

static bool header(pa_archive *a, pa_error *e) {
	if (!generic(a, e)) return false;
	fill_info(a);
	if (a->info.domain < PA_HOTSPOT || a->info.domain > PA_SAMPLED)
		return pai_fail(e, PA_UNSUPPORTED, "a domain that this library does not know");
	static const uint8_t none[16];
	if ((a->info.domain == PA_CUSTOM) == (memcmp(a->info.producer_id, none, 16) == 0))
		return pai_damage(a, e, 608, "a producer id that its domain does not have, or none");
	if (memchr(a->info.producer.bytes, 0, a->info.producer.size) != NULL)
		return pai_damage(a, e, 224, "a NUL byte in the producer");
	if (a->info.flags > 3) return pai_damage(a, e, 152, "unknown flags");
	if (get32(a->bytes + 68) != PAGE_SHIFT) return pai_damage(a, e, 68, "an unknown size of pages");
	if (a->size > (uint64_t)32 << 30) return pai_damage(a, e, 24, "an impossible size of the file");
	if (a->info.requested_base % PAGE != 0 || a->info.requested_base > (uint64_t)1 << 62)
		return pai_damage(a, e, 72, "an impossible requested base");
	if (a->type_rows > 64 || a->bci_rows > 64 || a->gap > 64) return pai_damage(a, e, 160, "impossible settings");
	if (!regions(a, e) || !sections(a, e)) return false;
	if (a->region[PA_IX].size % LINE != 0 || a->region[PA_IX].size / LINE != a->info.index_lines)
		return pai_damage(a, e, 104, "a wrong number of index lines");
	if (a->info.max_probe > 255 || a->info.max_probe > a->info.index_lines)
		return pai_damage(a, e, 84, "an impossible length of a lookup");
	return true;
}

static bool expected(const pa_archive *a, const pa_options *o, pa_error *e) {
	if (o->domain != 0 && o->domain != a->info.domain)
		return pai_fail(e, PA_MISMATCH, "the archive is of another domain");
	if (o->producer != NULL && !same_text(pa_text_of(o->producer), a->info.producer))
		return pai_fail(e, PA_MISMATCH, "the archive is of another producer");
	if (o->producer_id != NULL && memcmp(o->producer_id, a->info.producer_id, 16) != 0)
		return pai_fail(
			e, PA_MISMATCH, "the archive is of another producer, whose points and shapes mean something else");
	if (o->fingerprint != NULL && memcmp(o->fingerprint, a->info.fingerprint, 16) != 0)
		return pai_fail(e, PA_MISMATCH, "the archive is of another program");
	return true;
}

static bool bits(pa_archive *a, pa_error *e) {
	uint64_t n = a->region[PA_RW].size / 8 / 64 + 1;
	a->sound = calloc(n, sizeof *a->sound);
	a->heads = calloc(n, sizeof *a->heads);
	return (a->sound != NULL && a->heads != NULL) || pai_system(e, "no memory for the bits of the profiles");
}

static bool start(pa_archive *a, const pa_options *o, pa_error *e) {
	if (!header(a, e) || !expected(a, o, e) || !pai_sums_open(a, e) || !bits(a, e)) return false;
	if (o->check == PA_CHECK_ALL && !pai_sums_all(a, e)) return false;
	a->trusted = o->check != PA_CHECK_TOUCH;
	return pai_shapes_open(a, e);
}

static pa_archive *allocate(pa_error *e) {
	pa_archive *a = calloc(1, sizeof *a);
	live *l = calloc(1, sizeof *l);
	if (a == NULL || l == NULL || pthread_mutex_init(&l->lock, NULL) != 0) {
		pai_system(e, "no memory for an archive");
		free(a);
		free(l);
		return NULL;
	}
	a->file = -1;
	a->live = l;
	return a;
}

static void finish(pa_archive *a, const pa_options *options, pa_archive **archive, pa_error *e) {
	if (e->code == PA_OK) start(a, options != NULL ? options : &(pa_options){.check = PA_CHECK_TOUCH}, e);
	if (e->code == PA_OK) *archive = a;
	else pa_close(a);
}

pa_error pa_open(const char *path, const pa_options *options, pa_archive **archive) {
	pa_error e = pai_none();
	if (!pai_given(path != NULL && archive != NULL, &e)) return e;
	pa_archive *a = allocate(&e);
	if (a == NULL) return e;
	pai_map(path, a, &e);
	finish(a, options, archive, &e);
	return e;
}

pa_error pa_open_memory(const void *bytes, size_t size, const pa_options *options, pa_archive **archive) {
	pa_error e = pai_none();
	if (!pai_given((bytes != NULL || size == 0) && archive != NULL, &e)) return e;
	pa_archive *a = allocate(&e);
	if (a == NULL) return e;
	a->bytes = bytes;
	a->size = size;
	finish(a, options, archive, &e);
	return e;
}

void pa_close(pa_archive *a) {
	if (a == NULL) return;
	pai_live_free(a->live);
	pai_shapes_free(a->shapes);
	pai_unmap(a);
	free(a->sums.checked);
	free(a->sound);
	free(a->heads);
	free(a);
}

const pa_info *pa_info_of(const pa_archive *a) { return a == NULL ? NULL : &a->info; }
