//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "vm.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* A lookup in the VM's tables. It keeps the first name that is missing or has an impossible value. */
typedef struct lookup { void *library; const char *missing; } lookup;

/* exported returns the value of a variable of libjvm.so. */
static uint64_t exported(lookup *l, const char *name) {
	const uint64_t *p = dlsym(l->library, name);
	if (p == NULL && l->missing == NULL) l->missing = name;
	return p == NULL ? 0 : *p;
}

/* ---- the tables ---- */

typedef struct field { bool is_static; uint64_t offset; void *address; } field;

static const char *text_at(const char *row, uint64_t column) { return *(const char *const *)(row + column); }

static bool find_field(lookup *l, const char *type, const char *name, field *f) {
	uint64_t stride = exported(l, "gHotSpotVMStructEntryArrayStride"),
			 types = exported(l, "gHotSpotVMStructEntryTypeNameOffset");
	uint64_t names = exported(l, "gHotSpotVMStructEntryFieldNameOffset"),
			 statics = exported(l, "gHotSpotVMStructEntryIsStaticOffset");
	uint64_t offsets = exported(l, "gHotSpotVMStructEntryOffsetOffset"),
			 addresses = exported(l, "gHotSpotVMStructEntryAddressOffset");
	const char *row = (const char *)(uintptr_t)exported(l, "gHotSpotVMStructs");
	if (l->missing != NULL || row == NULL || stride == 0) return false;
	for (; text_at(row, types) != NULL; row += stride) {
		if (strcmp(text_at(row, types), type) != 0 || strcmp(text_at(row, names), name) != 0) continue;
		*f = (field){*(const int32_t *)(row + statics) != 0, *(const uint64_t *)(row + offsets),
			*(void *const *)(row + addresses)};
		return true;
	}
	return false;
}

static uint64_t size_of(lookup *l, const char *type) {
	uint64_t stride = exported(l, "gHotSpotVMTypeEntryArrayStride"),
			 names = exported(l, "gHotSpotVMTypeEntryTypeNameOffset");
	uint64_t sizes = exported(l, "gHotSpotVMTypeEntrySizeOffset");
	const char *row = (const char *)(uintptr_t)exported(l, "gHotSpotVMTypes");
	if (l->missing != NULL || row == NULL || stride == 0) return 0;
	for (; text_at(row, names) != NULL; row += stride)
		if (strcmp(text_at(row, names), type) == 0) return *(const uint64_t *)(row + sizes);
	l->missing = type;
	return 0;
}

/* constant returns an exported constant, or otherwise if the VM does not export it. */
static int32_t constant(lookup *l, const char *name, int32_t otherwise) {
	uint64_t stride = exported(l, "gHotSpotVMIntConstantEntryArrayStride"),
			 names = exported(l, "gHotSpotVMIntConstantEntryNameOffset");
	uint64_t values = exported(l, "gHotSpotVMIntConstantEntryValueOffset");
	const char *row = (const char *)(uintptr_t)exported(l, "gHotSpotVMIntConstants");
	if (l->missing != NULL || row == NULL || stride == 0) return otherwise;
	for (; text_at(row, names) != NULL; row += stride)
		if (strcmp(text_at(row, names), name) == 0) return *(const int32_t *)(row + values);
	return otherwise;
}

/* offset_of returns the offset of a field of width bytes. It checks that the field is inside its structure. */
static uint32_t offset_of(lookup *l, const char *type, const char *name, uint32_t width) {
	field f;
	uint64_t size = size_of(l, type);
	bool found = find_field(l, type, name, &f) && !f.is_static && f.offset + width <= size && f.offset % width == 0;
	if (!found && l->missing == NULL) l->missing = name;
	return found ? (uint32_t)f.offset : 0;
}

static void *static_of(lookup *l, const char *type, const char *name) {
	field f;
	bool found = find_field(l, type, name, &f) && f.is_static && f.address != NULL;
	if (!found && l->missing == NULL) l->missing = name;
	return found ? f.address : NULL;
}

