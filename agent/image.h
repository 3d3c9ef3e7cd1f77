/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A private copy of an archive in memory. If a mapped file were truncated, access would end the VM by SIGBUS, and a
 * handler for SIGBUS would interfere with the VM's handler.
 */
#ifndef PROFARC_AGENT_IMAGE_H
#define PROFARC_AGENT_IMAGE_H

#include "profarc_archive.h"

typedef struct image { void *bytes; size_t size, room; } image;

/* image_read reads a regular file. It never blocks, for example on a pipe. */
pa_error image_read(image *to, const char *path);

void image_free(image *i);

#endif
