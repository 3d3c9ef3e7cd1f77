/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HotSpot's structures, through the tables that libjvm.so exports for debuggers (gHotSpotVMStructs and others): where
 * the fields lie that the agent reads and writes. Nothing is assumed of a release but what the tables say; five fields
 * of MethodData that they leave out are derived from exported neighbours, as the package internal/hotspot/live does,
 * and checked.
 */
#ifndef PROFARC_AGENT_VM_H
#define PROFARC_AGENT_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jvm.h"

/* Structures of the VM, which the agent knows by address alone. */
typedef struct vm_klass vm_klass;
typedef struct vm_method vm_method;
typedef struct vm_data vm_data; /* a MethodData */
typedef struct vm_symbol vm_symbol;

/* A flag of the VM, in its memory. */
typedef struct vm_flag { void *at; uint32_t type; } vm_flag;

typedef struct vm {
	void *library; /* handle of libjvm.so */
	int release;   /* 17, 21, 25 */
	struct {
		uint32_t name, loader, super, flags, methods, init_state, arrays, higher;
	} klass; /* arrays: of a class; higher: of an array */
	struct { uint32_t klasses, next, hidden; } loader;
	struct { uint32_t data, const_method, code, flags; } method;
	struct { uint32_t constants, code_size, name, signature, size; } const_method;
	struct { uint32_t holder, length, size, tags, cache, resolved; } pool;
	struct {
		uint32_t entries;               /* of a pool's cache: where its list of calls is; 0: they follow the cache */
		uint32_t length, first, stride; /* of the list */
		uint32_t index;                 /* of a call: its constant */
	} cache;
	struct { uint32_t length, body; } symbol;
	struct { uint32_t length, data, bytes; } array;
	struct {
		uint32_t header, size, data_size, parameters, handlers; /* handlers is 0 if the release has none */
		uint32_t traps, trap_reasons, decompiles, invocations, backedges;
	} data;
	uint32_t initialized;     /* InstanceKlass::_init_state of an initialised class */
	uint32_t increment;       /* one count of an InvocationCounter */
	const bool *can_redefine; /* whether some agent may redefine classes */
	struct { const char *flags; size_t n, size; uint32_t name, at, type; } flags;
	int64_t type_rows; /* of receivers that an entry has; -1: the VM does not say */
} vm;

/* vm_open finds everything. It returns NULL, or why the VM is not one that the agent knows. */
const char *vm_open(vm *v, java_vm *java, int release);

/* vm_may_redefine reports whether agents for Java code or a debugger may redefine classes: the methods of a class and
 * what belongs to them can be freed at any time then, while a thread looks at them. */
bool vm_may_redefine(const vm *v);

/* vm_find_flag finds a flag of a type that another flag has: types are numbered differently in each release. */
bool vm_find_flag(const vm *v, const char *name, const char *like, vm_flag *flag);

/* vm_flag_is_set reports whether the VM has a flag, and it is set; vm_flag_number returns the value of an intx, -1 if
 * there is none. */
bool vm_flag_is_set(const vm *v, const char *name);
int64_t vm_flag_number(const vm *v, const char *name);

static inline uint32_t vm_u32(const void *p, uint32_t at) { return *(const uint32_t *)((const char *)p + at); }
static inline uint16_t vm_u16(const void *p, uint32_t at) { return *(const uint16_t *)((const char *)p + at); }
static inline const void *vm_pointer(const void *p, uint32_t at) {
	return __atomic_load_n((const void *const *)((const char *)p + at), __ATOMIC_ACQUIRE);
}

/* The name of a class, in the VM's modified UTF-8. */
static inline const vm_symbol *vm_klass_name(const vm *v, const vm_klass *k) { return vm_pointer(k, v->klass.name); }
static inline uint32_t vm_symbol_size(const vm *v, const vm_symbol *s) { return vm_u16(s, v->symbol.length); }
static inline const uint8_t *vm_symbol_bytes(const vm *v, const vm_symbol *s) {
	return (const uint8_t *)s + v->symbol.body;
}

/* vm_klass_loader returns the ClassLoaderData of a class. */
static inline const void *vm_klass_loader(const vm *v, const vm_klass *k) { return vm_pointer(k, v->klass.loader); }
/* vm_is_hidden reports whether a class is hidden from its loader, and may be unloaded by itself. */
static inline bool vm_is_hidden(const vm *v, const vm_klass *k) {
	return *((const uint8_t *)vm_klass_loader(v, k) + v->loader.hidden) != 0;
}

/* vm_is_initialized reports whether the initialiser of a class has run. */
static inline bool vm_is_initialized(const vm *v, const vm_klass *k) {
	return __atomic_load_n((const uint8_t *)k + v->klass.init_state, __ATOMIC_ACQUIRE) == v->initialized;
}

/* The methods of a class. */
static inline uint32_t vm_methods(const vm *v, const vm_klass *k) {
	return vm_u32(vm_pointer(k, v->klass.methods), v->array.length);
}
static inline const vm_method *vm_method_at(const vm *v, const vm_klass *k, uint32_t i) {
	return vm_pointer(vm_pointer(k, v->klass.methods), v->array.data + 8 * i);
}

/* The name and signature of a method. */
const vm_symbol *vm_method_name(const vm *v, const vm_method *m);
const vm_symbol *vm_method_signature(const vm *v, const vm_method *m);

/* vm_method_code returns a method's bytecodes, as the VM has rewritten them. */
const uint8_t *vm_method_code(const vm *v, const vm_method *m, uint32_t *size);

static inline bool vm_has_code(const vm *v, const vm_method *m) { return vm_pointer(m, v->method.code) != NULL; }
static inline vm_data *vm_method_data(const vm *v, const vm_method *m) {
	return (vm_data *)vm_pointer(m, v->method.data);
}

/* vm_method_with returns the method of a class that has a MethodData; NULL if none has: methods lose theirs when their
 * class is redefined. */
const vm_method *vm_method_with(const vm *v, const vm_klass *k, const vm_data *d);

#endif
