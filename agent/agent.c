//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profarc's agent for HotSpot. It reads an archive when the VM starts. When the VM prepares a class, the agent gives
 * the class's methods the MethodData of a training run, as if they had already run in this process.
 *
 *	java -agentpath:libprofarc-agent.so=archive=app.parc ...
 *
 *	Agent_OnLoad     options, archive, the VM's tables
 *	VMInit           natives of WhiteBox; classes that are prepared already
 *	ClassPrepare     the class is linked but not initialized, so its methods do not run yet
 *	VMDeath          report
 *
 * If anything is unexpected, the agent disables itself with one line on stderr, and the program runs as without the
 * agent. docs/agent.md describes the writes and the measurements.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adopt.h"
#include "adopted.h"
#include "arrays.h"
#include "aot_cache.h"
#include "aot_record.h"
#include "attach.h"
#include "classes.h"
#include "counters.h"
#include "options.h"
#include "reasons.h"
#include "receivers.h"
#include "redefinition.h"
#include "refused.h"
#include "report.h"
#include "serve.h"
#include "compile_requests.h"
#include "since_adoption.h"
#include "summary.h"
#include "late.h"
#include "layers.h"
#include "lists.h"
#include "vm.h"
#include "watch.h"
#include "whitebox.h"

counters agent_counters;

static struct {
	options options;
	vm vm;
	layers layers;
	jvmti_env *ti;
	/* the metaspace is full, so the VM makes no MethodData any more, and its native would crash */
	bool exhausted;
	uint32_t young;  /* number of invocations from which C2 compiles */
	bool named;     /* the command line named the agent; the library is loaded once and has one state */
} agent;

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* give_up reports why nothing is adopted. */
static void give_up(const char *reason, const char *what) {
	if (!agent.options.quiet) fprintf(stderr, "profarc: no profiles adopted: %s%s\n", what == NULL ? "" : what, reason);
}

/* warn reports a feature that does not work as requested. */
static void warn(const char *what) {
	if (what != NULL && !agent.options.quiet) fprintf(stderr, "profarc: %s\n", what);
}

/* ---- methods ---- */

/* profile_of finds the profile of a method for the code in the VM. */
static bool profile_of(const layer *from, const pa_method *m, const vm_method *is, pa_profile *p) {
	uint32_t size;
	const uint8_t *code = vm_method_code(&agent.vm, is, &size);
	uint64_t id = pa_hotspot_code_id(code, size);
	pa_profiles it = pa_profiles_of(from->archive, m);
	pa_summary s;
	while (id != PA_UNKNOWN_CODE && pa_profiles_next(&it, p).code == PA_OK) {
		pa_summarize(p, &s);
		if (s.code == id && s.context == 0) return true;
	}
	return false;
}

/* scale_of returns the scale of a method's counts. trained means that the VM's cache has the method too. */
static scale scale_of(const options *o, layer_method m, bool trained) {
	enum { SHARE = 5 };
	uint32_t weight = compile_requests_mature_weight(m);
	if (trained && o->cached_weight > 0) weight = o->cached_weight;
	if (weight > 0) return (scale){weight, 0};
	return (scale){o->weight, o->weights == WEIGHTS_FLAT ? 0 : SHARE};
}

/* write_profile writes a fitting profile. */
static void write_profile(jni_env *jni, const adopter *to, const pa_method *m, const pa_profile *p) {
	scale s = scale_of(&agent.options, layer_method_of(to->from, m->at), to->trained);
	if (!adopt(&agent.vm, jni, to, p, s)) {
		COUNT(refused_memory);
		return;
	}
	COUNT(adopted);
	if (to->trained) COUNT(adopted_over_cache);
	if (to->started) COUNT(adopted_started);
	if (agent.options.record) aot_record_add(to->holder, to->method);
	/* The VM may be compiling a method that has run, and prints an error if that fails during a request. */
	if (!to->started) compile_requests_note_adopted(to->from, to->holder, m, to->method, p);
	if (agent.options.drift) since_adoption_add(to->holder, m, p, s);
}

