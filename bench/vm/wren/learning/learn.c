/* SPDX-License-Identifier: Apache-2.0 */
/* Wren counts in the words of libprofarc, and acts on what an archive has. */
#include "learn_wren.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wren_vm.h"

/* CERTAIN is the certainty of a class from which a call is specialized for it. */
#define CERTAIN 0.98

/* OTHER_CLASS is the cause of a deoptimization. */
enum { OTHER_CLASS = 1 };

Learn learn;

/* ---- names ---- */

static void *needed(void *p) {
	if (p != NULL) return p;
	fputs("out of memory\n", stderr);
	exit(1);
}

/* joined returns the texts in one string, which the caller frees. */
static char *joined(const char *a, const char *b, const char *c) {
	size_t i = strlen(a), j = strlen(b), k = strlen(c);
	char *text = needed(malloc(i + j + k + 1));
	memcpy(text, a, i);
	memcpy(text + i, b, j);
	memcpy(text + i + j, c, k + 1);
	return text;
}

static const char *nameOf(const ObjModule *module) {
	return module == NULL || module->name == NULL ? "core" : module->name->value;
}

void learnDescribe(ObjFn *fn, const char *owner, bool isStatic) {
	if (learn.run != NULL) fn->learn.owner = joined(isStatic ? "static " : "", owner, "");
}

/* The key of a block is its number among the blocks of the function around it, so that it survives an added line. */
static void nameFunctions(ObjFn *fn, const char *holder, const char *id) {
	char number[16];
	int blocks = 0;
	fn->learn.holder = joined(holder, "", "");
	fn->learn.id = joined(id, "", "");
	fn->learn.calls = LEARN_LATER;
	for (int i = 0; i < fn->constants.count; i++) {
		if (!IS_FN(fn->constants.data[i])) continue;
		ObjFn *inner = AS_FN(fn->constants.data[i]);
		bool method = inner->learn.owner != NULL;
		snprintf(number, sizeof number, "%d", ++blocks);
		char *in = method ? joined(nameOf(fn->module), ".", inner->learn.owner) : joined(holder, "", "");
		char *name = method ? joined(inner->debug->name, "", "") : joined(id, " block ", number);
		nameFunctions(inner, in, name);
		free(in);
		free(name);
	}
}

void learnCompiled(ObjFn *script) {
	if (learn.run != NULL) nameFunctions(script, nameOf(script->module), "(script)");
}

/* ---- classes ---- */

/* A place of a class. A class of the same name can replace it. */
typedef struct Place {
	ObjClass *now;
} Place;

void learnLoad(ObjClass *classObj, const ObjModule *module) {
	if (learn.run == NULL || classObj->learned != NULL) return;
	char *name = joined(nameOf(module), ".", classObj->name->value);
	Place *place = needed(calloc(1, sizeof *place));
	pa_class *c = pa_load_class(learn.run, pa_text_of(name), place);
	if (c == NULL || c->own != place) free(place);
	free(name);
	if (c == NULL) return;
	((Place *)c->own)->now = classObj;
	classObj->learned = c;
	if (classObj->obj.classObj != NULL && classObj->obj.classObj != classObj) learnLoad(classObj->obj.classObj, module);
}

void learnFreeClass(ObjClass *classObj) {
	if (classObj->learned == NULL) return;
	Place *place = classObj->learned->own;
	if (place->now == classObj) place->now = NULL;
}

void learnLoadCore(WrenVM *vm) {
	ObjModule *core = AS_MODULE(wrenMapGet(vm->modules, NULL_VAL));
	for (int i = 0; i < core->variables.count; i++)
		if (IS_CLASS(core->variables.data[i])) learnLoad(AS_CLASS(core->variables.data[i]), core);
}

/* ---- the code id ---- */

/* A text that grows. */
typedef struct Text {
	char *bytes;
	size_t size, room;
} Text;

static void add(Text *t, const void *bytes, size_t n) {
	if (t->size + n > t->room) {
		t->room = 2 * (t->size + n) + 64;
		t->bytes = needed(realloc(t->bytes, t->room));
	}
	memcpy(t->bytes + t->size, bytes, n);
	t->size += n;
}

static void addName(Text *t, const ObjString *s) { add(t, s->value, s->length + 1); }

