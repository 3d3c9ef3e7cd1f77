/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFARC_AGENT_OPTIONS_H
#define PROFARC_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum policy { POLICY_NONE, POLICY_ORDER } policy;

/* What follows the = of -agentpath:PATH=..., see docs/adoption-hotspot.md. Texts are allocated, and live as long as the VM. */
typedef struct options {
	const char *archive;
	const char *report; /* NULL for none, "-" for stderr */
	uint32_t weight;    /* invocations that an adopted profile counts for; WEIGHT_PRESENCE: each count is 1 */
	uint32_t warmup;    /* milliseconds after which the flags are restored at the latest */
	bool raise;         /* TieredOldPercentage while warming up */
	bool restart;       /* counts of an adopted method start anew after a deoptimisation in it */
	bool dry, drift, quiet;
	policy policy;
} options;

enum { WEIGHT_PRESENCE = 0, WEIGHT_DEFAULT = 200, WEIGHT_HIGHEST = 1 << 20 };

/* options_parse returns NULL, or what is wrong. */
const char *options_parse(options *o, const char *text);

#endif
