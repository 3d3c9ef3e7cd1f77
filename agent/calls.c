//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

#include <string.h>

#include "classes.h"

/* ---- the constant pool ---- */

enum { METHODREF = 10, INVOKEVIRTUAL = 182, INVOKEINTERFACE = 185, LONGEST_CHAIN = 1 << 12 };

static const void *pool_of(const vm *v, const vm_method *m) {
	return vm_pointer(vm_pointer(m, v->method.const_method), v->const_method.constants);
}

/* slot returns a constant that is two numbers of 16 bits, or a name. */
static const void *slot(const vm *v, const void *pool, uint32_t i) { return (const char *)pool + v->pool.size + 8 * i; }

/* method_index returns the constant of a call, for its index in the pool's cache; 0 if there is none. */
static uint32_t method_index(const vm *v, const void *pool, uint32_t i) {
	const char *cache = vm_pointer(pool, v->pool.cache);
	if (cache == NULL) return 0;
	const char *list = v->cache.entries == 0 ? cache : vm_pointer(cache, v->cache.entries);
	if (list == NULL || i >= vm_u32(list, v->cache.length)) return 0;
	return vm_u16(list + v->cache.first + i * v->cache.stride, v->cache.index);
}

/* class_name_of returns the name of the class that a call's constant names. */
static const vm_symbol *class_name_of(const vm *v, const void *pool, uint32_t constant) {
	uint32_t n = vm_u32(pool, v->pool.length);
	const uint8_t *tags = (const uint8_t *)vm_pointer(pool, v->pool.tags) + v->array.bytes;
	if (constant == 0 || constant >= n || tags[constant] != METHODREF) return NULL;
	uint32_t class = vm_u16(slot(v, pool, constant), 0);
	uint32_t name = class == 0 || class >= n ? 0 : vm_u16(slot(v, pool, class), 2);
	return name == 0 || name >= n ? NULL : vm_pointer(slot(v, pool, name), 0);
}

callee calls_at(const vm *v, const vm_method *m, uint32_t bci) {
	uint32_t size;
	uint16_t index;
	const uint8_t *code = vm_method_code(v, m, &size);
	const void *pool = pool_of(v, m);
	if (bci + 3 > size) return (callee){0};
	if (code[bci] == INVOKEINTERFACE) return (callee){.kind = CALLEE_ANY};
	if (code[bci] != INVOKEVIRTUAL) return (callee){0}; /* or one that the VM has found to have one callee */
	memcpy(&index, code + bci + 1, sizeof index);
	const vm_symbol *name = class_name_of(v, pool, method_index(v, pool, index));
	return (callee){
		name == NULL ? CALLEE_UNKNOWN : CALLEE_CLASS, name, vm_klass_loader(v, vm_pointer(pool, v->pool.holder))};
}

/* ---- parents ---- */

/* sees reports whether a name means a class of one loader to the classes of another. The boot loader's own are seen by
 * all, and what a loader defines is what it finds. */
static bool sees(const void *from, const void *loader) {
	return from == loader || classes_is_boot(loader) || (classes_is_builtin(from) && classes_is_builtin(loader));
}

bool calls_class(const vm *v, const callee *c, const vm_klass *k) {
	if (c->kind != CALLEE_CLASS) return c->kind == CALLEE_ANY;
	for (int i = 0; k != NULL && i < LONGEST_CHAIN; k = vm_pointer(k, v->klass.super), i++)
		if (vm_klass_name(v, k) == c->name) return sees(c->loader, vm_klass_loader(v, k));
	return false;
}
