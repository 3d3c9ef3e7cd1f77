/* SPDX-License-Identifier: Apache-2.0 */
/* Destinations of an archive, which are memory and files that appear whole or not at all. */
#include "plan.h"

/* write_to lays the archive out and writes it to a sink. open makes the sink once the size is known. The builder does
 * not keep errors of the sink. */
static pa_error write_to(
	pa_builder *b, bool (*open)(void *to, uint64_t size, pa_error *e), const sink *to, pa_report *report) {
	pa_error before = pai_error_of(b), e = before;
	if (b == NULL) return e;
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
	if (bytes == NULL || size == NULL) return pai_error_of(NULL);
	pa_error e = write_to(b, open_memory, &(sink){write_memory, &m}, report);
	if (e.code == PA_OK) {
		*bytes = m.bytes;
		*size = (size_t)m.size;
	} else free(m.bytes);
	return e;
}

/* ---- a file ---- */

enum { PIECE = 1 << 16 };

/* A piece of the written file. All pieces are read back before the file is renamed. */
typedef struct piece { uint64_t at, sum; size_t size; } piece;
typedef struct file { target *t; piece *pieces; size_t n, room; } file;

static bool open_file(void *to, uint64_t size, pa_error *e) {
	return (void)size, pai_create_target(((file *)to)->t, e);
}

static bool note_piece(file *f, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e) {
	if (f->n == f->room) {
		size_t room = f->room == 0 ? 64 : 2 * f->room;
		piece *more = realloc(f->pieces, room * sizeof *more);
		if (more == NULL) return pai_system(e, "no memory for the sums of the archive");
		f->pieces = more;
		f->room = room;
	}
	f->pieces[f->n++] = (piece){at, pai_xxh64(NULL, 0, bytes, size), size};
	return true;
}

static bool write_file(void *to, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e) {
	while (size > 0) {
		size_t n = size < PIECE ? size : PIECE;
		if (!pai_write_target(((file *)to)->t, at, bytes, n, e) || !note_piece(to, at, bytes, n, e)) return false;
		bytes += n;
		size -= n;
		at += n;
	}
	return true;
}

/* read_back fails if the file differs from the written bytes. */
static bool read_back(const file *f, pa_error *e) {
	uint8_t *bytes = malloc(PIECE);
	if (bytes == NULL) return pai_system(e, "no memory to read the archive back");
	size_t i = 0;
	for (; i < f->n && pai_read_target(f->t, f->pieces[i].at, bytes, f->pieces[i].size, e); i++)
		if (pai_xxh64(NULL, 0, bytes, f->pieces[i].size) != f->pieces[i].sum) break;
	free(bytes);
	if (i == f->n) return true;
	if (e->code != PA_OK) return false;
	errno = EIO;
	return pai_system(e, "the file does not hold what was written to it: the disk or the file system is faulty");
}

static void close_file(file *f) {
	pai_close_target(f->t);
	free(f->pieces);
}

pa_error pa_write(pa_builder *b, const char *path, pa_report *report) {
	pa_error e = pai_none();
	pa_report got;
	if (!pai_given(b != NULL && path != NULL, &e)) return e;
	file f = {.t = pai_open_target(path, &e)};
	if (f.t != NULL) e = write_to(b, open_file, &(sink){write_file, &f}, &got);
	if (e.code == PA_OK && read_back(&f, &e) && pai_publish_target(f.t, &e) && report != NULL) *report = got;
	close_file(&f);
	return e;
}

pa_error pa_publish(const char *path, const void *bytes, size_t size) {
	pa_error e = pai_none();
	if (!pai_given(path != NULL && (bytes != NULL || size == 0), &e)) return e;
	file f = {.t = pai_open_target(path, &e)};
	if (f.t != NULL && pai_create_target(f.t, &e) && write_file(&f, 0, bytes, size, &e) && read_back(&f, &e))
		pai_publish_target(f.t, &e);
	close_file(&f);
	return e;
}
