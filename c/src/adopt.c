/* SPDX-License-Identifier: Apache-2.0 */
/* Adoption maps an archive a second time and claims blocks in it. docs/adoption.md has the rules. */
#define _POSIX_C_SOURCE 200809L
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

/* ---- the archive ---- */

static bool little_endian(void) {
	const uint16_t one = 1;
	return *(const uint8_t *)&one == 1;
}

/* prepare_claims allocates the tables for claims. At the requested base none are needed. */
static bool prepare_claims(const pa_archive *a, live *l, pa_error *e) {
	if ((uint64_t)(uintptr_t)l->base == a->info.requested_base) return true;
	if (!pai_bitmaps_open(a, l, e)) return false;
	l->claims = calloc(a->region[PA_RW].size / 8 / 32 + 1, sizeof *l->claims);
	return l->claims != NULL || pai_system(e, "no memory for the claims of profiles");
}

static bool adopt(const pa_archive *a, pa_base base, live *l, pa_error *e) {
	if (!little_endian())
		return pai_fail(
			e, PA_UNSUPPORTED, "counters are little-endian, this machine is not: use the archive without adopting it");
	if (!pai_map_again(a, base == PA_BASE_REQUESTED ? a->info.requested_base : 0, MAX_LATE * TYPE, l, e)) return false;
	l->late = calloc(MAX_LATE, sizeof *l->late);
	l->pages = calloc(a->region[PA_RW].size / PAGE / 64 + 2, sizeof *l->pages);
	if (l->late == NULL || l->pages == NULL) pai_system(e, "no memory for late types");
	else if (prepare_claims(a, l, e)) return true;
	free(l->late);
	free(l->pages);
	l->pages = NULL;
	free(l->chunks);
	free(l->claims);
	l->late = NULL;
	l->chunks = NULL;
	l->claims = NULL;
	pai_unmap_again(l);
	return false;
}

pa_error pa_adopt(pa_archive *a, pa_base base) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL, &e)) return e;
	int state = NOT_ADOPTED;
	if (base != PA_BASE_REQUESTED && base != PA_BASE_ANYWHERE) {
		pai_fail(&e, PA_ARGUMENT, "no such choice of a base");
		return e;
	}
	if (!pai_may_write(a, &e)) return e;
	if (!atomic_compare_exchange_strong(&a->live->state, &state, ADOPTING)) {
		pai_fail(&e, PA_ADOPTED, "the archive is adopted already: open it again for a second adoption");
		return e;
	}
	a->live->process = getpid();
	bool ok = adopt(a, base, a->live, &e);
	atomic_store_explicit(&a->live->state, ok ? ADOPTED : NOT_ADOPTED, memory_order_release);
	return e;
}

bool pa_adoption_of(const pa_archive *a, pa_adoption *adoption) {
	live *l = a == NULL || adoption == NULL ? NULL : adopted(a);
	if (l != NULL) *adoption = (pa_adoption){(uint64_t)(uintptr_t)l->base, l->claims == NULL};
	return l != NULL;
}

/* ---- claims ---- */

/* States of a unit of rw, two bits each. While a thread relocates a block, its first unit is BUSY, and afterwards DONE.
 * The other units are COVERED, so that no block that begins inside is relocated too. */
enum { PRISTINE, BUSY, DONE, COVERED };

static uint64_t state_at(uint64_t word, uint64_t unit) { return word >> 2 * (unit % 32) & 3; }
static uint64_t bits_of(uint64_t state, uint64_t unit) { return state << 2 * (unit % 32); }

/* mask returns the bits of the units in [from, to), which must lie in one word of the table. */
static uint64_t mask(uint64_t from, uint64_t to) {
	uint64_t low = ~(uint64_t)0 << 2 * (from % 32);
	return to % 32 == 0 ? low : low & ~(~(uint64_t)0 << 2 * (to % 32));
}

static uint64_t word_end(uint64_t unit, uint64_t end) { return unit / 32 * 32 + 32 < end ? unit / 32 * 32 + 32 : end; }

static void uncover(live *l, uint64_t from, uint64_t end) {
	for (uint64_t to; from < end; from = to) {
		to = word_end(from, end);
		atomic_fetch_and_explicit(&l->claims[from / 32], ~mask(from, to), memory_order_release);
	}
}