/* ---- the structures ---- */

enum { POINTER = 8, INT = 4, SHORT = 2, BYTE = 1 };

static void find_classes(vm *v, lookup *l) {
	v->klass.name = offset_of(l, "Klass", "_name", POINTER);
	v->klass.loader = offset_of(l, "Klass", "_class_loader_data", POINTER);
	v->klass.super = offset_of(l, "Klass", "_super", POINTER);
	v->klass.flags = offset_of(l, "Klass", "_access_flags", SHORT);
	v->klass.methods = offset_of(l, "InstanceKlass", "_methods", POINTER);
	v->klass.arrays = offset_of(l, "InstanceKlass", "_array_klasses", POINTER);
	v->klass.higher = offset_of(l, "ArrayKlass", "_higher_dimension", POINTER);
	v->klass.init_state = offset_of(l, "InstanceKlass", "_init_state", BYTE);
	v->initialized = (uint32_t)constant(l, "InstanceKlass::fully_initialized", 4);
	v->loader.hidden = offset_of(l, "ClassLoaderData", "_has_class_mirror_holder", BYTE);
	v->loader.klasses = offset_of(l, "ClassLoaderData", "_klasses", POINTER);
	v->loader.next = offset_of(l, "Klass", "_next_link", POINTER);
	v->symbol.length = offset_of(l, "Symbol", "_length", SHORT);
	v->symbol.body = offset_of(l, "Symbol", "_body[0]", BYTE);
	v->array.length = offset_of(l, "Array<int>", "_length", INT);
	v->array.data = offset_of(l, "Array<Method*>", "_data", POINTER);
	v->array.bytes = offset_of(l, "Array<u1>", "_data", BYTE);
	v->can_redefine = static_of(l, "JvmtiExport", "_can_hotswap_or_post_breakpoint");
}

static void find_methods(vm *v, lookup *l) {
	v->method.data = offset_of(l, "Method", "_method_data", POINTER);
	v->method.const_method = offset_of(l, "Method", "_constMethod", POINTER);
	v->method.code = offset_of(l, "Method", "_code", POINTER);
	v->method.flags = offset_of(l, "Method", "_access_flags", SHORT);
	v->const_method.constants = offset_of(l, "ConstMethod", "_constants", POINTER);
	v->const_method.code_size = offset_of(l, "ConstMethod", "_code_size", SHORT);
	v->const_method.name = offset_of(l, "ConstMethod", "_name_index", SHORT);
	v->const_method.signature = offset_of(l, "ConstMethod", "_signature_index", SHORT);
	v->const_method.size = (uint32_t)size_of(l, "ConstMethod");
	v->pool.holder = offset_of(l, "ConstantPool", "_pool_holder", POINTER);
	v->pool.length = offset_of(l, "ConstantPool", "_length", INT);
	v->pool.size = (uint32_t)size_of(l, "ConstantPool");
	v->pool.tags = offset_of(l, "ConstantPool", "_tags", POINTER);
	v->pool.cache = offset_of(l, "ConstantPool", "_cache", POINTER);
	v->pool.resolved = offset_of(l, "ConstantPool", "_resolved_klasses", POINTER);
}

/* find_cache finds the cache of a constant pool. Newer releases keep calls in a separate list. */
static void find_cache(vm *v, lookup *l) {
	field f;
	if (find_field(l, "ResolvedMethodEntry", "_cpool_index", &f)) {
		v->cache.entries = offset_of(l, "ConstantPoolCache", "_resolved_method_entries", POINTER);
		v->cache.length = v->array.length;
		v->cache.first = offset_of(l, "Array<ResolvedMethodEntry>", "_data", INT);
		v->cache.stride = (uint32_t)size_of(l, "ResolvedMethodEntry");
		v->cache.index = offset_of(l, "ResolvedMethodEntry", "_cpool_index", SHORT);
		return;
	}
	v->cache.length = offset_of(l, "ConstantPoolCache", "_length", INT);
	v->cache.first = (uint32_t)size_of(l, "ConstantPoolCache");
	v->cache.stride = (uint32_t)size_of(l, "ConstantPoolCacheEntry");
	v->cache.index =
		offset_of(l, "ConstantPoolCacheEntry", "_indices", POINTER); /* low half of a little-endian word */
}