/* refuse_layout records a method whose MethodData has other entries than the archive. */
static void refuse_layout(const pa_method *m, int32_t point) {
	COUNT(refused_layout);
	refused_add(REFUSED_LAYOUT, m, point);
}

static void keep_cached(const vm_method *is, vm_data *d, const vm_data *cached, const pa_profile *p) {
	adopt_kept(&agent.vm, d, cached);
	adopt_list_cached(&agent.vm, is, d, cached, p);
	COUNT(kept_cache);
}

/* make_profile lets the VM make a MethodData and copies the archive's profile into it. */
static void make_profile(jni_env *jni, const layer *from, const prepared *class, const pa_method *m,
	const vm_method *is, const pa_profile *p) {
	const vm *v = &agent.vm;
	int32_t point;
	vm_data *d = whitebox_make_data(v, jni, is, NULL), *cached = d == NULL ? NULL : aot_cache_read(v, d);
	bool fits = d != NULL && adopt_fits(v, d, p, &point), trained = fits && adopt_was_trained(v, d, cached, p);
	if (d == NULL) {
		COUNT(refused_memory);
		__atomic_store_n(&agent.exhausted, true, __ATOMIC_RELEASE);
	} else if (!fits) {
		if (cached != NULL) adopt_kept(v, d, cached);
		else adopt_nothing(v, d);
		refuse_layout(m, point);
	} else if (trained && cached != NULL && agent.options.cached == CACHED_KEEP) keep_cached(is, d, cached, p);
	else write_profile(jni, &(adopter){from, class, is, d, trained, false}, m, p);
	free(cached);
}

/* list_started lists the counts that come from the VM's cache, for a profile that the VM already has. */
static void list_started(const vm_method *is, vm_data *d, const pa_profile *p) {
	int32_t point;
	vm_data *cached = aot_cache_read(&agent.vm, d);
	if (cached != NULL && adopt_fits(&agent.vm, d, p, &point) && adopted_add(ADOPTED_METHOD, is, 0, 0)) {
		adopt_list_cached(&agent.vm, is, d, cached, p);
		adopted_add(ADOPTED_END, is, 0, 0);
	}
	free(cached);
}

/* keeps_own_counts reports whether a method that has run adopts nothing, because C2 may have compiled it, or because
 * its counts may come from the VM's cache. */
static bool keeps_own_counts(const vm_data *d) {
	return aot_cache_is_elsewhere() || aot_cache_holds(d) || !adopt_can_add(&agent.vm, d, agent.young);
}

static void adopt_profile(jni_env *jni, const layer *from, const prepared *class, const pa_method *m,
	const vm_method *is, const pa_profile *p) {
	vm_data *has = vm_method_data(&agent.vm, is);
	int32_t point;
	if (has != NULL && keeps_own_counts(has)) {
		COUNT(refused_started);
		list_started(is, has, p);
	} else if (has != NULL && !adopt_fits(&agent.vm, has, p, &point)) refuse_layout(m, point);
	else if (agent.options.dry) COUNT(adopted);
	else if ((has == NULL && __atomic_load_n(&agent.exhausted, __ATOMIC_ACQUIRE)) ||
		!adopted_add(ADOPTED_METHOD, is, 0, 0))
		COUNT(refused_memory);
	else {
		if (has != NULL) write_profile(jni, &(adopter){from, class, is, has, false, true}, m, p);
		else make_profile(jni, from, class, m, is, p);
		adopted_add(ADOPTED_END, is, 0, 0);
	}
}

/* ---- layers ---- */

/* Methods of a class that upper layers have answered with a profile of their code. Lower layers are not asked for
 * them. */
typedef struct answered { const vm_method **list; uint32_t n, above, room; } answered;

static bool is_answered(const answered *a, const vm_method *is) {
	for (uint32_t i = 0; i < a->above; i++)
		if (a->list[i] == is) return true;
	return false;
}

