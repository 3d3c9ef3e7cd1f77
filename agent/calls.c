//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

#include <string.h>

#include "classes.h"
#include "redefinition.h"

/* ---- the constant pool ---- */

enum { METHODREF = 10, INVOKEVIRTUAL = 182, INVOKEINTERFACE = 185, LONGEST_CHAIN = 1 << 12 };

static const void *pool_of(const vm *v, const vm_method *m) {
	return vm_pointer(vm_pointer(m, v->method.const_method), v->const_method.constants);
}

/* slot returns a constant, which is two 16-bit numbers or a name. */
static const void *slot(const vm *v, const void *pool, uint32_t i) { return (const char *)pool + v->pool.size + 8 * i; }

/* method_index returns the constant of a call for its index in the pool's cache, or 0. */
static uint32_t method_index(const vm *v, const void *pool, uint32_t i) {
	const char *cache = vm_pointer(pool, v->pool.cache);
	if (cache == NULL) return 0;
	const char *list = v->cache.entries == 0 ? cache : vm_pointer(cache, v->cache.entries);
	if (list == NULL || i >= vm_u32(list, v->cache.length)) return 0;
	return vm_u16(list + v->cache.first + i * v->cache.stride, v->cache.index);
}

/* The names in a call's constant. class is NULL if the constant is not a method of a class. resolved is the class, or
 * NULL before the call runs. The class with the call keeps it loaded. */
typedef struct named { const vm_symbol *class, *name, *signature; const vm_klass *resolved; } named;

/* symbol_at returns the name in one half of a constant. */
static const vm_symbol *symbol_at(const vm *v, const void *pool, uint32_t constant, uint32_t half) {
	uint32_t n = vm_u32(pool, v->pool.length);
	uint32_t i = constant == 0 || constant >= n ? 0 : vm_u16(slot(v, pool, constant), half);
	return i == 0 || i >= n ? NULL : vm_pointer(slot(v, pool, i), 0);
}

/* resolved_class returns the resolved class of a constant. */
static const vm_klass *resolved_class(const vm *v, const void *pool, uint32_t constant) {
	const void *list = vm_pointer(pool, v->pool.resolved);
	uint32_t i = constant == 0 ? 0 : vm_u16(slot(v, pool, constant), 0);
	return constant == 0 || i >= vm_u32(list, v->array.length) ? NULL : vm_pointer(list, v->array.data + 8 * i);
}

static named named_by(const vm *v, const void *pool, uint32_t constant) {
	enum { FIRST = 0, SECOND = 2 };
	uint32_t n = vm_u32(pool, v->pool.length);
	const uint8_t *tags = (const uint8_t *)vm_pointer(pool, v->pool.tags) + v->array.bytes;
	if (constant == 0 || constant >= n || tags[constant] != METHODREF) return (named){0};
	uint32_t class = vm_u16(slot(v, pool, constant), FIRST), method = vm_u16(slot(v, pool, constant), SECOND);
	if (class >= n) return (named){0};
	return (named){symbol_at(v, pool, class, SECOND), symbol_at(v, pool, method, FIRST),
		symbol_at(v, pool, method, SECOND), resolved_class(v, pool, class)};
}

/* virtual_call returns the names in a bytecode if it is an invokevirtual. The VM rewrites calls with only one possible
 * callee to other bytecodes. */
static named virtual_call(const vm *v, const vm_method *m, uint32_t bci) {
	uint32_t size;
	uint16_t index;
	const uint8_t *code = vm_method_code(v, m, &size);
	const void *pool = pool_of(v, m);
	if (bci + 3 > size || code[bci] != INVOKEVIRTUAL) return (named){0};
	memcpy(&index, code + bci + 1, sizeof index);
	return named_by(v, pool, method_index(v, pool, index));
}

static bool is_interface_call(const vm *v, const vm_method *m, uint32_t bci) {
	uint32_t size;
	const uint8_t *code = vm_method_code(v, m, &size);
	return bci + 3 <= size && code[bci] == INVOKEINTERFACE;
}

callee calls_at(const vm *v, const vm_method *m, uint32_t bci) {
	if (is_interface_call(v, m, bci)) return (callee){.kind = CALLEE_ANY};
	const vm_symbol *class = virtual_call(v, m, bci).class;
	if (class == NULL) return (callee){0};
	return (callee){CALLEE_CLASS, class, vm_klass_loader(v, vm_pointer(pool_of(v, m), v->pool.holder))};
}

/* ---- parents ---- */

/* parent_named returns the class with a name among a class and its superclasses, or NULL. */
static const vm_klass *parent_named(const vm *v, const vm_klass *k, const vm_symbol *name) {
	for (int i = 0; k != NULL && i < LONGEST_CHAIN; k = vm_pointer(k, v->klass.super), i++)
		if (vm_klass_name(v, k) == name) return k;
	return NULL;
}

/* sees reports whether a class name resolved by the classes of loader from means the class of loader. All loaders see
 * the boot loader's classes, and a loader finds the classes that it defines. */
static bool sees(const void *from, const void *loader) {
	return from == loader || classes_is_boot(loader) || (classes_is_builtin(from) && classes_is_builtin(loader));
}

bool calls_class(const vm *v, const callee *c, const vm_klass *k) {
	if (c->kind != CALLEE_CLASS) return c->kind == CALLEE_ANY;
	k = parent_named(v, k, c->name);
	return k != NULL && sees(c->loader, vm_klass_loader(v, k));
}

/* ---- methods that no class overrides ---- */

static const vm_method *declared(const vm *v, const vm_klass *k, const named *call) {
	for (uint32_t i = 0, n = vm_methods(v, k); i < n; i++) {
		const vm_method *m = vm_method_at(v, k, i);
		if (vm_method_name(v, m) == call->name && vm_method_signature(v, m) == call->signature) return m;
	}
	return NULL;
}

/* is_closed reports whether no class overrides a method that a class declares. */
static bool is_closed(const vm *v, const vm_klass *k, const vm_method *m) {
	enum { PRIVATE = 0x2, FINAL = 0x10 };
	return (vm_u16(m, v->method.flags) & (PRIVATE | FINAL)) != 0 || (vm_u16(k, v->klass.flags) & FINAL) != 0;
}

bool calls_is_bound(const vm *v, const vm_method *m, uint32_t bci) {
	named call = virtual_call(v, m, bci);
	const vm_klass *k = call.resolved;
	for (int i = 0; k != NULL && !redefinition_forgot(k) && i < LONGEST_CHAIN; i++) {
		const vm_method *callee = declared(v, k, &call);
		if (callee != NULL) return is_closed(v, k, callee);
		k = vm_pointer(k, v->klass.super);
	}
	return false;
}
