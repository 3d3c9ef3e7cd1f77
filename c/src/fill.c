/* SPDX-License-Identifier: Apache-2.0 */
/* Filling of the hash index, line by line in the order of the hashes. */
#include "plan.h"

enum { GOOD_PROBE = 8, SEEDS = 8, MAX_PROBE = 255, MAX_MULTIPLIER = 63 };
#define SEED_STEP 0x9e3779b97f4a7c15

/* ---- hashes ---- */

static uint64_t mix(uint64_t id, uint64_t kind, uint64_t seed) {
	return (id ^ seed ^ kind * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93;
}

static void merge_hashes(hashed *all, hashed *spare, size_t n) {
	size_t half = n / 2, left = 0, right = half, to = 0;
	if (n < 2) return;
	merge_hashes(all, spare, half);
	merge_hashes(all + half, spare, n - half);
	memcpy(spare, all, half * sizeof *all);
	while (left < half && right < n) all[to++] = all[right].hash < spare[left].hash ? all[right++] : spare[left++];
	while (left < half) all[to++] = spare[left++];
}

bool pai_hash_records(plan *p, uint64_t seed) {
	uint64_t most = (uint64_t)p->ntypes + p->nmethods;
	if (most > UINT32_MAX) return pai_refuse(p->b, PA_TOO_LARGE, "more methods and types than an archive can have");
	if (p->hashed == NULL && (p->hashed = pai_memory(p, most, sizeof *p->hashed)) == NULL) return false;
	hashed *all = p->hashed, *spare = calloc((size_t)most / 2 + 1, sizeof *spare);
	uint32_t n = 0;
	if (spare == NULL) return pai_no_memory(p->b);
	for (uint32_t i = 0; i < p->ntypes; i++)
		all[n++] = (hashed){mix(ITEM(new_type, p->b->types, p->types[i])->id, TYPE_KIND, seed), i};
	for (uint32_t i = 0; i < p->nmethods; i++)
		if (p->records[i].units != 0) all[n++] = (hashed){mix(p->records[i].id, METHOD_KIND, seed), p->ntypes + i};
	merge_hashes(all, spare, n);
	free(spare);
	p->nhashed = n;
	return true;
}

/* ---- lines ---- */

/* A record without a slot so far. line is its bucket, counted from the line that was filled first. */
typedef struct waiting { uint64_t hash, rest, line; pa_ref ref; bool type; } waiting;

typedef struct filler { plan *p; buffer waiting; uint64_t first; uint32_t max_probe; } filler;

static uint64_t own_slot(uint64_t rest, uint64_t multiplier) {
	uint64_t low;
	return pai_multiply(rest * multiplier, SLOTS, &low);
}

static unsigned own_slots(const waiting *w, size_t n, uint64_t multiplier) {
	bool used[SLOTS] = {false};
	unsigned own = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t slot = own_slot(w[i].rest, multiplier);
		own += !used[slot];
		used[slot] = true;
	}
	return own;
}

/* choose_multiplier returns the first multiplier that gives the most records distinct slots. */
static uint64_t choose_multiplier(const waiting *w, size_t n) {
	uint64_t best = 1;
	unsigned most = 0;
	for (uint64_t multiplier = 1; multiplier <= MAX_MULTIPLIER && most < n; multiplier += 2) {
		unsigned own = own_slots(w, n, multiplier);
		if (own > most) {
			best = multiplier;
			most = own;
		}
	}
	return best;
}

static bool is_free(const uint8_t *line, uint64_t slot) { return get32(line + 24 + 4 * slot) == 0; }

static void put_slot(uint8_t *line, uint64_t slot, const waiting *w) {
	put16(line + 2 * slot, (uint16_t)(w->hash | 1));
	put32(line + 24 + 4 * slot, w->ref);
}

