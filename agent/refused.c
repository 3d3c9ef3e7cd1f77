//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "refused.h"

#include <inttypes.h>
#include <pthread.h>

enum { MOST_LISTED = 100 };

typedef struct refused { pa_method method; int32_t point; } refused;

static struct {
	pthread_mutex_t lock;
	refused list[REFUSED_REASONS][MOST_LISTED];
	int n[REFUSED_REASONS];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void refused_add(refused_reason why, const pa_method *m, int32_t point) {
	pthread_mutex_lock(&all.lock);
	if (all.n[why] < MOST_LISTED) all.list[why][all.n[why]++] = (refused){*m, point};
	pthread_mutex_unlock(&all.lock);
}

static void write_text(FILE *f, pa_text t) {
	for (size_t i = 0; i < t.size; i++) {
		unsigned char c = (unsigned char)t.bytes[i];
		if (c == '"' || c == '\\') fputc('\\', f);
		if (c < ' ') fprintf(f, "\\u%04x", c);
		else fputc(c, f);
	}
}

void refused_write_method(FILE *f, const pa_method *m) {
	write_text(f, m->key.class_name);
	fputs("::", f);
	write_text(f, m->key.name);
	write_text(f, m->key.signature);
}

static void write_refused(FILE *f, const char *reason, const refused *r, bool first) {
	fprintf(f, "%s\n    {\"method\": \"", first ? "" : ",");
	refused_write_method(f, &r->method);
	fprintf(f, "\", \"reason\": \"%s\"", reason);
	if (r->point >= 0) fprintf(f, ", \"point\": %" PRId32, r->point);
	fputc('}', f);
}

void refused_write(FILE *f) {
	static const char *const reasons[] = {"other_code", "other_layout", "absent"};
	int written = 0;
	fputc('[', f);
	pthread_mutex_lock(&all.lock);
	for (int why = 0; why < REFUSED_REASONS; why++)
		for (int i = 0; i < all.n[why]; i++) write_refused(f, reasons[why], &all.list[why][i], written++ == 0);
	pthread_mutex_unlock(&all.lock);
	fputs(written > 0 ? "\n  ]" : "]", f);
}