/* answer adds a method if memory permits. A method that has adopted never adopts again. */
static void answer(answered *a, const vm_method *is) {
	if (list_grow((void **)&a->list, a->n + 1, &a->room, sizeof *a->list)) a->list[a->n++] = is;
}

/* adopt_method adopts a method of the archive. If the class has it with other bytecodes than the profiles, it counts a
 * refusal for the last candidate, and returns false for others. */
static bool adopt_method(jni_env *jni, const layer *from, const prepared *class, const pa_method *m, bool last,
	answered *a) {
	pa_profile p;
	const vm_method *is = classes_method(&agent.vm, class->klass, m);
	if (is == NULL) {
		COUNT(refused_absent);
		refused_add(REFUSED_ABSENT, m, -1);
	} else if (is_answered(a, is)) return true;
	else if (profile_of(from, m, is, &p)) {
		if (from->number + 1 < agent.layers.n) answer(a, is);
		adopt_profile(jni, from, class, m, is, &p);
	} else if (last) {
		COUNT(refused_code);
		refused_add(REFUSED_CODE, m, -1);
	} else return false;
	return true;
}

/* ---- classes ---- */

/* adopt_type adopts the methods of a type in a layer. It returns their number. */
static uint64_t adopt_type(jni_env *jni, const layer *from, const prepared *class, uint32_t type, answered *a) {
	pa_class_methods it = pa_class_methods_of(from->archive, type);
	pa_method m;
	pa_error e;
	uint64_t n = 0;
	while ((e = pa_class_methods_next(&it, &m)).code == PA_OK)
		if (layer_has_profile(from, &m)) {
			adopt_method(jni, from, class, &m, true, a);
			n++;
		}
	if (e.code != PA_NOT_FOUND) COUNT(refused_damaged);
	return n;
}

/* adopt_folded adopts the methods of a class that several loaders had in training. It returns their number. */
static uint64_t adopt_folded(jni_env *jni, const layer *from, const prepared *class, folded of, answered *a) {
	pa_method m;
	uint64_t n = 0;
	bool done = false;
	for (const folded_method *f = of.list; f < of.list + of.n; f++) {
		if (!done && pa_method_at(from->archive, f->method, &m).code == PA_OK)
			done = adopt_method(jni, from, class, &m, !f->more, a);
		if (f->more) continue;
		done = false;
		n++;
	}
	return n;
}

typedef enum phase { PHASE_RECEIVER = 1, PHASE_METHODS = 2 } phase;

/* take_up processes a class in all layers. */
static void take_up(jni_env *jni, const prepared *class, const class_name *name, int phases) {
	answered a = {0};
	folded methods;
	uint64_t n = 0;
	for (const layer *t = agent.layers.list; t < agent.layers.list + agent.layers.n; t++) {
		uint32_t type = layer_find_class(t, name, &methods);
		a.above = a.n;
		if (type == PA_NO_TYPE) continue;
		if ((phases & PHASE_RECEIVER) != 0) receivers_prepared(jni, layer_type(t, type), class);
		if ((phases & PHASE_METHODS) == 0) continue;
		n += methods.n > 0 ? adopt_folded(jni, t, class, methods, &a) : adopt_type(jni, t, class, type, &a);
	}
	if (n > 0) COUNT(classes);
	free(a.list);
}

/* take_class processes a class as a receiver, and its methods too unless they may soon be replaced. */
static void take_class(jni_env *jni, jvm_ref object, int phases) {
	class_names names;
	const vm_klass *klass = whitebox_klass(&agent.vm, jni, object);
	if (klass == NULL || !classes_name(&agent.vm, agent.ti, jni, object, klass, &names)) return;
	if (redefinition_forgot(klass)) phases &= ~PHASE_METHODS;
	prepared class = {klass, object, names.name.builtin};
	if ((phases & PHASE_RECEIVER) != 0) compile_requests_note_prepared(&names.name);
	if (class.permanent && (phases & PHASE_RECEIVER) != 0) arrays_prepared(&names.name, klass);
	if ((phases & PHASE_METHODS) != 0 && !attach_is_first(klass, phases == PHASE_METHODS)) phases &= ~PHASE_METHODS;
	take_up(jni, &class, &names.name, phases);
}

