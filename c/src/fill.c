/* SPDX-License-Identifier: Apache-2.0 */
/* Filling of the hash index, line by line in the order of the hashes. */
#include "plan.h"

enum { GOOD_PROBE = 8, SEEDS = 8, WORST_PROBE = 32, MAX_MULTIPLIER = 63 };
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

/* ---- records without a slot ---- */

/* A record without a slot so far. line is its bucket, counted from the line that was filled first. item is its number
 * in the order of insertion. */
typedef struct waiting { uint64_t hash, rest, line; uint32_t item, number; } waiting;

/* A queue has the waiting records of a rank, in the order of insertion. */
typedef struct queue { buffer items; size_t first; } queue;

/* Ranks of records, which go into a line that is too small in this order. VMs look up methods often and types once. */
enum { TYPE_RANK = 1, SHARED_RANK = 2, RANKS = 4 };

/* limit is the number of lines after which a record leaves the queue for the table of crowded records, 0 for none. */
typedef struct filler {
	plan *p;
	queue queues[RANKS];
	size_t n;              /* records in the queues */
	uint32_t bits[16];     /* numbers of waiting records with an overflow bit */
	uint64_t limit;
	uint32_t max_probe;
} filler;

static unsigned overflow_bit(uint64_t hash) { return hash >> 16 & 15; }

static waiting *front(const queue *q) {
	return q->first == COUNT(waiting, q->items) ? NULL : ITEM(waiting, q->items, q->first + 1);
}

static bool enqueue(filler *f, unsigned rank, waiting w) {
	f->n++;
	f->bits[overflow_bit(w.hash)]++;
	return pai_append(f->p->b, &f->queues[rank].items, &w, sizeof w);
}

static waiting dequeue(filler *f, queue *q) {
	waiting w = *front(q);
	f->n--;
	f->bits[overflow_bit(w.hash)]--;
	if (++q->first == COUNT(waiting, q->items)) q->first = q->items.size = 0;
	return w;
}

/* has_twin reports whether another record has the hash of an item. */
static bool has_twin(const plan *p, uint32_t item) {
	const hashed *h = &p->hashed[item];
	return (item > 0 && h[-1].hash == h->hash) || (item + 1 < p->nhashed && h[1].hash == h->hash);
}

/* earliest returns the queue with the record that was inserted first, or NULL. */
static queue *earliest(filler *f) {
	queue *first = NULL;
	for (unsigned i = 0; i < RANKS; i++) {
		const waiting *w = front(&f->queues[i]);
		if (w != NULL && (first == NULL || w->item < front(first)->item)) first = &f->queues[i];
	}
	return first;
}

/* choose takes at most a line of records from the queues. If all have room, those of this line, the n-th one, follow
 * the others in the order of insertion. */
static size_t choose(filler *f, uint64_t n, waiting *taken) {
	bool all = f->n <= SLOTS;
	size_t count = 0;
	for (unsigned i = 0; i < RANKS; i++) {
		queue *q = &f->queues[i];
		while (count < SLOTS && front(q) != NULL && !(all && front(q)->line == n)) taken[count++] = dequeue(f, q);
	}
	for (queue *q; count < SLOTS && (q = earliest(f)) != NULL;) taken[count++] = dequeue(f, q);
	return count;
}

/* ---- lines ---- */

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

/* In a line that is being filled, references are the numbers of records + 1. */
static bool is_free(const uint8_t *line, uint64_t slot) { return get32(line + 24 + 4 * slot) == 0; }

