/* SPDX-License-Identifier: Apache-2.0 */
/* Where an archive is written to: memory, or a file that appears whole or not at all. */
#include "plan.h"

/* write_to lays the archive out for a sink that open makes when the size is known. The builder has no error of this. */
static pa_error write_to(
	pa_builder *b, bool (*open)(void *to, uint64_t size, pa_error *e), const sink *to, pa_report *report) {
	pa_error before = b->error, e;
	pa_report got;
	plan p;
	bool ok = pai_plan(b, &p) && open(to->to, p.file_size, &b->error) && pai_encode(&p, to, &got);
	pai_plan_free(&p);
	e = b->error;
	b->error = before;
	if (ok && report != NULL) *report = got;
	return e;
}

/* ---- memory ---- */

typedef struct memory { uint8_t *bytes; uint64_t size; } memory;

static bool open_memory(void *to, uint64_t size, pa_error *e) {
	memory *m = to;
	if (size > SIZE_MAX || (m->bytes = malloc((size_t)size)) == NULL) {
		errno = ENOMEM;
		return pai_system(e, "no memory for the archive");
	}
	m->size = size;
	memset(m->bytes, 0, HEADER);
	return true;
}

static bool write_memory(void *to, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e) {
	memory *m = to;
	if (at > m->size || size > m->size - at) return pai_fail(e, PA_TOO_LARGE, "the archive is larger than was planned");
	memcpy(m->bytes + at, bytes, size);
	return true;
}

pa_error pa_write_memory(pa_builder *b, void **bytes, size_t *size, pa_report *report) {
	memory m = {0};
	pa_error e = write_to(b, open_memory, &(sink){write_memory, &m}, report);
	if (e.code == PA_OK) {
		*bytes = m.bytes;
		*size = (size_t)m.size;
	} else free(m.bytes);
	return e;
}

/* ---- a file ---- */

static bool open_file(void *to, uint64_t size, pa_error *e) { return (void)size, pai_create_target(to, e); }

static bool write_file(void *to, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e) {
	return pai_write_target(to, at, bytes, size, e);
}

pa_error pa_write(pa_builder *b, const char *path, pa_report *report) {
	pa_error e = pai_none();
	pa_report got;
	target *t = pai_open_target(path, &e);
	if (t != NULL) e = write_to(b, open_file, &(sink){write_file, t}, &got);
	if (e.code == PA_OK && pai_publish_target(t, &e) && report != NULL) *report = got;
	pai_close_target(t);
	return e;
}

pa_error pa_publish(const char *path, const void *bytes, size_t size) {
	pa_error e = pai_none();
	target *t = pai_open_target(path, &e);
	if (t != NULL && pai_create_target(t, &e) && pai_write_target(t, 0, bytes, size, &e)) pai_publish_target(t, &e);
	pai_close_target(t);
	return e;
}
