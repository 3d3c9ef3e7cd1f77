/* SPDX-License-Identifier: Apache-2.0 */
/* The system functions of the library on Windows. posix.c has them for other systems. Paths are UTF-8. The library
 * reads archives into memory and copies adopted ones. Windows cannot replace a mapped file, and cannot map memory for
 * late types directly after a view. */
#ifdef _WIN32

#define _CRT_RAND_S
#define CONTEXT CONTEXT_OF_WINDOWS /* internal.h uses the name */
#include <stdio.h>
#include <windows.h>
#undef CONTEXT

#include "build.h"

/* fail fills an error with the errno closest to the Windows error. */
static bool fail(pa_error *e, const char *message) {
	DWORD code = GetLastError();
	errno = code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND ? ENOENT
		: code == ERROR_ACCESS_DENIED || code == ERROR_SHARING_VIOLATION ? EACCES
		: code == ERROR_NOT_ENOUGH_MEMORY || code == ERROR_OUTOFMEMORY   ? ENOMEM
		: code == ERROR_DISK_FULL                                        ? ENOSPC
																		 : EIO;
	return pai_system(e, message);
}

/* wide returns a path in UTF-16. The caller frees it. */
static wchar_t *wide(const char *path) {
	int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
	wchar_t *w = n > 0 ? malloc((size_t)n * sizeof *w) : NULL;
	if (w != NULL) MultiByteToWideChar(CP_UTF8, 0, path, -1, w, n);
	return w;
}

/* ---- the archive in memory ---- */

