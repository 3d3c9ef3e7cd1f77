/* SPDX-License-Identifier: Apache-2.0 */
/* Calling contexts. Those of a method form a trie, sorted by parent, caller and point. */
#include "internal.h"

/* A trie has the context nodes of a method. */
typedef struct trie { uint64_t method, first, n; } trie;

static bool trie_of(const pa_archive *a, const record *r, trie *t, pa_error *e) {
	*t = (trie){r->at, r->contexts, r->ncontexts};
	if (t->n == 0 ||
		(is_row(a->section[CONTEXTS], t->first, CONTEXT) && inside(a->section[CONTEXTS], t->first, CONTEXT * t->n)))
		return true;
	return pai_damage(a, e, r->at, "the contexts of a method do not lie in their section");
}

static bool holds(const trie *t, uint64_t at) { return at >= t->first && at - t->first < CONTEXT * t->n; }

/* node reads a record. inner is the parent in the record, which may be the method. */
static bool node(const pa_archive *a, uint64_t at, pa_context *c, pa_error *e) {
	if (!is_row(a->section[CONTEXTS], at, CONTEXT)) return pai_damage(a, e, at, "no context begins here");
	if (!pai_touch(a, at, CONTEXT, e)) return false;
	const uint8_t *p = a->bytes + at;
	*c = (pa_context){ref_of(at), 0, get32(p), get32(p + 4), (int32_t)get32(p + 8), get32(p + 12)};
	return true;
}

/* order compares two nodes of a method in the file's order. */
static int order(const pa_context *c, const pa_context *d) {
	if (c->inner != d->inner) return c->inner < d->inner ? -1 : 1;
	if (c->caller != d->caller) return c->caller < d->caller ? -1 : 1;
	return c->point < d->point ? -1 : c->point > d->point;
}

/* ---- one context ---- */

pa_error pa_context_at(const pa_archive *a, pa_ref at, pa_context *context) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && context != NULL, &e)) return e;
	pa_context c, top;
	record r;
	trie t;
	if (at == 0) {
		pai_fail(&e, PA_NOT_FOUND, "no context");
		return e;
	}
	if (!node(a, place_of(at), &c, &e)) return e;
	top = c;
	for (unsigned depth = 1; !inside(a->section[METHODS], place_of(top.inner), 8); depth++) {
		if (top.inner >= top.at || depth == DEEPEST) {
			pai_damage(a, &e, place_of(top.at), "a context does not lead to its method");
			return e;
		}
		if (!node(a, place_of(top.inner), &top, &e)) return e;
	}
	if (!pai_referred(a, place_of(top.inner), &r, &e) || !trie_of(a, &r, &t, &e)) return e;
	if (!holds(&t, place_of(top.at)) || !holds(&t, place_of(c.at))) {
		pai_damage(a, &e, place_of(c.at), "a context that its method does not have");
		return e;
	}
	c.method = top.inner;
	if (c.inner == c.method) c.inner = 0;
	*context = c;
	return e;
}

pa_error pa_context_frames(
	const pa_archive *a, const pa_context *context, pa_frame *frames, size_t room, size_t *count) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && context != NULL && count != NULL && (frames != NULL || room == 0), &e)) return e;
	pa_context c = *context;
	size_t n = 1;
	for (pa_ref at = c.inner; at != 0 && at != c.method; n++) {
		pa_context inner;
		if (!node(a, place_of(at), &inner, &e)) return e;
		if (inner.inner >= at || n == DEEPEST) {
			pai_damage(a, &e, place_of(at), "a context does not lead to its method");
			return e;
		}
		at = inner.inner;
	}
	*count = n;
	while (n-- > 0) { /* the outermost frame comes first */
		if (n < room) frames[n] = (pa_frame){c.caller, c.point};
		if (n > 0 && !node(a, place_of(c.inner), &c, &e)) return e;
	}
	return e;
}

/* ---- all contexts of a method ---- */

pa_contexts pa_contexts_of(const pa_archive *a, const pa_method *m) {
	if (a == NULL || m == NULL) return (pa_contexts){0};
	return (pa_contexts){a, m->at, m->_contexts, m->at, 0, m->contexts, 0};
}

/* fits checks that a node sorts after the previous one, and that its parent belongs to the same method. */
static bool fits(const pa_contexts *it, const pa_context *c, pa_error *e) {
	const pa_archive *a = it->_archive;
	trie t = {place_of(it->_method), place_of(it->_first), it->_count};
	pa_context before;
	bool below =
		c->inner < c->at && holds(&t, place_of(c->inner)) && is_row(a->section[CONTEXTS], place_of(c->inner), CONTEXT);
	if (c->inner != it->_method && !below)
		return pai_damage(a, e, place_of(c->at), "a context whose parent is not one of its method");
	if (it->_next == 0) return true;
	if (!node(a, place_of(c->at) - CONTEXT, &before, e)) return false;
	return order(&before, c) < 0 || pai_damage(a, e, place_of(c->at), "contexts are not sorted");
}

