/* SPDX-License-Identifier: Apache-2.0 */
/* Methods and profiles by key, by id and by reference. */
#include "internal.h"

static bool find_record(const pa_archive *a, const pa_key *key, record *r, pa_error *e) {
	if (pai_lookup(a, pai_key_id(a, key), key, r, e)) return true;
	if (e->code != PA_NOT_FOUND) return false;
	*e = pai_none();
	if (pai_find_row(a, key, r, e)) return true;
	if (e->code == PA_NOT_FOUND) e->message = "the archive does not know the method"; /* even if it has the class */
	return false;
}

static bool lookup_record(const pa_archive *a, uint64_t id, record *r, pa_error *e) {
	if (!pai_lookup(a, id, NULL, r, e)) return false;
	return !(r->flags & PA_METHOD_SHARED_ID) ||
		pai_fail(e, PA_AMBIGUOUS, "several methods have this id: look them up by key");
}

pa_error pa_find_method(const pa_archive *a, const pa_key *key, pa_method *m) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && given_key(key) && m != NULL, &e)) return e;
	record r;
	if (find_record(a, key, &r, &e)) pai_method(a, &r, m, &e);
	return e;
}

pa_error pa_find_method_id(const pa_archive *a, uint64_t id, pa_method *m) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && m != NULL, &e)) return e;
	record r;
	if (lookup_record(a, id, &r, &e)) pai_method(a, &r, m, &e);
	return e;
}

/* profile_of finds the profile of a method for all callers. */
static bool profile_of(const pa_archive *a, const record *r, uint64_t code, pa_profile *p, pa_error *e) {
	chain c = {.method = r->at, .next = r->profiles};
	block b;
	if (r->flags & PA_METHOD_UNEXECUTED) return pai_fail(e, PA_UNEXECUTED, "the method was never executed");
	if (!pai_of_code(a, &c, code, &b, e)) return false;
	pai_profile(a, &b, p);
	return true;
}

pa_error pa_find_profile(const pa_archive *a, const pa_key *key, uint64_t code, pa_profile *p) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && given_key(key) && p != NULL, &e)) return e;
	record r;
	if (find_record(a, key, &r, &e)) profile_of(a, &r, code, p, &e);
	return e;
}

pa_error pa_find_profile_id(const pa_archive *a, uint64_t id, uint64_t code, pa_profile *p) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && p != NULL, &e)) return e;
	record r;
	if (code == PA_ANY_CODE && pai_find_head(a, id, p, &e)) return e;
	e = pai_none();
	if (lookup_record(a, id, &r, &e)) profile_of(a, &r, code, p, &e);
	return e;
}

pa_error pa_method_at(const pa_archive *a, pa_ref at, pa_method *m) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && m != NULL, &e)) return e;
	record r;
	if (at == 0) pai_fail(&e, PA_NOT_FOUND, "no method");
	else if (pai_referred(a, place_of(at), &r, &e)) pai_method(a, &r, m, &e);
	return e;
}

pa_error pa_table_method(const pa_archive *a, pa_ref at, pa_method *m) {
	pa_error e = pai_none();
	if (!pai_given(a != NULL && m != NULL, &e)) return e;
	record r;
	if (!inside(a->section[NEVER_RAN], place_of(at), 8)) return pa_method_at(a, at, m);
	if (pai_row_at(a, place_of(at), &r, &e)) pai_method(a, &r, m, &e);
	return e;
}
