/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the system forbids profarc to read other processes, the VM reads its own memory for it. With the option
 * serve=SOCKET, the VM connects to a Unix socket when its process calls exit: after main, System.exit, Runtime.halt and
 * SIGTERM, but not after a crash or SIGKILL. No Java code runs then, since the VM is at a safepoint or destroyed. If
 * nobody listens, the process ends at once. An agent that is loaded into a running VM connects at once.
 *
 *	VM       serve_hello
 *	profarc  serve_request
 *	VM       frame: u32 length, and that many bytes. They are the requested bytes, or none if some are not mapped
 *	...      until the connection closes, or 60 seconds pass without a request
 *
 * A running VM reaches a safepoint for a request of length 0 and address SERVE_HOLD, and stays there until the next
 * request of length 0. The answer is an empty frame, or one of a byte if that is impossible. All numbers have the byte
 * order of the machine.
 */
#ifndef PROFARC_AGENT_SERVE_H
#define PROFARC_AGENT_SERVE_H

#include "jvm.h"

/* maximum length of a frame. Longer requests close the connection. Linux has 36 KB in one buffer of a Unix socket. */
enum { SERVE_LONGEST = 1 << 15 };
enum { SERVE_HOLD = 1 };

/* exit_code is -1 for a running VM, -2 if it is unknown. maps is the address of the text of /proc/self/maps. */
typedef struct serve_hello { int32_t exit_code; uint32_t maps_length; uint64_t maps; } serve_hello;
typedef struct serve_request { uint64_t address, length; } serve_request;

/* serve_at_exit prepares serving at the exit of the process. It returns NULL, or why that is impossible. */
const char *serve_at_exit(const char *path);

/* serve_now serves a running VM. */
const char *serve_now(const char *path, java_vm *java);

#endif
