/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of the agent. */
#ifndef PROFARC_AGENT_COUNTERS_H
#define PROFARC_AGENT_COUNTERS_H

#include <stdint.h>

/* name in C, name in reports */
#define AGENT_COUNTERS(X) \
	X(classes, "classes") /* prepared classes that the archive has */ \
	X(classes_forgotten, "classes_forgotten") /* redefined by an agent for Java code or a debugger */ \
	X(adopted, "methods_adopted") \
	X(adopted_started, "methods_adopted_after_start")   /* subset that had begun to count in this run */ \
	X(adopted_over_cache, "methods_adopted_over_cache") /* subset with a profile in the VM's cache */ \
	X(kept_cache, "methods_kept_of_cache") /* adopted nothing, because the VM's cache has a profile */ \
	X(refused_code, "methods_refused_other_code") /* no archived profile has the method's code id */ \
	X(refused_layout, "methods_refused_other_layout")      /* the VM's MethodData has other entries */ \
	X(refused_started, "methods_refused_already_profiled") /* the VM had counted much in the method before */ \
	X(refused_absent, "methods_refused_absent")            /* the class lacks the method */ \
	X(refused_damaged, "methods_refused_damaged") \
	X(refused_memory, "methods_refused_out_of_memory") \
	X(entries, "entries") \
	X(receivers_bound, "receivers_bound")     /* types in profiles, bound at once */ \
	X(receivers_late, "receivers_bound_late") /* bound when their class was prepared */ \
	X(receivers_waiting, "receivers_waiting") /* their class is not prepared yet */ \
	X(receivers_taken, "receivers_taken")     /* the row had another type when the class was prepared */ \
	X(receivers_gone, "receivers_gone")       /* the method was unloaded before the class was prepared */ \
	/* ambiguous name, impossible at the call, or an agent may redefine classes */ \
	X(receivers_refused, "receivers_refused") \
	X(requests_listed, \
		"requests_listed") /* methods that training compiled with C2, if the policy requests them */ \
	X(requests_made, "requests_made") \
	X(requests_compiled, "requests_compiled") /* subset that the VM compiled */ \
	X(requests_dropped, "requests_dropped")   /* subset that the VM dropped or no longer called */ \
	X(requests_refused, "requests_refused")   /* subset that the VM rejected */ \
	X(requests_needless, "requests_needless") /* the VM had compiled the method itself */ \
	X(requests_unsure, \
		"requests_unsure") /* not requested; a class of the signature was missing, or C2 cannot compile the method */ \
	/* not requested by the end; class not initialized, method not called, or queue full */ \
	X(requests_waiting, "requests_waiting") \
	X(requests_absent, "requests_absent")   /* the method adopted no profile, or its class may be unloaded */ \
	X(requests_behind_queue, \
		"requests_behind_queue") /* looks when a method waited because C2's queue was long */ \
	X(requests_over_budget, "requests_over_budget") /* looks when a method waited because the budget was used up */ \
	X(compiled_to_record, "methods_compiled_to_record") /* requests that put the profile into an AOT cache */ \
	X(calls_relieved, "calls_relieved")             /* calls with rows emptied because other receivers came */ \
	X(receivers_withdrawn, "receivers_withdrawn")   /* number of these rows */ \
	X(started_ns, "start_ns")                       /* time at the start of the VM */ \
	X(prepared_ns, "prepare_ns")                    /* time in class preparation, of all threads */ \
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