static void addConstant(Text *t, Value v) {
	if (IS_STRING(v)) addName(t, AS_STRING(v));
	else if (IS_NUM(v)) add(t, &v, sizeof v);
}

static int operandOf(const ObjFn *fn, int at) { return fn->code.data[at + 1] << 8 | fn->code.data[at + 2]; }

static bool isCall(int code) {
	return (code >= CODE_CALL_0 && code <= CODE_CALL_16) || (code >= CODE_SUPER_0 && code <= CODE_SUPER_16);
}

static int widthAt(const ObjFn *fn, int at) {
	return 1 + wrenByteCountForArguments(fn->code.data, fn->constants.data, at);
}

/* Numbers of methods and variables depend on what was compiled before, so that names replace them. */
static uint64_t codeIdOf(WrenVM *vm, const ObjFn *fn) {
	Text t = {0};
	for (int at = 0; at < fn->code.count; at += widthAt(fn, at)) {
		int code = fn->code.data[at];
		add(&t, &fn->code.data[at], 1);
		if (isCall(code)) addName(&t, vm->methodNames.data[operandOf(fn, at)]);
		else if (code == CODE_LOAD_MODULE_VAR || code == CODE_STORE_MODULE_VAR)
			addName(&t, fn->module->variableNames.data[operandOf(fn, at)]);
		else add(&t, &fn->code.data[at + 1], widthAt(fn, at) - 1);
	}
	for (int i = 0; i < fn->constants.count; i++) addConstant(&t, fn->constants.data[i]);
	uint64_t id = pa_code_id((pa_text){t.bytes, t.size});
	free(t.bytes);
	return id;
}

/* ---- functions of Wren with the same code ---- */

/* Several ObjFn can have one pa_function, if a text is compiled again. The last of them releases it. */
typedef struct Shared {
	pa_function *function;
	uint32_t users;
} Shared;

static Shared *shared;
static uint32_t sharedRoom, sharedCount;

static Shared *sharedOf(Shared *table, uint32_t room, pa_function *f) {
	uint32_t i = (uint32_t)((uintptr_t)f >> 4) * 2654435761u;
	while (table[i & (room - 1)].function != NULL && table[i & (room - 1)].function != f) i++;
	return &table[i & (room - 1)];
}

/* makeRoom doubles the table, without the entries that have no users. */
static void makeRoom(void) {
	uint32_t room = 1024, kept = 0;
	for (uint32_t i = 0; i < sharedRoom; i++) kept += shared[i].users > 0;
	while (room < 4 * kept) room *= 2;
	Shared *table = needed(calloc(room, sizeof *table));
	for (uint32_t i = 0; i < sharedRoom; i++)
		if (shared[i].users > 0) *sharedOf(table, room, shared[i].function) = shared[i];
	free(shared);
	shared = table;
	sharedRoom = room;
	sharedCount = kept;
}

static void use(pa_function *f) {
	if (2 * (sharedCount + 1) > sharedRoom) makeRoom();
	Shared *s = sharedOf(shared, sharedRoom, f);
	if (s->function == NULL) sharedCount++;
	s->function = f;
	s->users++;
}

static void useNoMore(pa_function *f) {
	Shared *s = sharedOf(shared, sharedRoom, f);
	if (--s->users == 0) pa_release(f);
}

/* ---- counting ---- */

static LearnSite *siteAt(ObjFn *fn, int at) {
	if (fn->learn.sites == NULL) {
		fn->learn.sites = needed(calloc(fn->code.count, sizeof *fn->learn.sites));
		fn->learn.base = (uintptr_t)fn->learn.sites - (uintptr_t)(fn->code.data + 3) * sizeof *fn->learn.sites;
	}
	return &fn->learn.sites[at];
}

static void useClassAt(ObjFn *fn, int at) {
	if (fn->learn.used == NULL) fn->learn.used = needed(calloc(fn->code.count, sizeof *fn->learn.used));
	fn->learn.used[fn->learn.usedCount++] = (uint32_t)at;
}

static void countAt(ObjFn *fn, int at) {
	uint8_t *code = &fn->code.data[at];
	if (*code == CODE_LOOP) *code = CODE_COUNT_LOOP;
	if (*code == CODE_JUMP_IF) {
		LearnSite *s = siteAt(fn, at);
		pa_branch_words(fn->learn.function, at, &s->taken, &s->notTaken);
		*code = CODE_COUNT_JUMP_IF;
	}
	if (*code < CODE_CALL_0 || *code > CODE_CALL_16) return;
	siteAt(fn, at);
	useClassAt(fn, at);
	*code += CODE_COUNT_CALL_0 - CODE_CALL_0;
}

