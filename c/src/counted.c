/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of an adopted archive at the last checkpoint or fork. A copy reads each block once, and uses the words both
 * for the dump and as the start of the next one. */
#include "run.h"

enum { WORDS = PAGE / 8 }; /* words of a page */

static uint64_t first_page(const pa_archive *a) { return a->region[PA_RW].at / PAGE; }

static uint64_t pages_of(const pa_archive *a) {
	span rw = a->region[PA_RW];
	return rw.size == 0 ? 0 : (end_of(rw) - 1) / PAGE - first_page(a) + 1;
}

/* words_of returns the words of rw in a page. */
static span words_of(const pa_archive *a, uint64_t page) {
	span rw = a->region[PA_RW];
	uint64_t at = (first_page(a) + page) * PAGE, end = at + PAGE < end_of(rw) ? at + PAGE : end_of(rw);
	if (at < rw.at) at = rw.at;
	return (span){at, end - at};
}

static uint64_t live_word(const pa_archive *a, uint64_t at) {
	return atomic_load_explicit((pa_counter *)(void *)(a->live->base + at), memory_order_acquire);
}

/* word_in returns a word of copied pages, or the file's. */
static uint64_t word_in(uint64_t *const *pages, const pa_archive *a, uint64_t at) {
	const uint64_t *page = pages == NULL ? NULL : pages[at / PAGE - first_page(a)];
	return page != NULL ? page[at % PAGE / 8] : get64(a->bytes + at);
}

uint64_t pai_counted(const counted *k, const pa_archive *a, uint64_t at) {
	return word_in(k == NULL ? NULL : k->before, a, at);
}

/* ---- pages that may have counts ---- */

/* each_written calls take for every page with claimed profiles that this process may have written. */
static bool each_written(const pa_archive *a, bool (*take)(void *to, uint64_t page), void *to) {
	enum { AT_ONCE = 512 };
	uint8_t written[AT_ONCE];
	uint64_t n = pages_of(a);
	for (uint64_t page = 0; page < n; page += AT_ONCE) {
		uint64_t count = n - page < AT_ONCE ? n - page : AT_ONCE;
		bool some = false;
		for (uint64_t i = page / 64; i <= (page + count - 1) / 64; i++)
			some = some || atomic_load_explicit(&a->live->pages[i], memory_order_acquire) != 0;
		if (!some) continue;
		if (!pai_written_pages(a->live->base + (first_page(a) + page) * PAGE, count, written))
			memset(written, 1, count);
		for (uint64_t i = 0; i < count; i++)
			if (written[i] && has_bit(a->live->pages, page + i) && !take(to, page + i)) return false;
	}
	return true;
}

/* is_changed reports whether a word of a page has changed. */
static bool is_changed(const pa_archive *a, uint64_t *const *pages, uint64_t page) {
	span s = words_of(a, page);
	for (uint64_t at = s.at; at < end_of(s); at += 8)
		if (live_word(a, at) != word_in(pages, a, at)) return true;
	return false;
}

/* done and end are the offsets of the block that was visited last. */
typedef struct visit { const counted *k; bool (*take)(void *to, uint64_t at); void *to; uint64_t done, end; } visit;

/* start_of returns the offset of the verified block at or before a word, or 0. */
static uint64_t start_of(const pa_archive *a, uint64_t at) {
	uint64_t rw = a->region[PA_RW].at, i = (at - rw) / 8 + 1;
	while (i-- > 0) {
		if (i % 64 == 63 && atomic_load_explicit(&a->sound[i / 64], memory_order_acquire) == 0) i -= 63;
		else if (has_bit(a->sound, i)) return rw + 8 * i;
	}
	return 0;
}

static bool visit_block(visit *v, uint64_t at) {
	if (at == 0 || at <= v->done) return true;
	v->done = at;
	v->end = at + place_of(get32(v->k->archive->bytes + at));
	return v->take(v->to, at);
}