enum { FIRST_WITH_HANDLERS = 22 }; /* release number */

/* find_data finds the fields of MethodData. The two InvocationCounters are 16 bytes before _tenure_traps. */
static void find_data(vm *v, lookup *l) {
	uint32_t tenure = offset_of(l, "MethodData", "_tenure_traps", INT);
	v->data.header = offset_of(l, "MethodData", "_data[0]", POINTER);
	v->data.size = offset_of(l, "MethodData", "_size", INT);
	v->data.data_size = offset_of(l, "MethodData", "_data_size", INT);
	v->data.parameters = offset_of(l, "MethodData", "_parameters_type_data_di", INT);
	v->data.handlers = v->release >= FIRST_WITH_HANDLERS ? v->data.parameters + INT : 0;
	v->data.decompiles = offset_of(l, "MethodData", "_compiler_counters._nof_decompiles", INT);
	v->data.traps = offset_of(l, "MethodData", "_compiler_counters._trap_hist._array[0]", BYTE);
	v->data.trap_reasons = v->data.decompiles + (uint32_t)size_of(l, "MethodData::CompilerCounters") - v->data.traps;
	v->data.invocations = tenure - 16;
	v->data.backedges = tenure - 12;
	v->increment = (uint32_t)constant(l, "InvocationCounter::count_increment", 2);
	bool sound = v->data.traps + v->data.trap_reasons <= v->data.invocations && tenure >= 16 &&
		v->data.backedges + INT <= v->data.header;
	if (v->data.handlers != 0) sound = sound && v->data.handlers + INT <= v->data.header;
	if (!sound && l->missing == NULL) l->missing = "the fields of MethodData in their order";
}

static void find_flags(vm *v, lookup *l) {
	const char *const *flags = static_of(l, "JVMFlag", "flags");
	const size_t *n = static_of(l, "JVMFlag", "numFlags");
	v->flags.name = offset_of(l, "JVMFlag", "_name", POINTER);
	v->flags.at = offset_of(l, "JVMFlag", "_addr", POINTER);
	v->flags.type = offset_of(l, "JVMFlag", "_type", INT);
	v->flags.size = size_of(l, "JVMFlag");
	if (flags != NULL && n != NULL) {
		v->flags.flags = *flags;
		v->flags.n = *n;
	}
}

static bool row_of_flag(const vm *v, const char *name, vm_flag *flag) {
	for (size_t i = 0; i < v->flags.n; i++) {
		const char *row = v->flags.flags + i * v->flags.size, *is = text_at(row, v->flags.name);
		if (is == NULL || strcmp(is, name) != 0) continue;
		*flag = (vm_flag){(void *)vm_pointer(row, v->flags.at), vm_u32(row, v->flags.type)};
		return flag->at != NULL;
	}
	return false;
}

bool vm_find_flag(const vm *v, const char *name, const char *like, vm_flag *flag) {
	vm_flag model;
	return row_of_flag(v, name, flag) && row_of_flag(v, like, &model) && flag->type == model.type;
}

bool vm_flag_is_set(const vm *v, const char *name) {
	vm_flag flag;
	return vm_find_flag(v, name, "UseTLAB", &flag) && *(const uint8_t *)flag.at != 0;
}

int64_t vm_flag_number(const vm *v, const char *name) {
	vm_flag flag;
	return vm_find_flag(v, name, "Tier3DelayOn", &flag) ? *(const int64_t *)flag.at : -1;
}

