//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "adopted.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, CHUNK = 1 << 14, MOST_CHUNKS = 1 << 7, DUMP_ID = 16 };

typedef struct row { uint64_t cell, what; uint32_t value, kind; } row;

/* Readers know the offsets of these fields from the version. */
typedef struct table {
	uint64_t magic;
	uint32_t version, row_size, chunk, most_chunks;
	uint64_t n;                   /* number of rows, stored in chunks of equal size */
	uint8_t archive[DUMP_ID];     /* dump ids of the layers, the topmost first; zeros for a missing layer */
	uint8_t base[DUMP_ID];
	row *chunks[MOST_CHUNKS];
} table;

extern __attribute__((visibility("default"))) table profarc_adopted;
table profarc_adopted = {.magic = 0x646574706f646170 /* "padopted" */,
	.version = VERSION,
	.row_size = sizeof(row),
	.chunk = CHUNK,
	.most_chunks = MOST_CHUNKS};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void adopted_open(const layers *l) {
	memcpy(profarc_adopted.archive, pa_info_of(l->list[0].archive)->dump_id, DUMP_ID);
	if (l->n > 1) memcpy(profarc_adopted.base, pa_info_of(l->list[1].archive)->dump_id, DUMP_ID);
}

/* free_row returns the next free row, or NULL if memory runs out. */
static row *free_row(table *t) {
	uint64_t chunk = t->n / CHUNK;
	if (chunk == MOST_CHUNKS) return NULL;
	if (t->chunks[chunk] == NULL) t->chunks[chunk] = malloc(CHUNK * sizeof(row));
	return t->chunks[chunk] == NULL ? NULL : &t->chunks[chunk][t->n % CHUNK];
}

bool adopted_add(adopted_kind kind, const void *cell, uint64_t what, uint32_t value) {
	pthread_mutex_lock(&lock);
	row *r = free_row(&profarc_adopted);
	if (r != NULL) {
		*r = (row){(uint64_t)(uintptr_t)cell, what, value, kind};
		__atomic_store_n(
			&profarc_adopted.n, profarc_adopted.n + 1, __ATOMIC_RELEASE); /* released after the row is complete */
	}
	pthread_mutex_unlock(&lock);
	return r != NULL;
}