static void countEverything(ObjFn *fn) {
	fn->learn.backedges = pa_backedges(fn->learn.function);
	fn->learn.receivers = needed(calloc(fn->code.count, sizeof *fn->learn.receivers));
	if (learn.audited) fn->learn.audit = needed(calloc(fn->code.count, sizeof *fn->learn.audit));
	for (int at = 0; at < fn->code.count; at += widthAt(fn, at)) countAt(fn, at);
}

static bool implements(const ObjClass *c, int symbol) {
	return symbol < c->methods.count && c->methods.data[symbol].type != METHOD_NONE;
}

/* learnMiss counts a class that the site of a call does not have, and gives the site to it if it has the method. */
void learnMiss(ObjFn *fn, const uint8_t *ip, ObjClass *classObj) {
	int at = (int)(ip - 3 - fn->code.data), symbol = operandOf(fn, at);
	LearnSite *site = &fn->learn.sites[at];
	if (classObj->learned == NULL) learnLoad(classObj, fn->module);
	if (fn->learn.receivers[at] == NULL) fn->learn.receivers[at] = pa_receivers_at(fn->learn.function, at);
	site->count = pa_count_class1(fn->learn.receivers[at], classObj->learned);
	site->classObj = NULL;
	if (site->count == NULL || !implements(classObj, symbol)) return;
	site->classObj = classObj;
	site->method = classObj->methods.data[symbol];
}

/* ---- acting on the profile ---- */

/* onlyClass returns the class that nearly all receivers of a call had, or NULL. */
static ObjClass *onlyClass(ObjFn *fn, int at) {
	const pa_class *c;
	double certainty;
	pa_receivers *r = pa_receivers_at(fn->learn.function, at);
	return pa_target(r, &c, &certainty) && certainty >= CERTAIN ? ((Place *)c->own)->now : NULL;
}

/* The specialized instructions for operators of numbers. */
static const struct {
	const char *name;
	uint8_t code;
} operators[] = {{"+(_)", CODE_NUM_ADD}, {"-(_)", CODE_NUM_SUBTRACT}, {"*(_)", CODE_NUM_MULTIPLY},
	{"/(_)", CODE_NUM_DIVIDE}, {"<(_)", CODE_NUM_LESS}, {">(_)", CODE_NUM_MORE}, {"<=(_)", CODE_NUM_AT_MOST},
	{">=(_)", CODE_NUM_AT_LEAST}, {"==(_)", CODE_NUM_EQUAL}};

static uint8_t operatorOf(const WrenVM *vm, int symbol) {
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (strcmp(vm->methodNames.data[symbol]->value, operators[i].name) == 0) return operators[i].code;
	return 0;
}

static bool isGetter(const ObjFn *getter) {
	return getter->code.count >= 3 && getter->code.data[0] == CODE_LOAD_FIELD_THIS &&
		getter->code.data[2] == CODE_RETURN;
}

/* specialize replaces a call by the code for one class, which returns to the call if another class arrives. */
static void specialize(ObjFn *fn, int at, ObjClass *c, const Method *method) {
	LearnSite *site = siteAt(fn, at);
	uint8_t *code = &fn->code.data[at], args = *code - CODE_CALL_0;
	site->classObj = c;
	site->method = *method;
	if (method->type == METHOD_BLOCK && args == 0 && isGetter(method->as.closure->fn)) {
		site->field = method->as.closure->fn->code.data[1];
		*code = CODE_GET_FIELD;
	} else *code = (method->type == METHOD_BLOCK ? CODE_CALL_BLOCK_0 : CODE_CALL_PRIMITIVE_0) + args;
	useClassAt(fn, at);
}

static void adviseAt(WrenVM *vm, ObjFn *fn, int at) {
	uint8_t *code = &fn->code.data[at];
	int symbol = operandOf(fn, at);
	if (*code < CODE_CALL_0 || *code > CODE_CALL_16) return;
	ObjClass *c = onlyClass(fn, at);
	if (c == NULL || !implements(c, symbol)) return;
	const Method *method = &c->methods.data[symbol];
	if (c == vm->numClass && operatorOf(vm, symbol) != 0) *code = operatorOf(vm, symbol);
	else if (method->type == METHOD_BLOCK || method->type == METHOD_PRIMITIVE) specialize(fn, at, c, method);
	else return;
	learn.specialized++;
}