static void on_class(jni_env *jni, jvm_ref object, int phases) {
	if (redefinition_is_unseen(&agent.vm)) return;
	redefinition_hold();
	if (!redefinition_is_running(jni, object)) take_class(jni, object, phases);
	redefinition_release();
}

static void look_for_arrays(jni_env *jni) {
	if (redefinition_is_unseen(&agent.vm)) return;
	redefinition_hold();
	arrays_look(jni);
	redefinition_release();
}

static void on_class_prepare(jvmti_env *ti, jni_env *jni, jvm_ref thread, jvm_ref class) {
	(void)ti;
	(void)thread;
	uint64_t begun = now();
	on_class(jni, class, PHASE_RECEIVER | PHASE_METHODS);
	look_for_arrays(jni);
	COUNT_N(prepared_ns, now() - begun);
}

/* is_prepared reports whether a loaded class has methods and was prepared. */
static bool is_prepared(jvm_ref class) {
	char *signature;
	int32_t status = 0;
	if (ti_class_status(agent.ti, class, &status) != JVM_OK || (status & TI_CLASS_PREPARED) == 0) return false;
	if (ti_class_signature(agent.ti, class, &signature) != JVM_OK) return false;
	bool array = signature[0] != 'L';
	ti_deallocate(agent.ti, signature);
	return !array;
}

enum { LOCAL_REFS = 16 }; /* guaranteed capacity for local references */

static void take_methods(jni_env *jni, jvm_ref class) { on_class(jni, class, PHASE_METHODS); }

/* adopt_loaded processes the classes that were prepared before the agent was ready. It processes all of them as
 * receivers first. It replaces profiles of a cache before the program runs. */
static void adopt_loaded(jni_env *jni, jvm_ref thread) {
	late_work w = {agent.ti, .take = take_methods, .finish = attach_end};
	int32_t n;
	if (ti_loaded_classes(agent.ti, &n, &w.classes) != JVM_OK) {
		attach_end();
		return;
	}
	if (jni_ensure_local_refs(jni, n + LOCAL_REFS) != JVM_OK && jni_exception_check(jni)) jni_exception_clear(jni);
	for (int32_t i = 0; i < n; i++)
		if (is_prepared(w.classes[i])) w.classes[w.n++] = w.classes[i];
		else jni_delete_local_ref(jni, w.classes[i]);
	for (int32_t i = 0; i < w.n; i++) on_class(jni, w.classes[i], PHASE_RECEIVER);
	arrays_begin(whitebox_class(&agent.vm, jni));
	look_for_arrays(jni);
	late_begin(jni, agent.options.cached == CACHED_REPLACE ? NULL : thread, w);
}

/* ---- the VM ---- */

static void on_init(jvmti_env *ti, jni_env *jni, jvm_ref thread) {
	uint64_t begun = now();
	const char *why = whitebox_open(&agent.vm, ti, jni);
	if (why != NULL) {
		give_up(why, NULL);
		return;
	}
	aot_cache_open(&agent.vm);
	redefinition_begin();
	if (redefinition_is_unseen(&agent.vm)) {
		give_up("an agent for Java code or a debugger may redefine classes", NULL);
		return;
	}
	const char *unasked = compile_requests_open(&agent.vm, &agent.layers, &agent.options);
	warn(unasked == NULL ? compile_requests_begin(ti, jni, thread) : unasked);
	if (agent.options.record) warn(aot_record_begin(&agent.vm, ti, jni, thread));
	warn(watch_begin(&agent.vm, &agent.options));
	attach_begin();
	ti_enable(ti, TI_ENABLE, TI_EVENT_CLASS_PREPARE);
	adopt_loaded(jni, thread);
	COUNT_N(started_ns, now() - begun);
}

