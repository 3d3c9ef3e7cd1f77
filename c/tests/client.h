/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the test clients. They exit at the first error. */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdio.h>
#include <stdlib.h>

#include "profarc_archive.h"

static inline void must(bool ok, const char *what) {
	if (ok) return;
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static inline void check(pa_error e) { must(e.code == PA_OK, e.message); }

/* read_all reads a file into memory that the caller frees. */
static inline void *read_all(const char *path, size_t *size) {
	FILE *f = fopen(path, "rb");
	must(f != NULL && fseek(f, 0, SEEK_END) == 0, "the file can't be read");
	*size = (size_t)ftell(f);
	void *bytes = malloc(*size);
	must(bytes != NULL && fseek(f, 0, SEEK_SET) == 0 && fread(bytes, 1, *size, f) == *size, "the file can't be read");
	fclose(f);
	return bytes;
}

#endif
