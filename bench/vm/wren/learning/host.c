/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a script of Wren, and learns.
 *
 *	host [-count ARCHIVE] [-advise ARCHIVE] [-dump] [-audit] [-evals N -seed N] SCRIPT
 *
 * With neither -count nor -advise, and without LEARN, Wren runs as it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "wren.h"
#ifdef LEARN
#include "learn_wren.h"
#endif

/* What the command line asks for. */
typedef struct options {
	const char *archive, *script;
	bool advised, dumped, audited;
	long evals, seed;
} options;

static void write_text(WrenVM *vm, const char *text) {
	(void)vm;
	fputs(text, stdout);
}

static void write_error(WrenVM *vm, WrenErrorType type, const char *module, int line, const char *message) {
	(void)vm;
	(void)type;
	fprintf(stderr, "%s:%d: %s\n", module == NULL ? "" : module, line, message);
}

static char *read_file(const char *path) {
	FILE *f = fopen(path, "rb");
	if (f == NULL || fseek(f, 0, SEEK_END) != 0) {
		perror(path);
		exit(2);
	}
	long size = ftell(f);
	char *text = calloc(1, (size_t)size + 1);
	rewind(f);
	if (text == NULL || fread(text, 1, (size_t)size, f) != (size_t)size) exit(2);
	fclose(f);
	return text;
}

static options parse(int n, char **arguments) {
	options o = {0};
	for (int i = 1; i < n; i++) {
		const char *a = arguments[i], *next = i + 1 < n ? arguments[i + 1] : "";
		bool names = strcmp(a, "-count") == 0 || strcmp(a, "-advise") == 0;
		bool takes = names || strcmp(a, "-evals") == 0 || strcmp(a, "-seed") == 0;
		if (names) o.archive = next;
		else if (strcmp(a, "-evals") == 0) o.evals = atol(next);
		else if (takes) o.seed = atol(next);
		if (strcmp(a, "-advise") == 0) o.advised = true;
		else if (strcmp(a, "-dump") == 0) o.dumped = true;
		else if (strcmp(a, "-audit") == 0) o.audited = true;
		else if (!takes) o.script = a;
		i += takes;
	}
	return o;
}

static double seconds(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#ifdef LEARN
/* The id distinguishes archives of this VM from all others. */
static const pa_vm wren = {.name = PA_TEXT("Wren with libprofarc 1"),
	.id = {0x5c, 0x1f, 0x8a, 0x02, 0xd3, 0x6e, 0x4b, 0x77, 0x90, 0x41, 0x2d, 0xee, 0x73, 0x08, 0xc9, 0x15}};

static void start(const options *o) {
	char text[300];
	if (o->archive == NULL) return;
	pa_error e = pa_start(o->archive, &wren, &learn.run);
	if (e.code != PA_OK && !(e.code == PA_SYSTEM && e.system == 2))
		fprintf(stderr, "without the archive: %s\n", pa_error_text(e, o->archive, text, sizeof text));
	learn.advised = o->advised;
	learn.audited = o->audited;
}

static int finish(const options *o, WrenVM *vm) {
	char text[300];
	pa_lost lost = {0};
	pa_error e = {0};
	if (o->audited) learnPrint(vm);
	if (o->dumped) e = pa_dump(learn.run, o->archive, &lost);
	if (e.code != PA_OK) fprintf(stderr, "no dump: %s\n", pa_error_text(e, o->archive, text, sizeof text));
	if (getenv("LEARN_SUMMARY") != NULL)
		fprintf(stderr, "functions %llu, mature %llu, specialized calls %llu\n", (unsigned long long)learn.functions,
			(unsigned long long)learn.mature, (unsigned long long)learn.specialized);
	return e.code == PA_OK ? 0 : 1;
}
#endif

/* evaluate interprets n snippets that differ. */
static bool evaluate(WrenVM *vm, long n, long seed) {
	char text[300];
	for (long i = 0; i < n; i++) {
		snprintf(text, sizeof text, "{\nvar f = Fn.new {|x| x * %ld + %ld }\nvar n = 0\n"
			"for (i in 0..20) {\n if (f.call(i) %% 2 == 0) n = n + 1\n}\n}\n", i, seed);
		if (wrenInterpret(vm, "main", text) != WREN_RESULT_SUCCESS) return false;
	}
	return true;
}

int main(int n, char **arguments) {
	options o = parse(n, arguments);
	WrenConfiguration config;
	wrenInitConfiguration(&config);
	config.writeFn = write_text;
	config.errorFn = write_error;
	double began = seconds(CLOCK_PROCESS_CPUTIME_ID);
#ifdef LEARN
	start(&o);
#endif
	WrenVM *vm = wrenNewVM(&config);
#ifdef LEARN
	if (learn.run != NULL) learnLoadCore(vm);
#endif
	char *source = o.script == NULL ? NULL : read_file(o.script);
	bool ran = source == NULL || wrenInterpret(vm, "main", source) == WREN_RESULT_SUCCESS;
	ran = ran && evaluate(vm, o.evals, o.seed);
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr, "seconds %.6f\nkB %ld\n", seconds(CLOCK_PROCESS_CPUTIME_ID) - began, usage.ru_maxrss);
	int failed = ran ? 0 : 1;
#ifdef LEARN
	if (learn.run != NULL) failed |= finish(&o, vm);
#endif
	wrenFreeVM(vm);
#ifdef LEARN
	pa_end(learn.run);
#endif
	free(source);
	return failed;
}