/* on_exhausted is called before the VM records that the metaspace is full. The VM logs a line each time. */
static void on_exhausted(jvmti_env *ti, jni_env *jni, int32_t flags, const void *reserved, const char *text) {
	(void)jni;
	(void)flags;
	(void)reserved;
	(void)text;
	__atomic_store_n(&agent.exhausted, true, __ATOMIC_RELEASE);
	ti_enable(ti, TI_DISABLE, TI_EVENT_RESOURCE_EXHAUSTED);
}

/* expect_exhaustion requests the event if the metaspace has a limit. */
static bool expect_exhaustion(jvmti_env *ti) {
	vm_flag limit;
	if (!vm_find_flag(&agent.vm, "MaxMetaspaceSize", "MetaspaceSize", &limit)) return false;
	if (*(const uint64_t *)limit.at > UINT64_MAX / 2) return true;
	return ti_add_capability(ti, TI_CAN_TELL_EXHAUSTION) == JVM_OK &&
		ti_enable(ti, TI_ENABLE, TI_EVENT_RESOURCE_EXHAUSTED) == JVM_OK;
}

static void on_death(jvmti_env *ti, jni_env *jni) {
	(void)jni;
	ti_enable(ti, TI_DISABLE, TI_EVENT_CLASS_PREPARE);
	late_end();
	aot_record_end();
	watched seen = watch_end();
	compile_requests_end();
	summary_write(&agent.options, &agent_counters);
	if (agent.options.report != NULL) report_write(&agent.options, &agent.vm, &agent.layers, &agent_counters, &seen);
}

static int release_of(jvmti_env *ti) {
	char *text;
	if (ti_property(ti, "java.vm.specification.version", &text) != JVM_OK) return 0;
	int release = atoi(text);
	ti_deallocate(ti, text);
	return release;
}

static bool set_events(jvmti_env *ti) {
	jvm_function callbacks[TI_EVENTS] = {0};
	callbacks[0] = (jvm_function)on_init;
	callbacks[TI_EVENT_VM_DEATH - TI_EVENT_VM_INIT] = (jvm_function)on_death;
	callbacks[TI_EVENT_CLASS_PREPARE - TI_EVENT_VM_INIT] = (jvm_function)on_class_prepare;
	callbacks[TI_EVENT_RESOURCE_EXHAUSTED - TI_EVENT_VM_INIT] = (jvm_function)on_exhausted;
	return ti_set_callbacks(ti, callbacks, sizeof callbacks) == JVM_OK && expect_exhaustion(ti) &&
		ti_enable(ti, TI_ENABLE, TI_EVENT_VM_INIT) == JVM_OK && ti_enable(ti, TI_ENABLE, TI_EVENT_VM_DEATH) == JVM_OK;
}

/* unfit returns why the agent does not support a release of the JDK. According to their sources, releases between the
 * tested ones have the same tables. */
static const char *unfit(int release, const options *o) {
	enum { FIRST_RUN = 17, LAST_RUN = 25 };
	if (release < FIRST_RUN || release > LAST_RUN) return "the agent knows HotSpot of JDK 17 to 25";
	if (release == FIRST_RUN || release == LAST_RUN || o->untried) return NULL;
	return "the agent was run with JDK 17 and 25 only: the option untried has it try this one";
}

/* open_base opens the base of the archive. If that fails, the archive is adopted alone, which is correct. */
static void open_base(void) {
	const char *base = agent.options.base;
	if (base != NULL && *base == 0) return;
	pa_error e = layers_add(&agent.layers, base);
	if (e.code != PA_OK && !agent.options.quiet)
		fprintf(stderr, "profarc: only the archive is adopted, without what it left to its base%s%s: %s\n",
			base == NULL ? "" : " ", base == NULL ? "" : base, e.message);
}

/* no_use returns why profiles have no effect. C2 must be there to read them, and a lower tier to continue their
 * counts. */
