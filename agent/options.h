/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFARC_AGENT_OPTIONS_H
#define PROFARC_AGENT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The weight of methods. */
typedef enum weights {
	WEIGHTS_FLAT,   /* equal weights */
	/* lower weight for methods with few invocations in training, which gain little from early compilation */
	WEIGHTS_BOUNDED
} weights;

/* Compilations to request from the VM. */
typedef enum policy {
	POLICY_NONE,   /* nothing */
	POLICY_ORDER,  /* methods that training compiled with C2, in its order */
	POLICY_HOTTEST /* the same methods, the hottest first */
} policy;

/* Treatment of a profile in the VM's cache. */
typedef enum cached {
	CACHED_KEEP,   /* the VM keeps the cached profile */
	CACHED_REPLACE /* the archive's profile replaces it */
} cached;

/* The options after the = of -agentpath:PATH=... (docs/agent.md). Strings are allocated and never freed. */
typedef struct options {
	const char *archive;
	const char *base;   /* NULL if not given; "" adopts the archive alone, even if it is a layer */
	const char *report; /* NULL for none, "-" for stderr */
	const char *serve;  /* socket to serve memory to at the exit; NULL for none. Then archive may be NULL. */
	uint32_t weight;    /* invocations of an adopted profile; WEIGHT_PRESENCE sets each count to 1 */
	uint32_t warmup;    /* maximum time in milliseconds until the flag is restored */
	bool raise;         /* raise a flag of the VM while warming up */
	weights weights;
	policy policy;
	cached cached;
	uint32_t cached_weight; /* weight of profiles that replace cached ones; 0 for the weight of others */
	uint32_t budget;    /* percentage of the processors that C2 may use for requests */
	uint32_t warn;      /* percentage of the methods that must adopt, so that no line is written; 0 for none */
	bool dry, drift, quiet;
	bool record;  /* record an AOT cache */
	bool untried; /* adopt in an untested release */
} options;

enum { WEIGHT_PRESENCE = 0, WEIGHT_DEFAULT = 200, WEIGHT_HIGHEST = 1 << 20 };

/* options_parse returns NULL or an error text. */
const char *options_parse(options *o, const char *text);

#endif
