/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets of the HotSpot structures that the agent reads and writes. They come from the tables that libjvm.so exports
 * for debuggers (gHotSpotVMStructs and others). The agent assumes nothing else about a release. Five fields of
 * MethodData are not in the tables. Their offsets are derived from exported neighbors, as in the package
 * internal/hotspot/live, and checked.
 */
#ifndef PROFARC_AGENT_VM_H
#define PROFARC_AGENT_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jvm.h"
#include "profarc_archive.h"

/* Structures of the VM. The agent uses only their addresses. */
typedef struct vm_klass vm_klass;
typedef struct vm_method vm_method;
typedef struct vm_data vm_data; /* a MethodData */
typedef struct vm_symbol vm_symbol;

/* A flag of the VM, in the VM's memory. */
typedef struct vm_flag { void *at; uint32_t type; } vm_flag;

typedef struct vm {
	void *library; /* handle of libjvm.so */
	int release;   /* 17, 21, 25 */
	struct {
		uint32_t name, loader, super, flags, methods, init_state, arrays, higher;
	} klass; /* arrays is the array of a class; higher is the array of an array */
	struct { uint32_t klasses, next, hidden; } loader;
	struct { uint32_t data, const_method, code, flags; } method;
	struct { uint32_t constants, code_size, name, signature, size; } const_method;
	struct { uint32_t holder, length, size, tags, cache, resolved; } pool;
	struct {
		uint32_t entries;               /* offset of the list of calls in a pool's cache; 0 if they follow it */
		uint32_t length, first, stride; /* layout of the list */
		uint32_t index;                 /* offset of a call's constant index */
	} cache;
	struct { uint32_t length, body; } symbol;
	struct { uint32_t length, data, bytes; } array;
	struct {
		uint32_t header, size, data_size, parameters, handlers; /* handlers is 0 if the release has none */
		uint32_t traps, trap_reasons, decompiles, invocations, backedges;
	} data;
	uint32_t initialized;     /* value of InstanceKlass::_init_state for an initialized class */
	uint32_t increment;       /* value of one event in an InvocationCounter */
	const bool *can_redefine; /* whether some agent may redefine classes */
	struct { const char *flags; size_t n, size; uint32_t name, at, type; } flags;
	/* numbers of receiver rows and of return rows of an entry; -1 if the VM does not export them */
	int64_t type_rows, bci_rows;
} vm;

/* vm_open finds everything. It returns NULL, or why the agent does not support the VM. */
const char *vm_open(vm *v, java_vm *java, int release);

/* vm_trap_reason returns the VM's number of a reason of traps, or 0. */
uint8_t vm_trap_reason(const vm *v, pa_text name);

/* vm_may_redefine reports whether agents for Java code or a debugger may redefine classes. The methods of a class and
 * their data can then be freed at any time, even while a thread reads them. */
bool vm_may_redefine(const vm *v);

/* vm_find_flag finds a flag with the same type as the flag like, since type numbers differ between releases. */
bool vm_find_flag(const vm *v, const char *name, const char *like, vm_flag *flag);

/* vm_flag_is_set reports whether the VM has a flag and it is set. vm_flag_number returns the value of an intx flag, or
 * -1. */
bool vm_flag_is_set(const vm *v, const char *name);
int64_t vm_flag_number(const vm *v, const char *name);

static inline uint32_t vm_u32(const void *p, uint32_t at) { return *(const uint32_t *)((const char *)p + at); }
static inline uint16_t vm_u16(const void *p, uint32_t at) { return *(const uint16_t *)((const char *)p + at); }
static inline const void *vm_pointer(const void *p, uint32_t at) {
	return __atomic_load_n((const void *const *)((const char *)p + at), __ATOMIC_ACQUIRE);
}

/* vm_klass_name returns the name of a class, in the VM's modified UTF-8. */
static inline const vm_symbol *vm_klass_name(const vm *v, const vm_klass *k) { return vm_pointer(k, v->klass.name); }
static inline uint32_t vm_symbol_size(const vm *v, const vm_symbol *s) { return vm_u16(s, v->symbol.length); }
static inline const uint8_t *vm_symbol_bytes(const vm *v, const vm_symbol *s) {
	return (const uint8_t *)s + v->symbol.body;
}

/* vm_klass_loader returns the ClassLoaderData of a class. */
static inline const void *vm_klass_loader(const vm *v, const vm_klass *k) { return vm_pointer(k, v->klass.loader); }
/* vm_is_hidden reports whether a class is hidden, and so may be unloaded before its loader. */
static inline bool vm_is_hidden(const vm *v, const vm_klass *k) {
	return *((const uint8_t *)vm_klass_loader(v, k) + v->loader.hidden) != 0;
}

/* vm_is_initialized reports whether the initializer of a class has run. */
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

/* vm_method_code returns a method's bytecodes, as rewritten by the VM. */
const uint8_t *vm_method_code(const vm *v, const vm_method *m, uint32_t *size);

static inline bool vm_has_code(const vm *v, const vm_method *m) { return vm_pointer(m, v->method.code) != NULL; }
static inline vm_data *vm_method_data(const vm *v, const vm_method *m) {
	return (vm_data *)vm_pointer(m, v->method.data);
}

/* vm_method_with returns the method of a class with a MethodData, or NULL. Methods lose their MethodData when their
 * class is redefined. */
const vm_method *vm_method_with(const vm *v, const vm_klass *k, const vm_data *d);

#endif
