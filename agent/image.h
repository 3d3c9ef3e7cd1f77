/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of an archive in memory of this process alone. A mapped file that is cut short later ends the VM by SIGBUS,
 * and a handler of that signal would be in the way of the VM's own.
 */
#ifndef PROFARC_AGENT_IMAGE_H
#define PROFARC_AGENT_IMAGE_H

#include "profarc_archive.h"

typedef struct image { void *bytes; size_t size, room; } image;

/* image_read reads an ordinary file. It never waits, as for the writer of a pipe. */
pa_error image_read(image *to, const char *path);

void image_free(image *i);

#endif