static void put_slot(uint8_t *line, uint64_t slot, const waiting *w) {
	put16(line + 2 * slot, (uint16_t)(w->hash | 1));
	put32(line + 24 + 4 * slot, w->number + 1);
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

/* drop_late moves the records that have no slot in the lines of a search to the crowded ones. */
static void drop_late(filler *f, uint64_t n) {
	plan *p = f->p;
	for (unsigned i = 0; i < RANKS; i++) {
		queue *q = &f->queues[i];
		while (front(q) != NULL && n - front(q)->line + 1 >= f->limit) p->crowded[p->ncrowded++] = dequeue(f, q).number;
	}
}

/* fill_line fills the n-th line with waiting records. */
static void fill_line(filler *f, uint8_t *line, uint64_t n) {
	waiting taken[SLOTS];
	unsigned overflow = 0;
	size_t count = choose(f, n, taken);
	for (size_t i = 0; i < count; i++)
		if (n - taken[i].line + 1 > f->max_probe) f->max_probe = (uint32_t)(n - taken[i].line + 1);
	fill_slots(line, taken, count);
	for (unsigned bit = 0; bit < 16; bit++)
		if (f->bits[bit] > 0) overflow |= 1u << bit;
	put16(line + 20, overflow);
	if (f->limit > 0) drop_late(f, n);
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

/* fill fills all lines, starting at the line without spill. */
static bool fill(filler *f) {
	plan *p = f->p;
	uint32_t start, done = 0;
	uint64_t first = without_spill(p, &start);
	memset(p->index, 0, (size_t)p->size[PA_IX]);
	p->ncrowded = 0;
	for (uint64_t n = 0; n < p->lines; n++) {
		uint64_t line = (first + n) % p->lines, low;
		for (; done < p->nhashed; done++) {
			uint32_t item = (uint32_t)(((uint64_t)start + done) % p->nhashed);
			const hashed *h = &p->hashed[item];
			if (pai_multiply(h->hash, p->lines, &low) != line) break;
			unsigned rank = (h->number < p->ntypes ? TYPE_RANK : 0) +
				(f->limit > 0 && has_twin(p, item) ? SHARED_RANK : 0);
			if (!enqueue(f, rank, (waiting){h->hash, low, n, done, h->number})) return false;
		}
		fill_line(f, p->index + LINE * line, n);
	}
	if (p->ncrowded > 0) f->max_probe = (uint32_t)f->limit;
	return true;
}

/* ---- seeds ---- */

/* try_seed makes the index for a seed. p->hashed holds the index of the previous seed, or 0 at first. */
static bool try_seed(plan *p, uint64_t seed, uint64_t limit) {
	filler f = {.p = p, .limit = limit};
	bool ok = (seed == p->seed || pai_hash_records(p, seed)) && fill(&f);
	for (unsigned i = 0; i < RANKS; i++) pai_empty(&f.queues[i].items);
	p->seed = seed;
	p->max_probe = f.max_probe;
	return ok;
}

/* is_hopeless reports whether so many records have one hash that every seed gives too long a search. */
static bool is_hopeless(const plan *p) {
	enum { MOST = SLOTS * WORST_PROBE };
	for (uint32_t i = MOST; i < p->nhashed; i++)
		if (p->hashed[i].hash == p->hashed[i - MOST].hash) return true;
	return false;
}

static bool fill_crowded(plan *p) {
	p->crowded = pai_memory(p, p->nhashed, sizeof *p->crowded);
	return p->crowded != NULL && try_seed(p, 0, GOOD_PROBE);
}

bool pai_fill_index(plan *p) {
	uint64_t best = 0;
	uint32_t best_probe = UINT32_MAX;
	if ((p->index = pai_memory(p, p->size[PA_IX], 1)) == NULL) return false;
	if (is_hopeless(p)) return fill_crowded(p);
	for (uint64_t try = 0; try < SEEDS; try++) {
		if (!try_seed(p, try * SEED_STEP, 0)) return false;
		if (p->max_probe <= GOOD_PROBE) return true;
		if (p->max_probe < best_probe) {
			best_probe = p->max_probe;
			best = try * SEED_STEP;
		}
	}
	return best_probe > WORST_PROBE ? fill_crowded(p) : try_seed(p, best, 0);
}

/* ref_of_record returns the target of an index slot. For a method it is the head, unless another method has the same
 * id. */
static pa_ref ref_of_record(const plan *p, uint32_t number) {
	if (number < p->ntypes) return ref_of(p->section[TYPES] + TYPE * (uint64_t)number);
	const method_plan *r = &p->records[number - p->ntypes];
	return ref_of(
		r->first != 0 && !(r->flags & PA_METHOD_SHARED_ID) ? first_at(p, r->first) : p->method_at[number - p->ntypes]);
}

void pai_refer_index(plan *p) {
	for (uint8_t *line = p->index; line < p->index + p->size[PA_IX]; line += LINE)
		for (unsigned slot = 0; slot < SLOTS; slot++)
			if (!is_free(line, slot)) put32(line + 24 + 4 * slot, ref_of_record(p, get32(line + 24 + 4 * slot) - 1));
}
