/* SPDX-License-Identifier: Apache-2.0 */
/* Folders with the archives of several VMs. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

enum { DIGITS = 32, UNUSED = 30 * 24 * 3600 }; /* digits of an id; seconds after which an archive is removed */

char *pai_path_in(const char *folder, const uint8_t id[16]) {
	size_t n = strlen(folder);
	char *path = malloc(n + 1 + DIGITS + sizeof ".parc");
	if (path == NULL) return NULL;
	char *to = path + sprintf(path, "%s/", folder);
	for (unsigned i = 0; i < 16; i++) to += sprintf(to, "%02x", id[i]);
	strcpy(to, ".parc");
	return path;
}

#ifdef _WIN32

bool pai_tidy_folder(const char *folder, const char *used, pa_error *e) {
	(void)used;
	return mkdir(folder) == 0 || errno == EEXIST || pai_system(e, "the folder can't be made");
}

#else

/* is_archive reports whether a name is that of a VM's archive. */
static bool is_archive(const char *name) {
	return strspn(name, "0123456789abcdef") == DIGITS && strcmp(name + DIGITS, ".parc") == 0;
}

/* remove_unused removes the archives of a folder that no run has begun with for 30 days. */
static void remove_unused(int folder, DIR *names, const char *kept) {
	for (struct dirent *d; (d = readdir(names)) != NULL;) {
		struct stat s;
		if (strcmp(d->d_name, kept) == 0 || !is_archive(d->d_name)) continue;
		if (fstatat(folder, d->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) continue;
		if (time(NULL) - s.st_mtime > UNUSED) unlinkat(folder, d->d_name, 0);
	}
}

bool pai_tidy_folder(const char *folder, const char *used, pa_error *e) {
	const char *name = strrchr(used, '/') + 1;
	if (mkdir(folder, 0777) != 0 && errno != EEXIST) return pai_system(e, "the folder can't be made");
	int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0) return pai_system(e, "the folder can't be opened");
	utimensat(at, name, NULL, 0); /* fails if the archive is missing, or is not the user's */
	DIR *names = fdopendir(at);
	if (names == NULL) {
		close(at);
		return true;
	}
	remove_unused(at, names, name);
	closedir(names);
	return true;
}

#endif