static const char *no_use(const vm *v) {
	enum { PROFILING = 3 };
	vm_flag compiler;
	if (vm_find_flag(v, "UseCompiler", "UseTLAB", &compiler) && !vm_flag_is_set(v, "UseCompiler"))
		return "the VM compiles nothing (-Xint)";
	if (!vm_flag_is_set(v, "TieredCompilation")) return NULL;
	int64_t level = vm_flag_number(v, "TieredStopAtLevel");
	if (level >= 0 && level < PROFILING)
		return "the VM compiles with C1 alone (TieredStopAtLevel), which uses no profiles";
	if (level == PROFILING)
		warn("profiles have no effect, since TieredStopAtLevel=3 leaves out C2, which uses them");
	return NULL;
}

/* young_of returns the number of invocations from which C2 compiles a method. */
static uint32_t young_of(const vm *v) {
	enum { DEFAULT = 600 };
	int64_t least = vm_flag_number(v, "Tier4MinInvocationThreshold");
	return least < 0 || least > UINT32_MAX ? DEFAULT : (uint32_t)least;
}

/* load does the work before the VM starts. It returns NULL, or the reason why the agent cannot work. */
static const char *load(java_vm *java, const char **what) {
	if (vm_get_env(java, &agent.ti, JVMTI_VERSION) != JVM_OK) return "the VM has no JVMTI";
	int release = release_of(agent.ti);
	const char *why = unfit(release, &agent.options);
	if (why != NULL) return why;
	const char *missing = vm_open(&agent.vm, java, release);
	if (missing != NULL) {
		*what = "the VM does not tell what the agent needs: ";
		return missing;
	}
	const char *useless = no_use(&agent.vm);
	agent.young = young_of(&agent.vm);
	if (useless != NULL) return useless;
	pa_error e = layers_open(&agent.layers, agent.options.archive);
	if (e.code != PA_OK) {
		*what = "the archive can't be used: ";
		return e.message;
	}
	open_base();
	summary_begin(agent.ti, &agent.layers.list[0]);
	for (uint32_t i = 0; i < agent.layers.n; i++) reasons_translate(&agent.vm, &agent.layers.list[i]);
	adopted_open(&agent.layers);
	if (!receivers_open(&agent.vm, agent.layers.types) || !arrays_open(&agent.vm, &agent.layers))
		return "the process is out of memory";
	redefinition_watch(&agent.vm, java, agent.ti);
	return set_events(agent.ti) ? NULL : "the VM refuses the agent's events";
}

__attribute__((visibility("default"))) int32_t Agent_OnLoad(java_vm *java, const char *text, void *reserved);

int32_t Agent_OnLoad(java_vm *java, const char *text, void *reserved) {
	(void)reserved;
	const char *off = getenv("PROFARC_AGENT"), *what = NULL;
	options o;
	const char *wrong = options_parse(&o, text);
	if (wrong == NULL && o.serve != NULL) {
		warn(serve_at_exit(o.serve));
		if (o.archive == NULL) return JVM_OK;
	}
	if (off != NULL && strcmp(off, "off") == 0) return JVM_OK;
	if (agent.named) {
		if (!agent.options.quiet)
			fprintf(stderr, "profarc: the agent is named twice: what follows the first is ignored\n");
		return JVM_OK;
	}
	agent.named = true;
	agent.options = o;
	const char *why = wrong == NULL ? load(java, &what) : wrong;
	if (why != NULL) give_up(why, what);
	return JVM_OK;
}

__attribute__((visibility("default"))) int32_t Agent_OnAttach(java_vm *java, const char *text, void *reserved);

/* Agent_OnAttach serves the memory of a running VM. Adopting begins with the VM. */
int32_t Agent_OnAttach(java_vm *java, const char *text, void *reserved) {
	(void)reserved;
	options o;
	const char *wrong = options_parse(&o, text);
	if (wrong == NULL && o.serve == NULL) wrong = "a running VM adopts nothing: give the option serve";
	if (wrong == NULL) wrong = serve_now(o.serve, java);
	if (wrong != NULL) fprintf(stderr, "profarc: %s\n", wrong);
	return wrong == NULL ? JVM_OK : -1;
}
