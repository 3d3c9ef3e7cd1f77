//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

enum { BUDGET_DEFAULT = 25, WARN_DEFAULT = 50, PERCENT_HIGHEST = 100 };
enum { WARMUP_DEFAULT = 60000, WARMUP_HIGHEST = 24 * 60 * 60 * 1000 };

/* cut copies the text up to the next single comma, replaces double commas by single ones, and returns the rest. */
static const char *cut(const char *text, char *out) {
	for (; *text != 0; text++) {
		if (*text == ',' && *++text != ',') break;
		*out++ = *text;
	}
	*out = 0;
	return text;
}

static bool number(const char *text, uint32_t highest, uint32_t *n) {
	char *end;
	if (*text < '0' || *text > '9') return false;
	unsigned long v = strtoul(text, &end, 10);
	if (*end != 0 || v > highest) return false;
	*n = (uint32_t)v;
	return true;
}

/* choose sets a switch from one of two words. */
static bool choose(const char *value, const char *yes, const char *no, bool *to) {
	*to = strcmp(value, yes) == 0;
	return *to || strcmp(value, no) == 0;
}

static bool set_flag(options *o, const char *name) {
	if (strcmp(name, "dry") == 0) o->dry = true;
	else if (strcmp(name, "drift") == 0) o->drift = true;
	else if (strcmp(name, "quiet") == 0) o->quiet = true;
	else if (strcmp(name, "record") == 0) o->record = true;
	else if (strcmp(name, "untried") == 0) o->untried = true;
	else return false;
	return true;
}

static bool set_weight(options *o, const char *value) {
	if (strcmp(value, "presence") == 0) {
		o->weight = WEIGHT_PRESENCE;
		return true;
	}
	return number(value, WEIGHT_HIGHEST, &o->weight) && o->weight > 0;
}

/* find returns the index of a word in a list. */
static bool find(const char *value, const char *const *names, int n, int *at) {
	for (*at = 0; *at < n; ++*at)
		if (strcmp(value, names[*at]) == 0) return true;
	return false;
}

static bool set_weights(options *o, const char *value) {
	bool flat, known = choose(value, "flat", "bounded", &flat);
	o->weights = flat ? WEIGHTS_FLAT : WEIGHTS_BOUNDED;
	return known;
}

static bool set_policy(options *o, const char *value) {
	static const char *const names[] = {"none", "order", "hottest"};
	int at;
	if (!find(value, names, POLICY_HOTTEST + 1, &at)) return false;
	o->policy = (policy)at;
	return true;
}

/* set_cached sets the treatment of cached profiles. A number replaces them with that weight. */
static bool set_cached(options *o, const char *value) {
	o->cached = strcmp(value, "keep") == 0 ? CACHED_KEEP : CACHED_REPLACE;
	o->cached_weight = 0;
	return o->cached == CACHED_KEEP || strcmp(value, "replace") == 0 ||
		(number(value, WEIGHT_HIGHEST, &o->cached_weight) && o->cached_weight > 0);
}

/* set_name sets the name of a file, which must not be empty. */
static bool set_name(const char **to, const char *value) {
	*to = value;
	return *value != 0;
}

/* set sets an option. It keeps value. */
static bool set(options *o, const char *name, const char *value) {
	if (strcmp(name, "archive") == 0) return set_name(&o->archive, value);
	if (strcmp(name, "base") == 0) {
		o->base = value;
		return true;
	}
	if (strcmp(name, "report") == 0) return set_name(&o->report, value);
	if (strcmp(name, "serve") == 0) return set_name(&o->serve, value);
	if (strcmp(name, "weight") == 0) return set_weight(o, value);
	if (strcmp(name, "warmup") == 0) return number(value, WARMUP_HIGHEST, &o->warmup);
	if (strcmp(name, "weights") == 0) return set_weights(o, value);
	if (strcmp(name, "policy") == 0) return set_policy(o, value);
	if (strcmp(name, "cached") == 0) return set_cached(o, value);
	if (strcmp(name, "budget") == 0) return number(value, PERCENT_HIGHEST, &o->budget);
	if (strcmp(name, "warn") == 0) return number(value, PERCENT_HIGHEST, &o->warn);
	if (strcmp(name, "flags") == 0) return choose(value, "raise", "keep", &o->raise);
	return false;
}

const char *options_parse(options *o, const char *text) {
	*o = (options){.weight = WEIGHT_DEFAULT,
		.weights = WEIGHTS_BOUNDED,
		.warmup = WARMUP_DEFAULT,
		.raise = true,
		.warn = WARN_DEFAULT,
		.budget = BUDGET_DEFAULT};
	while (text != NULL && *text != 0) {
		char *option = malloc(strlen(text) + 1);
		if (option == NULL) return "the process is out of memory";
		text = cut(text, option);
		char *value = strchr(option, '=');
		if (value != NULL) *value++ = 0;
		if (value == NULL ? !set_flag(o, option) : !set(o, option, value))
			return "an option of the agent is unknown or wrong; see docs/agent.md";
	}
	return o->archive == NULL && o->serve == NULL ? "the option archive=FILE is missing" : NULL;
}
