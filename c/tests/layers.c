/* SPDX-License-Identifier: Apache-2.0 */
/* layers checks which of the archives LAYER BASE OTHER fit on each other, and where a lookup in layers finds a
 * method. */
#include "client.h"

static pa_archive *open_archive(const char *path) {
	pa_archive *a = NULL;
	pa_error e = pa_open(path, NULL, &a);
	if (e.code != PA_OK) {
		fprintf(stderr, "%s: %s\n", path, e.message);
		exit(2);
	}
	return a;
}

static int failures;

static void want(const char *what, pa_error e, pa_code code) {
	if (e.code == code) return;
	fprintf(stderr, "%s: code %d (%s), want %d\n", what, e.code, e.message, code);
	failures++;
}

/* find looks up a method in layers as a VM does. */
static pa_error find(pa_archive *const *layers, size_t n, const char *name, pa_profile *p) {
	pa_key key = {.class_name = pa_text_of("C"), .name = pa_text_of(name)};
	pa_error e = {.code = PA_NOT_FOUND};
	for (size_t i = 0; i < n && (e.code == PA_NOT_FOUND || e.code == PA_UNEXECUTED || e.code == PA_NO_PROFILE); i++)
		e = pa_find_profile(layers[i], &key, 7, p);
	return e;
}

int main(int argc, char **argv) {
	if (argc != 4) return 2;
	pa_archive *layers[] = {open_archive(argv[1]), open_archive(argv[2])}, *other = open_archive(argv[3]);
	want("the layer on its base", pa_fits_on(layers[0], layers[1]), PA_OK);
	want("the layer on another", pa_fits_on(layers[0], other), PA_MISMATCH);
	want("the layer alone", pa_fits_on(layers[0], NULL), PA_MISMATCH);
	want("the base alone", pa_fits_on(layers[1], NULL), PA_OK);
	want("the base on another", pa_fits_on(layers[1], other), PA_OK);
	pa_profile p;
	want("what the layer has", find(layers, 2, "app", &p), PA_OK);
	if (p.archive != layers[0]) {
		fprintf(stderr, "the layer's method is found elsewhere\n");
		failures++;
	}
	want("what the base has", find(layers, 2, "base", &p), PA_OK);
	if (p.archive != layers[1]) {
		fprintf(stderr, "the base's method is found elsewhere\n");
		failures++;
	}
	want("what both have", find(layers, 2, "both", &p), PA_OK);
	if (p.archive != layers[0]) {
		fprintf(stderr, "the method of both is not the layer's\n");
		failures++;
	}
	want("what none has", find(layers, 2, "none", &p), PA_NOT_FOUND);
	pa_close(layers[0]);
	pa_close(layers[1]);
	pa_close(other);
	return failures > 0;
}