pa_error pa_contexts_next(pa_contexts *it, pa_context *context) {
	pa_error e = pai_none();
	if (!pai_given(it != NULL && it->_archive != NULL && context != NULL, &e)) return e;
	const pa_archive *a = it->_archive;
	record r = {.at = place_of(it->_method), .contexts = place_of(it->_first), .ncontexts = it->_count};
	trie t;
	pa_context c;
	if (it->_next == it->_count) {
		pai_fail(&e, PA_NOT_FOUND, "no more contexts");
		return e;
	}
	if (it->_next == 0 && !trie_of(a, &r, &t, &e)) return e;
	if (!node(a, place_of(it->_first) + CONTEXT * (uint64_t)it->_next, &c, &e) || !fits(it, &c, &e)) return e;
	if (c.inner >= it->_level || it->_next == 0) {
		it->_level = c.at;
		if (++it->_depth > DEEPEST) {
			pai_damage(a, &e, place_of(c.at), "a context of too many frames");
			return e;
		}
	}
	it->_next++;
	c.method = it->_method;
	if (c.inner == c.method) c.inner = 0;
	*context = c;
	return e;
}

/* ---- the profile for a stack of callers ---- */

/* step finds the child of the node at *at that adds a frame. It searches from child number *from on. */
static bool step(const pa_archive *a, const trie *t, const pa_frame *frame, pa_context *c, uint64_t *from, bool *found,
	pa_error *e) {
	pa_context want = {.inner = c->at, .caller = frame->caller, .point = frame->point};
	*found = false;
	for (uint64_t low = *from, high = t->n; low < high;) {
		uint64_t middle = low + (high - low) / 2;
		pa_context got;
		if (!node(a, t->first + CONTEXT * middle, &got, e)) return false;
		int is = order(&got, &want);
		if (is == 0) {
			*c = got;
			*from = middle + 1;
			return *found = true;
		}
		if (is < 0) low = middle + 1;
		else high = middle;
	}
	return true;
}

/* try_chain replaces the best profile so far if a chain has a profile for the code. It returns false for damage. */
static bool try_chain(
	const pa_archive *a, chain c, uint64_t code, pa_profile *p, size_t depth, size_t *at_depth, pa_error *e) {
	block b;
	pa_error got = pai_none();
	if (pai_of_code(a, &c, code, &b, &got)) {
		pai_profile(a, &b, p);
		*at_depth = depth;
		*e = got;
	} else if (got.code != PA_NO_PROFILE) {
		*at_depth = depth;
		*e = got;
	}
	return e->code == PA_OK || e->code == PA_NO_PROFILE || e->code == PA_AMBIGUOUS;
}

pa_error pa_find_profile_in(const pa_archive *a, const pa_method *m, uint64_t code, const pa_frame *frames,
	size_t count, pa_profile *profile, size_t *depth) {
	pa_error e = pai_none(), damage = pai_none();
	pa_profile p = {0};
	size_t at_depth = 0;
	bool given = a != NULL && m != NULL && (frames != NULL || count == 0) && profile != NULL && depth != NULL;
	if (!pai_given(given, &e)) return e;
	pa_context c = {.at = m->at};
	record r = {.at = place_of(m->at), .contexts = place_of(m->_contexts), .ncontexts = m->contexts};
	trie t;
	uint64_t from = 0;
	bool found = true;
	pai_fail(&e, PA_NO_PROFILE, "the archive has no profile of this code of the method");
	if (m->flags & PA_METHOD_UNEXECUTED) {
		pai_fail(&e, PA_UNEXECUTED, "the method was never executed");
		return e;
	}
	if (!try_chain(a, (chain){.method = r.at, .next = place_of(m->_profiles)}, code, &p, 0, &at_depth, &e)) return e;
	if (!trie_of(a, &r, &t, &damage)) return damage;
	for (size_t i = 0; i < count && t.n > 0; i++) {
		if (!step(a, &t, &frames[i], &c, &from, &found, &damage)) return damage;
		if (!found) break;
		chain in = {.method = r.at, .context = place_of(c.at), .next = place_of(c._profiles)};
		if (!try_chain(a, in, code, &p, i + 1, &at_depth, &e)) return e;
	}
	if (e.code == PA_OK) {
		*profile = p;
		*depth = at_depth;
	}
	return e;
}
