/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the system forbids profarc to read other processes, the VM reads its own memory for it. With the option
 * serve=SOCKET, the VM connects to a Unix socket when its process calls exit: after main, System.exit, Runtime.halt and
 * SIGTERM, but not after a crash or SIGKILL. No Java code runs then, since the VM is at a safepoint or destroyed. If
 * nobody listens, the process ends at once.
 *
 *	VM       i32 exit code, -1 if unknown or running; /proc/self/maps in frames, ended by an empty frame
 *	profarc  request
 *	VM       frame with the bytes of the request, empty if some are not mapped
 *	...      until the connection closes, or 60 seconds pass without a request
 *
 * A frame is a u32 length and that many bytes. All numbers have the byte order of the machine.
 */
#ifndef PROFARC_AGENT_SERVE_H
#define PROFARC_AGENT_SERVE_H

#include <stdint.h>

/* maximum length of a frame. Longer requests close the connection. Linux has 36 KB in one buffer of a Unix socket. */
enum { SERVE_LONGEST = 1 << 15 };

typedef struct serve_request { uint64_t address; uint32_t length, unused; } serve_request;

/* serve_at_exit prepares serving at the exit of the process. It returns NULL, or why that is impossible. */
const char *serve_at_exit(const char *path);

#endif
