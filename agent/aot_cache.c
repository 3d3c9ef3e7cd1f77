//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "aot_cache.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A mapped range of the file. */
typedef struct mapping { uintptr_t from, to; uint64_t offset; } mapping;

enum { FIRST_WITH_PROFILES = 25, MOST_MAPPINGS = 16 }; /* release number; a cache has four or five mappings */

static struct {
	mapping list[MOST_MAPPINGS];
	int n, file;
	bool named; /* a flag of the VM names the cache */
} cache;

/* path_of returns the value of a flag that names a file, or NULL. */
static const char *path_of(const vm *v, const char *flag) {
	vm_flag found;
	return vm_find_flag(v, flag, "SharedArchiveFile", &found) ? *(const char *const *)found.at : NULL;
}

/* note_mappings records where a file is mapped. It identifies the file by its inode, not its name. */
static void note_mappings(FILE *maps, const struct stat *file) {
	char line[4096];
	while (cache.n < MOST_MAPPINGS && fgets(line, sizeof line, maps) != NULL) {
		mapping m;
		unsigned major_number, minor_number;
		unsigned long inode;
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*4s %" SCNx64 " %x:%x %lu", &m.from, &m.to, &m.offset,
				&major_number, &minor_number, &inode) == 6 &&
			inode == file->st_ino && makedev(major_number, minor_number) == file->st_dev)
			cache.list[cache.n++] = m;
	}
}

void aot_cache_open(const vm *v) {
	const char *path = v->release < FIRST_WITH_PROFILES ? NULL : path_of(v, "AOTCache");
	struct stat file;
	cache.named = path != NULL;
	if (path == NULL || (cache.file = open(path, O_RDONLY | O_CLOEXEC)) < 0) return;
	FILE *maps = fopen("/proc/self/maps", "re");
	if (maps != NULL && fstat(cache.file, &file) == 0) note_mappings(maps, &file);
	if (maps != NULL) fclose(maps);
	if (cache.n == 0) close(cache.file);
}

bool aot_cache_is_elsewhere(void) { return cache.named && cache.n == 0; }

/* mapping_of returns the range of the file that holds a MethodData, or NULL. */
static const mapping *mapping_of(const vm_data *d) {
	for (const mapping *m = cache.list; m < cache.list + cache.n; m++)
		if ((uintptr_t)d >= m->from && (uintptr_t)d < m->to) return m;
	return NULL;
}

bool aot_cache_holds(const vm_data *d) { return mapping_of(d) != NULL; }

vm_data *aot_cache_read(const vm *v, const vm_data *d) {
	uintptr_t at = (uintptr_t)d;
	size_t size = vm_u32(d, v->data.size);
	const mapping *m = mapping_of(d);
	if (m == NULL) return NULL;
	vm_data *copy = size > m->to - at ? NULL : malloc(size);
	off_t offset = (off_t)(m->offset + (at - m->from));
	if (copy != NULL && pread(cache.file, copy, size, offset) == (ssize_t)size) return copy;
	free(copy);
	return NULL;
}