/* learnGeneralize makes a specialized instruction a plain call, which it remains in this run. */
void learnGeneralize(ObjFn *fn, uint8_t *ip, uint8_t plain) {
	*ip = plain;
	pa_count1(pa_deopts(fn->learn.function, (int32_t)(ip - fn->code.data), OTHER_CLASS));
}

/* ---- a function ---- */

/* learnSetUp sets a function up for its first call. It returns the counter of its calls, or
 * LEARN_NOTHING. */
pa_counter *learnSetUp(WrenVM *vm, ObjFn *fn) {
	pa_key key = {pa_text_of(fn->learn.holder), pa_text_of(fn->learn.id), {"", 0}, {"", 0}};
	pa_function *f = pa_function_of(learn.run, &key, codeIdOf(vm, fn));
	fn->learn.calls = LEARN_NOTHING;
	if (f == NULL) return LEARN_NOTHING;
	use(f);
	fn->learn.function = f;
	learn.functions++;
	pa_advice advice = {.count = true};
	if (learn.advised) pa_advice_of(f, &advice);
	if (!advice.count) {
		learn.mature++;
		for (int at = 0; at < fn->code.count; at += widthAt(fn, at)) adviseAt(vm, fn, at);
		return LEARN_NOTHING;
	}
	fn->learn.calls = pa_calls(f);
	countEverything(fn);
	return fn->learn.calls;
}

/* learnGray keeps the classes of a function's sites, since another class could be allocated in place of a freed one. */
void learnGray(WrenVM *vm, ObjFn *fn) {
	for (uint32_t i = 0; i < fn->learn.usedCount; i++) {
		ObjClass *c = fn->learn.sites[fn->learn.used[i]].classObj;
		if (c != NULL) wrenGrayObj(vm, (Obj *)c);
	}
}

void learnFreeFunction(ObjFn *fn) {
	if (fn->learn.function != NULL) useNoMore(fn->learn.function);
	free(fn->learn.sites);
	free(fn->learn.receivers);
	free(fn->learn.used);
	free(fn->learn.owner);
	free(fn->learn.holder);
	free(fn->learn.id);
	free(fn->learn.audit);
}

/* ---- the audit ---- */

static uint64_t arrivalsAt(const ObjFn *fn, int at) {
	const pa_class *c;
	uint64_t count, all = pa_other_classes(fn->learn.receivers[at]);
	for (uint32_t row = 0; pa_next_class(fn->learn.receivers[at], &row, &c, &count);) all += count;
	return all;
}

static void printSite(const ObjFn *fn, int at) {
	uint8_t code = fn->code.data[at];
	uint64_t n = 0;
	const char *kind = "branch";
	if (code == CODE_COUNT_JUMP_IF) n = pa_load(fn->learn.sites[at].taken) + pa_load(fn->learn.sites[at].notTaken);
	else if (code >= CODE_COUNT_CALL_0 && code <= CODE_COUNT_CALL_16) {
		n = arrivalsAt(fn, at);
		kind = "call";
	} else return;
	fprintf(stderr, "%s\t%s\t%s\t%d\t%llu\t%llu\n", kind, fn->learn.holder, fn->learn.id, at, (unsigned long long)n,
		(unsigned long long)fn->learn.audit[at]);
}

/* learnPrint prints the counts of each function and site, with the executions that the audit counted. */
void learnPrint(WrenVM *vm) {
	for (Obj *o = vm->first; o != NULL; o = o->next) {
		ObjFn *fn = (ObjFn *)o;
		if (o->type != OBJ_FN || !LEARN_COUNTS(fn->learn.calls)) continue;
		fprintf(stderr, "calls\t%s\t%s\t0\t%llu\t%llu\n", fn->learn.holder, fn->learn.id,
			(unsigned long long)pa_load(fn->learn.calls), (unsigned long long)pa_load(fn->learn.backedges));
		for (int at = 0; at < fn->code.count; at += widthAt(fn, at)) printSite(fn, at);
	}
}