/* cover marks units as covered. If another block covers one of them, it marks none and returns false. */
static bool cover(live *l, uint64_t from, uint64_t end) {
	for (uint64_t at = from, to; at < end; at = to) {
		to = word_end(at, end);
		uint64_t m = mask(at, to), word = atomic_load_explicit(&l->claims[at / 32], memory_order_relaxed);
		do {
			if ((word & m) != 0) {
				uncover(l, from, at);
				return false;
			}
		} while (!atomic_compare_exchange_weak_explicit(
			&l->claims[at / 32], &word, word | m, memory_order_acquire, memory_order_relaxed));
	}
	return true;
}

/* wait yields to the thread that relocates the block. Relocating takes microseconds, or longer after a page fault. */
static void wait(unsigned tries) {
	if (tries < 100) sched_yield();
	else nanosleep(&(struct timespec){0, 20000}, NULL);
}

/* take relocates a block that this thread has marked BUSY. */
static bool take(const pa_archive *a, live *l, const block *b, uint64_t unit, pa_error *e) {
	uint64_t end = unit + b->size / 8;
	if (!cover(l, unit + 1, end)) return pai_damage(a, e, b->at, "a profile overlaps another");
	if (pai_relocate(a, b, e)) return true;
	uncover(l, unit + 1, end);
	return false;
}

/* claim brings a block to the state DONE. After a failure the block is PRISTINE again, so the next claim fails too. */
static bool claim(const pa_archive *a, live *l, const block *b, pa_error *e) {
	uint64_t unit = (b->at - a->region[PA_RW].at) / 8;
	_Atomic uint64_t *at = &l->claims[unit / 32];
	for (unsigned tries = 0;;) {
		uint64_t word = atomic_load_explicit(at, memory_order_acquire);
		switch (state_at(word, unit)) {
		case DONE: return true;
		case COVERED: return pai_damage(a, e, b->at, "a profile overlaps another");
		case BUSY: wait(tries++); continue;
		}
		if (!atomic_compare_exchange_weak_explicit(
				at, &word, word | bits_of(BUSY, unit), memory_order_acquire, memory_order_relaxed))
			continue;
		bool taken = take(a, l, b, unit, e);
		atomic_fetch_xor_explicit(at, bits_of(taken ? BUSY ^ DONE : BUSY ^ PRISTINE, unit), memory_order_release);
		return taken;
	}
}

/* undecoded reports whether a profile has an entry that its dump could not decode. */
static bool undecoded(const pa_profile *p) {
	if (!atomic_load_explicit(&p->archive->live->undecoded, memory_order_relaxed)) return false;
	for (unsigned i = PA_DATA; i < DIRECTORY; i++) {
		pa_entries it = pa_entries_of(p, (pa_section)i);
		for (pa_entry entry; pa_entries_next(&it, &entry);)
			if (entry.tag == PA_UNDECODED) return true;
	}
	return false;
}

/* mark_pages marks the pages of a claimed block. */
static void mark_pages(const pa_archive *a, live *l, const pa_profile *p) {
	uint64_t first = a->region[PA_RW].at / PAGE, at = place_of(p->at), last = at + place_of(p->units) - 1;
	for (uint64_t page = at / PAGE; page <= last / PAGE; page++)
		if (!has_bit(l->pages, page - first)) add_bit(l->pages, page - first);
}

bool pai_may_have_counts(const pa_profile *p) {
	const live *l = adopted(p->archive);
	return l != NULL && has_bit(l->pages, place_of(p->at) / PAGE - p->archive->region[PA_RW].at / PAGE);
}

pa_error pa_claim(pa_profile *p) {
	pa_error e = pai_none();
	if (!pai_given(p != NULL && p->archive != NULL, &e)) return e;
	const pa_archive *a = p->archive;
	live *l = adopted(a);
	block b;
	if (p->live != NULL) return e;
	if (l == NULL) {
		pai_fail(&e, PA_NOT_ADOPTED, "adopt the archive before its profiles");
		return e;
	}
	if (undecoded(p)) {
		pai_fail(&e, PA_NOT_DECODED, "the profile has entries that the profarc that dumped it did not know");
		return e;
	}
	if (l->claims != NULL && (!pai_block(a, place_of(p->at), &b, &e) || !claim(a, l, &b, &e))) return e;
	mark_pages(a, l, p);
	p->live = l->base + place_of(p->at);
	return e;
}

pa_error pa_claim_all(pa_profile *profiles, size_t count, size_t *claimed) {
	pa_error e = pai_none();
	if (!pai_given((profiles != NULL || count == 0) && claimed != NULL, &e)) return e;
	size_t n = 0;
	while (n < count && (e = pa_claim(&profiles[n])).code == PA_OK) n++;
	*claimed = n;
	return e;
}