static void fill_slots(uint8_t *line, const waiting *w, size_t n) {
	bool placed[SLOTS] = {false};
	uint64_t multiplier = choose_multiplier(w, n), next = 0;
	line[22] = (uint8_t)multiplier;
	for (size_t i = 0; i < n; i++) {
		uint64_t slot = own_slot(w[i].rest, multiplier);
		if ((placed[i] = is_free(line, slot))) put_slot(line, slot, &w[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (placed[i]) continue;
		while (!is_free(line, next)) next++;
		put_slot(line, next, &w[i]);
		line[23] = 1;
	}
}

/* methods_first stably moves methods before types. VMs look up methods often and types once. */
static bool methods_first(filler *f, waiting *w, size_t n) {
	waiting *types = malloc(n * sizeof *types);
	size_t methods = 0, others = 0;
	if (types == NULL) return pai_no_memory(f->p->b);
	for (size_t i = 0; i < n; i++) {
		if (w[i].type) types[others++] = w[i];
		else w[methods++] = w[i];
	}
	memcpy(w + methods, types, others * sizeof *types);
	free(types);
	return true;
}

/* fill_line fills the n-th line with waiting records. */
static bool fill_line(filler *f, uint8_t *line, uint64_t n) {
	waiting *w = (void *)f->waiting.bytes;
	size_t all = COUNT(waiting, f->waiting), taken = all < SLOTS ? all : SLOTS;
	if (all > SLOTS && !methods_first(f, w, all)) return false;
	for (size_t i = 0; i < taken; i++)
		if (n - w[i].line + 1 > f->max_probe) f->max_probe = (uint32_t)(n - w[i].line + 1);
	fill_slots(line, w, taken);
	for (size_t i = taken; i < all; i++) put16(line + 20, get16(line + 20) | 1u << (w[i].hash >> 16 & 15));
	f->waiting.size = (all - taken) * sizeof *w;
	if (taken < all) memmove(w, w + taken, f->waiting.size);
	return true;
}

static uint64_t bucket_of(const plan *p, uint64_t hash) {
	uint64_t rest;
	return pai_multiply(hash, p->lines, &rest);
}

/* without_spill finds a line that receives no record from the lines before it, and its first record. Such a line
 * exists, because there are twice as many slots as records. */
static uint64_t without_spill(const plan *p, uint32_t *next) {
	uint64_t waits = 0;
	for (unsigned round = 0; round < 2; round++) {
		*next = 0;
		for (uint64_t line = 0; line < p->lines; line++) {
			if (round > 0 && waits == 0) return line;
			for (; *next < p->nhashed && bucket_of(p, p->hashed[*next].hash) == line; ++*next) waits++;
			waits = waits > SLOTS ? waits - SLOTS : 0;
		}
	}
	*next = 0;
	return 0;
}

/* ref_of_record returns the target of an index slot. For a method it is the head, unless another method has the same
 * id. */
static pa_ref ref_of_record(const plan *p, uint32_t number) {
	if (number < p->ntypes) return ref_of(p->section[TYPES] + TYPE * (uint64_t)number);
	const method_plan *r = &p->records[number - p->ntypes];
	return ref_of(
		r->first != 0 && !(r->flags & PA_METHOD_SHARED_ID) ? first_at(p, r->first) : p->method_at[number - p->ntypes]);
}

/* fill fills all lines, starting at the line without spill. */
static bool fill(filler *f) {
	plan *p = f->p;
	uint32_t start, done = 0;
	uint64_t first = without_spill(p, &start);
	memset(p->index, 0, (size_t)p->size[PA_IX]);
	for (uint64_t n = 0; n < p->lines; n++) {
		uint64_t line = (first + n) % p->lines, low;
		for (; done < p->nhashed; done++) {
			const hashed *h = &p->hashed[((uint64_t)start + done) % p->nhashed];
			if (pai_multiply(h->hash, p->lines, &low) != line) break;
			waiting w = {h->hash, low, n, ref_of_record(p, h->number), h->number < p->ntypes};
			if (!pai_append(p->b, &f->waiting, &w, sizeof w)) return false;
		}
		if (!fill_line(f, p->index + LINE * line, n)) return false;
	}
	return true;
}

/* try_seed makes the index for a seed. p->hashed holds the index of the previous seed, or 0 at first. */
static bool try_seed(plan *p, uint64_t seed) {
	filler f = {.p = p};
	bool ok = (seed == p->seed || pai_hash_records(p, seed)) && fill(&f);
	pai_empty(&f.waiting);
	p->seed = seed;
	p->max_probe = f.max_probe;
	return ok;
}

bool pai_fill_index(plan *p) {
	uint64_t best = 0;
	uint32_t best_probe = UINT32_MAX;
	if ((p->index = pai_memory(p, p->size[PA_IX], 1)) == NULL) return false;
	for (uint64_t try = 0; try < SEEDS; try++) {
		if (!try_seed(p, try * SEED_STEP)) return false;
		if (p->max_probe <= GOOD_PROBE) return true;
		if (p->max_probe < best_probe) {
			best_probe = p->max_probe;
			best = try * SEED_STEP;
		}
	}
	if (best_probe > MAX_PROBE) return pai_refuse(p->b, PA_TOO_LARGE, "too many keys share an id");
	return try_seed(p, best);
}
