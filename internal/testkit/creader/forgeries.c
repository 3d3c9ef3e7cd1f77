//go:build ignore

/*
 * forgeries runs creader on many forgeries of an archive in one process, which is faster than many processes. It reads
 * the size and the bytes of the archive. Then, for each forgery, it reads the number of edits, and the offset and the
 * eight new bytes of each edit. It answers with the exit status of creader and the XXH64 of its output, and reverts the
 * edits. All numbers are u64.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* An exit of creader continues the loop. */
static jmp_buf refused;
static _Noreturn void leave(int status) { longjmp(refused, status); }

#define main creader
#define exit leave
#include "creader.c"
#undef main
#undef exit

static FILE *in, *out, *printed;
static char *text;
static size_t length;

static uint64_t receive(void) {
	uint8_t b[8];
	if (fread(b, 1, 8, in) != 8) exit(0);
	return little(b, 8);
}
static void send(uint64_t v) {
	for (int i = 0; i < 8; i++) putc((int)(v >> 8 * i & 255), out);
}

/* verdict reads the archive, and gives the exit status of creader. */
static int verdict(void) {
	int status = setjmp(refused);
	if (status == 0) {
		check_header();
		check_sums();
		read_shapes();
		dump();
	}
	return status;
}

int main(void) {
	in = stdin;
	out = stdout;
	stdout = printed = open_memstream(&text, &length);
	stderr = fopen("/dev/null", "w");
	uint64_t size = receive();
	uint8_t *archive = malloc(size), (*old)[8] = malloc(64 * 8);
	if (fread(archive, 1, size, in) != size) return 1;
	file.bytes = archive;
	file.size = size;
	for (;;) {
		uint64_t n = receive(), at[64];
		for (uint64_t i = 0; i < n && i < 64; i++) {
			at[i] = receive();
			uint64_t v = receive();
			memcpy(old[i], archive + at[i], 8);
			for (int b = 0; b < 8; b++) archive[at[i] + b] = (uint8_t)(v >> 8 * b);
		}
		rewind(printed);
		int status = verdict();
		fflush(printed);
		long end = ftell(printed);
		send((uint64_t)status);
		send(status == 0 ? xxh64((uint8_t *)text, (uint64_t)end) : 0);
		fflush(out);
		while (n-- > 0) memcpy(archive + at[n], old[n], 8);
	}
}
