/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers shows how a VM uses the archive of an application together with a base archive. The base has the profiles that
 * the application's archive lacks. The program opens and adopts both, and claims the profile of a method in the layer
 * that has it.
 *
 *	make -C c install PREFIX=$HOME/.local
 *	cc -std=c11 $(PKG_CONFIG_PATH=$HOME/.local/lib/pkgconfig pkg-config --cflags --libs profarc) -pthread -o layers \
 *		layers.c
 *	./layers app.parc base.parc java/lang/String length '()I'
 */
#include <inttypes.h>
#include <stdio.h>

#include <profarc_archive.h>

enum { LAYERS = 2 };

static pa_archive *layers[LAYERS];
static size_t count;

/* open_base opens the base of the archive. If there is no base, or another one, the archive is used alone. */
static void open_base(const char *base) {
	pa_error e = pa_open(base, NULL, &layers[1]);
	if (e.code == PA_OK && (e = pa_fits_on(layers[0], layers[1])).code == PA_OK) {
		count = 2;
		return;
	}
	fprintf(stderr, "without the base %s: %s\n", base, e.message);
	pa_close(layers[1]);
	layers[1] = NULL;
}

static pa_error open_layers(const char *app, const char *base) {
	pa_error e = pa_open(app, NULL, &layers[0]);
	if (e.code != PA_OK) return e;
	count = 1;
	open_base(base);
	for (size_t i = 0; i < count && e.code == PA_OK; i++) e = pa_adopt(layers[i], PA_BASE_REQUESTED);
	return e;
}

/* find looks up the profile of a method for all callers, in the first layer that has one for this code. If the VM uses
 * profiles with calling contexts, it must also check that the upper layer has no profile of this code in any context
 * before it goes to the base. */
static pa_error find(const pa_key *key, uint64_t code, pa_profile *p) {
	pa_error e = {.code = PA_NOT_FOUND, .message = "no layer has the method"};
	for (size_t i = 0; i < count; i++) {
		e = pa_find_profile(layers[i], key, code, p);
		if (e.code != PA_NOT_FOUND && e.code != PA_UNEXECUTED && e.code != PA_NO_PROFILE) break;
	}
	return e;
}

int main(int argc, char **argv) {
	pa_profile p;
	if (argc != 6) {
		fputs("usage: layers APP BASE CLASS METHOD SIGNATURE\n", stderr);
		return 2;
	}
	pa_key key = {pa_text_of(argv[3]), pa_text_of(argv[4]), pa_text_of(argv[5]), pa_text_of("")};
	pa_error e = open_layers(argv[1], argv[2]);
	if (e.code == PA_OK) e = find(&key, PA_ANY_CODE, &p);
	if (e.code == PA_OK) e = pa_claim(&p);
	pa_counter *calls = e.code == PA_OK ? pa_profile_word(&p, PA_FIELD_INVOCATIONS) : NULL;
	if (calls != NULL) {
		pa_count(calls, 1);
		printf("%" PRIu64 " calls, in the %s\n", atomic_load_explicit(calls, memory_order_relaxed),
			p.archive == layers[0] ? "application's archive" : "base");
	}
	if (e.code != PA_OK) fprintf(stderr, "%s\n", e.message);
	for (size_t i = 0; i < LAYERS; i++) pa_close(layers[i]);
	return e.code != PA_OK;
}
