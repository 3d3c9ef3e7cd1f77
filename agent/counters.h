/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent did, by number. */
#ifndef PROFARC_AGENT_COUNTERS_H
#define PROFARC_AGENT_COUNTERS_H

#include <stdint.h>

/* name in C, name in reports */
#define AGENT_COUNTERS(X) \
	X(classes, "classes") /* prepared classes that are in the archive */ \
	X(classes_forgotten, "classes_forgotten") /* which an agent for Java code or a debugger redefined */ \
	X(adopted, "methods_adopted") \
	X(adopted_over_cache, "methods_adopted_over_cache") /* of them: the VM had a profile in its own cache */ \
	X(kept_cache, "methods_kept_of_cache") /* adopt nothing: the VM had a profile in its own cache */ \
	X(refused_code, "methods_refused_other_code") /* no archived profile is of the method's bytecodes */ \
	X(refused_layout, "methods_refused_other_layout")      /* the VM's MethodData has other entries */ \
	X(refused_started, "methods_refused_already_profiled") /* the VM had a MethodData before */ \
	X(refused_absent, "methods_refused_absent")            /* the class does not have the method */ \
	X(refused_damaged, "methods_refused_damaged") \
	X(refused_memory, "methods_refused_out_of_memory") \
	X(entries, "entries") \
	X(receivers_bound, "receivers_bound")     /* types in profiles, bound at once */ \
	X(receivers_late, "receivers_bound_late") /* bound when their class was prepared */ \
	X(receivers_waiting, "receivers_waiting") /* whose class is not prepared yet */ \
	X(receivers_taken, "receivers_taken")     /* their row had another type when the class came */ \
	X(receivers_gone, "receivers_gone")       /* the method was unloaded before the class came */ \
	X(receivers_refused, "receivers_refused") /* several of one name, no class that the call can have, or beside an \
												 agent that may redefine classes */ \
	X(requests_listed, \
		"requests_listed") /* methods that training compiled with C2, with a policy that asks for them */ \
	X(requests_made, "requests_made") \
	X(requests_compiled, "requests_compiled") /* of these: the VM compiled the method */ \
	X(requests_dropped, "requests_dropped")   /* of these: the VM gave the method up, or did not call it any more */ \
	X(requests_refused, "requests_refused")   /* of these: the VM did not take the request */ \
	X(requests_needless, "requests_needless") /* the VM compiled the method by itself before */ \
	X(requests_unsure, \
		"requests_unsure") /* not asked for: a class of the signature was not there, or C2 can't compile the method */ \
	X(requests_waiting, "requests_waiting") /* until the end: a class was not initialised, or the method was not \
											   called, or there was no room */ \
	X(requests_absent, "requests_absent")   /* the method adopted no profile, or its class may be unloaded */ \
	X(requests_behind_queue, \
		"requests_behind_queue") /* looks at which a method waited since the queue of C2 was long */ \
	X(requests_over_budget, "requests_over_budget") /* looks at which a method waited since the budget was used up */ \
	X(compiled_to_record, "methods_compiled_to_record") /* requests, so that an AOT cache takes the profile */ \
	X(calls_relieved, "calls_relieved")             /* calls whose rows were emptied, as other receivers came */ \
	X(receivers_withdrawn, "receivers_withdrawn")   /* the rows */ \
	X(started_ns, "start_ns")                       /* time at the start of the VM */ \
	X(prepared_ns, "prepare_ns")                    /* time in the preparation of classes, of all threads */ \
	X(watched_ns, "watch_ns")                       /* processor time of the watching thread */

typedef struct counters {
#define AGENT_COUNTER(name, text) uint64_t name;
	AGENT_COUNTERS(AGENT_COUNTER)
#undef AGENT_COUNTER
} counters;

extern counters agent_counters;

#define COUNT_N(name, n) __atomic_fetch_add(&agent_counters.name, (uint64_t)(n), __ATOMIC_RELAXED)
#define COUNT(name) COUNT_N(name, 1)

#endif
