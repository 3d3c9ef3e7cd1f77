/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFARC_AGENT_OPTIONS_H
#define PROFARC_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* How methods weigh. */
typedef enum weights {
	WEIGHTS_FLAT,   /* all alike */
	WEIGHTS_BOUNDED /* less if training invoked them little: they gain little from being compiled early */
} weights;

/* What the VM is asked to compile. */
typedef enum policy {
	POLICY_NONE,   /* nothing */
	POLICY_ORDER,  /* what training compiled with C2, in its order */
	POLICY_HOTTEST /* the same, what ran most first */
} policy;

/* What becomes of a profile that the VM has in its own cache. */
typedef enum cached {
	CACHED_KEEP,   /* the VM gets it as the cache has it */
	CACHED_REPLACE /* the archive's takes its place */
} cached;

/* What follows the = of -agentpath:PATH=..., see docs/agent.md. Texts are allocated, and live as long as the
 * VM. */
typedef struct options {
	const char *archive;
	const char *base;   /* NULL: not named; "": the archive is to be adopted alone, also if it is a layer */
	const char *report; /* NULL for none, "-" for stderr */
	uint32_t weight;    /* invocations that an adopted profile counts for; WEIGHT_PRESENCE: each count is 1 */
	uint32_t warmup;    /* milliseconds after which the flag is restored at the latest */
	bool raise;         /* a flag of the VM, while warming up */
	weights weights;
	policy policy;
	cached cached;
	uint32_t cached_weight; /* of profiles that take the place of the cache's; 0: as of others */
	uint32_t budget;    /* percent of the processors that C2 may take for requests of the policy */
	bool dry, drift, quiet;
	bool record;  /* for an AOT cache */
	bool untried; /* adopt in a release that the agent was not run with */
} options;

enum { WEIGHT_PRESENCE = 0, WEIGHT_DEFAULT = 200, WEIGHT_HIGHEST = 1 << 20 };

/* options_parse returns NULL, or the text of the error. */
const char *options_parse(options *o, const char *text);

#endif