/* read_file reads a whole file, because Windows cannot replace a mapped file. */
static bool read_file(HANDLE file, pa_archive *a, pa_error *e) {
	LARGE_INTEGER size;
	if (!GetFileSizeEx(file, &size)) return fail(e, "the file can't be examined");
	if (GetFileType(file) != FILE_TYPE_DISK || size.QuadPart == 0)
		return pai_fail(e, PA_FOREIGN, "not a profarc archive: no file, or an empty one");
	if ((uint64_t)size.QuadPart > SIZE_MAX) return pai_fail(e, PA_TOO_LARGE, "the file is too large for this machine");
	uint8_t *bytes = VirtualAlloc(NULL, (size_t)size.QuadPart, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	a->bytes = bytes;
	if (bytes == NULL) return fail(e, "no memory for the archive");
	for (DWORD n; a->size < (uint64_t)size.QuadPart; a->size += n) {
		uint64_t left = (uint64_t)size.QuadPart - a->size;
		if (!ReadFile(file, bytes + a->size, left > 1 << 30 ? 1 << 30 : (DWORD)left, &n, NULL) || n == 0)
			return fail(e, "the file can't be read");
	}
	return true;
}

bool pai_map(const char *path, pa_archive *a, pa_error *e) {
	wchar_t *w = wide(path);
	a->file = 0; /* the library owns bytes */
	if (w == NULL) return pai_fail(e, PA_ARGUMENT, "the path is no UTF-8");
	HANDLE file = CreateFileW(w, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, 0, NULL);
	free(w);
	if (file == INVALID_HANDLE_VALUE) return fail(e, "the file can't be opened");
	bool ok = read_file(file, a, e);
	CloseHandle(file);
	return ok;
}

void pai_unmap(pa_archive *a) {
	if (a->file >= 0 && a->bytes != NULL) VirtualFree((void *)(uintptr_t)a->bytes, 0, MEM_RELEASE);
}

/* take_memory allocates memory, at base if base is not 0 and the range is free. */
static void *take_memory(uint64_t base, size_t size) {
	void *p = base == 0 ? NULL : VirtualAlloc((void *)(uintptr_t)base, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	return p != NULL ? p : VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

bool pai_map_again(const pa_archive *a, uint64_t base, uint64_t late, live *to, pa_error *e) {
	span rw = a->region[PA_RW];
	uint64_t read_only = rw.size > 0 ? rw.at - rw.at % PAGE : a->size; /* a small rw shares its first page */
	DWORD before;
	to->late_at = round_up(a->size, PAGE);
	to->size = to->late_at + round_up(late, PAGE);
	if (to->size > SIZE_MAX) return pai_fail(e, PA_TOO_LARGE, "the archive is too large for this machine");
	to->base = take_memory(base, (size_t)to->size);
	if (to->base == NULL) return fail(e, "no memory for a second copy");
	memcpy(to->base, a->bytes, (size_t)a->size);
	if (read_only == 0 || VirtualProtect(to->base, (size_t)read_only, PAGE_READONLY, &before)) return true;
	fail(e, "a copy can't be protected");
	pai_unmap_again(to);
	return false;
}

bool pai_written_pages(const uint8_t *at, size_t pages, uint8_t *written) {
	return (void)at, (void)pages, (void)written, false;
}

void pai_unmap_again(live *l) {
	if (l->base != NULL) VirtualFree(l->base, 0, MEM_RELEASE);
	l->base = NULL;
}

/* ---- a file ---- */

struct target { HANDLE file; wchar_t *path, *temporary; bool made; };

target *pai_open_target(const char *path, pa_error *e) {
	enum { SUFFIX = 40 };
	target *t = calloc(1, sizeof *t);
	wchar_t *w = wide(path);
	size_t n = w == NULL ? 0 : wcslen(w), folder = n;
	while (folder > 0 && w[folder - 1] != L'/' && w[folder - 1] != L'\\' && w[folder - 1] != L':') folder--;
	if (t != NULL) *t = (target){INVALID_HANDLE_VALUE, w, malloc((folder + SUFFIX) * sizeof *w), false};
	if (t != NULL && w != NULL && t->temporary != NULL && folder < n) {
		unsigned random[2] = {0, 0};
		rand_s(&random[0]);
		rand_s(&random[1]);
		memcpy(t->temporary, w, folder * sizeof *w);
		swprintf(t->temporary + folder, SUFFIX, L".profarc-%08x%08x.tmp", random[0], random[1]);
		return t;
	}
	pai_fail(e, PA_ARGUMENT, "a path without the name of a file, or no UTF-8");
	if (t == NULL) free(w);
	pai_close_target(t);
	return NULL;
}

bool pai_create_target(target *t, pa_error *e) {
	DWORD old = GetFileAttributesW(t->path);
	if (old != INVALID_FILE_ATTRIBUTES && (old & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) != 0)
		return pai_fail(e, PA_ARGUMENT, "the path is no ordinary file");
	t->file = CreateFileW(t->temporary, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
	t->made = t->file != INVALID_HANDLE_VALUE;
	return t->made || fail(e, "a temporary file can't be made");
}

bool pai_write_target(target *t, uint64_t at, const uint8_t *bytes, size_t size, pa_error *e) {
	while (size > 0) {
		OVERLAPPED where = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
		DWORD n = 0, most = size > 1 << 30 ? 1 << 30 : (DWORD)size;
		if (!WriteFile(t->file, bytes, most, &n, &where) || n == 0) return fail(e, "the file can't be written");
		bytes += n;
		size -= n;
		at += n;
	}
	return true;
}

bool pai_read_target(target *t, uint64_t at, uint8_t *bytes, size_t size, pa_error *e) {
	while (size > 0) {
		OVERLAPPED where = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
		DWORD n = 0;
		if (!ReadFile(t->file, bytes, (DWORD)size, &n, &where) || n == 0) return fail(e, "the file can't be read back");
		bytes += n;
		size -= n;
		at += n;
	}
	return true;
}

/* pai_publish_target fails if another process has mapped the old file, which Windows cannot replace. */
bool pai_publish_target(target *t, pa_error *e) {
	if (!FlushFileBuffers(t->file)) return fail(e, "the file can't be synced");
	CloseHandle(t->file);
	t->file = INVALID_HANDLE_VALUE;
	if (!MoveFileExW(t->temporary, t->path, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
		return fail(e, "the file can't be renamed");
	t->made = false;
	return true;
}

void pai_close_target(target *t) {
	if (t == NULL) return;
	if (t->file != INVALID_HANDLE_VALUE) CloseHandle(t->file);
	if (t->made) DeleteFileW(t->temporary);
	free(t->path);
	free(t->temporary);
	free(t);
}

/* ---- the process ---- */

/* Windows has no boot id. */
bool pai_this_process(pa_provenance *r) { return (void)r, false; }

int64_t pai_now(void) {
	const uint64_t to_1970 = 11644473600; /* seconds from 1601 to 1970 */
	FILETIME now;
	GetSystemTimeAsFileTime(&now);
	uint64_t ticks = (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
	return (int64_t)((ticks - to_1970 * 10000000) * 100);
}

bool pai_random(uint8_t id[16]) {
	for (unsigned i = 0; i < 16; i += sizeof(unsigned)) {
		unsigned n;
		if (rand_s(&n) != 0) return false;
		memcpy(id + i, &n, sizeof n);
	}
	return true;
}

#endif