uint8_t vm_trap_reason(const vm *v, pa_text name) {
	lookup l = {.library = v->library};
	char full[128];
	int n = snprintf(full, sizeof full, "Deoptimization::Reason_%.*s", (int)name.size, name.bytes);
	int32_t number = n < (int)sizeof full ? constant(&l, full, 0) : 0;
	return number > 0 && number <= UINT8_MAX ? (uint8_t)number : 0;
}

const char *vm_open(vm *v, java_vm *java, int release) {
	Dl_info info;
	lookup l = {0};
	if (dladdr((void *)(uintptr_t)java->functions[VM_GET_ENV], &info) == 0) return "libjvm.so is not found";
	l.library = v->library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (l.library == NULL) return "libjvm.so is not found";
	v->release = release;
	find_classes(v, &l);
	find_methods(v, &l);
	find_cache(v, &l);
	find_data(v, &l);
	find_flags(v, &l);
	v->type_rows = vm_flag_number(v, "TypeProfileWidth");
	v->bci_rows = vm_flag_number(v, "BciProfileWidth");
	return l.missing;
}

/* ---- redefinition ---- */

/* The state of the process's libraries when loaded libraries had been loaded in total. */
typedef struct libraries { unsigned long long loaded; bool begun, redefine; } libraries;

static unsigned long long looked_at;
static bool redefine;

static bool ends(const char *text, const char *end) {
	size_t n = strlen(text), m = strlen(end);
	return n >= m && strcmp(text + n - m, end) == 0;
}

static int look(struct dl_phdr_info *info, size_t size, void *state) {
	libraries *l = state;
	(void)size;
	if (!l->begun && info->dlpi_adds == __atomic_load_n(&looked_at, __ATOMIC_ACQUIRE)) return 1;
	l->begun = true;
	l->loaded = info->dlpi_adds;
	l->redefine |= ends(info->dlpi_name, "/libinstrument.so") || ends(info->dlpi_name, "/libjdwp.so");
	return 0;
}

/* The VM's flag alone is not enough, since some releases always set it. */
bool vm_may_redefine(const vm *v) {
	libraries l = {0};
	if (!*v->can_redefine || __atomic_load_n(&redefine, __ATOMIC_ACQUIRE)) return *v->can_redefine;
	dl_iterate_phdr(look, &l);
	if (l.redefine) __atomic_store_n(&redefine, true, __ATOMIC_RELEASE);
	if (l.begun) __atomic_store_n(&looked_at, l.loaded, __ATOMIC_RELEASE);
	return l.redefine;
}

/* ---- methods ---- */

/* symbol_of returns the symbol at an index of the constant pool. */
static const vm_symbol *symbol_of(const vm *v, const vm_method *m, uint32_t index) {
	const void *pool = vm_pointer(vm_pointer(m, v->method.const_method), v->const_method.constants);
	return vm_pointer(pool, v->pool.size + 8 * index);
}

const vm_symbol *vm_method_name(const vm *v, const vm_method *m) {
	return symbol_of(v, m, vm_u16(vm_pointer(m, v->method.const_method), v->const_method.name));
}

const vm_symbol *vm_method_signature(const vm *v, const vm_method *m) {
	return symbol_of(v, m, vm_u16(vm_pointer(m, v->method.const_method), v->const_method.signature));
}

const uint8_t *vm_method_code(const vm *v, const vm_method *m, uint32_t *size) {
	const uint8_t *c = vm_pointer(m, v->method.const_method);
	*size = vm_u16(c, v->const_method.code_size);
	return c + v->const_method.size;
}

const vm_method *vm_method_with(const vm *v, const vm_klass *k, const vm_data *d) {
	for (uint32_t i = 0, n = vm_methods(v, k); i < n; i++) {
		const vm_method *m = vm_method_at(v, k, i);
		if (vm_method_data(v, m) == d) return m;
	}
	return NULL;
}