/* visit_page visits the blocks of a changed page, also one that begins before it. */
static bool visit_page(void *to, uint64_t page) {
	visit *v = to;
	const pa_archive *a = v->k->archive;
	span s = words_of(a, page);
	if (!is_changed(a, v->k->before, page)) return true;
	if (s.at >= v->end && !visit_block(v, start_of(a, s.at))) return false;
	for (uint64_t at = s.at; at < end_of(s); at += 8)
		if (has_bit(a->sound, (at - a->region[PA_RW].at) / 8) && !visit_block(v, at)) return false;
	return true;
}

bool pai_each_counted(const counted *k, bool (*take)(void *to, uint64_t at), void *to) {
	visit v = {k, take, to, 0, 0};
	return each_written(k->archive, visit_page, &v);
}

/* ---- notes ---- */

static bool prepare(const pa_archive *a, uint64_t ***pages) {
	return *pages != NULL || (*pages = calloc(pages_of(a) + 1, sizeof **pages)) != NULL;
}

/* own_page returns the copied words of a page. It copies the words of the file first. */
static uint64_t *own_page(const pa_archive *a, uint64_t **pages, uint64_t page) {
	if (pages[page] != NULL) return pages[page];
	uint64_t *words = calloc(WORDS, sizeof *words);
	span s = words_of(a, page);
	if (words == NULL) return NULL;
	for (uint64_t at = s.at; at < end_of(s); at += 8) words[at % PAGE / 8] = get64(a->bytes + at);
	return pages[page] = words;
}

bool pai_note_block(counted *k, uint64_t at, const uint64_t *words, uint32_t n) {
	if (!prepare(k->archive, &k->before)) return false;
	for (uint64_t page = at / PAGE; page <= (at + 8 * (uint64_t)n - 1) / PAGE; page++)
		if (own_page(k->archive, k->before, page - first_page(k->archive)) == NULL) return false;
	if (k->room - k->n_noted < (size_t)n + 2) {
		size_t room = 2 * (k->n_noted + n + 2);
		uint64_t *more = realloc(k->noted, room * sizeof *more);
		if (more == NULL) return false;
		k->noted = more;
		k->room = room;
	}
	uint64_t *to = k->noted + k->n_noted;
	to[0] = at;
	to[1] = n;
	memcpy(to + 2, words, n * sizeof *words);
	k->n_noted += (size_t)n + 2;
	return true;
}

void pai_keep_counted(counted *k) {
	for (size_t i = 0; i < k->n_noted; i += (size_t)k->noted[i + 1] + 2)
		for (uint64_t w = 0; w < k->noted[i + 1]; w++) {
			uint64_t at = k->noted[i] + 8 * w;
			k->before[at / PAGE - first_page(k->archive)][at % PAGE / 8] = k->noted[i + 2 + w];
		}
	k->n_noted = 0;
}

void pai_drop_counted(counted *k) { k->n_noted = 0; }

/* ---- forks ---- */

/* copy_page copies a page for the child. It writes only words that have changed since the last copy. */
static bool copy_page(void *to, uint64_t page) {
	counted *k = to;
	const pa_archive *a = k->archive;
	span s = words_of(a, page);
	if (!is_changed(a, k->at_fork, page)) return true;
	uint64_t *words = own_page(a, k->at_fork, page);
	if (words == NULL) return false;
	for (uint64_t at = s.at; at < end_of(s); at += 8) {
		uint64_t now = live_word(a, at);
		if (words[at % PAGE / 8] != now) words[at % PAGE / 8] = now;
	}
	return true;
}

bool pai_copy_counted(counted *k) {
	if (k->archive == NULL) return true;
	return prepare(k->archive, &k->at_fork) && each_written(k->archive, copy_page, k);
}

static void free_pages(const counted *k, uint64_t **pages) {
	for (uint64_t i = 0; pages != NULL && i < pages_of(k->archive); i++) free(pages[i]);
	free(pages);
}

bool pai_part_counted(counted *k) {
	bool ok = pai_copy_counted(k); /* threads of the parent may have counted since the first copy */
	free_pages(k, k->before);
	k->before = k->at_fork;
	k->at_fork = NULL;
	k->n_noted = 0;
	return ok;
}

void pai_free_counted(counted *k) {
	free_pages(k, k->before);
	free_pages(k, k->at_fork);
	free(k->noted);
	*k = (counted){0};
}
