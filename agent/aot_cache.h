/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM's own cache (JEP 483, JEP 515), which JDK 25 and later map at the start. It has the MethodData of its
 * training, and the VM takes one from there when a method is first to be profiled. whitebox_make_data has it do that,
 * and resets what the MethodData has before its entries: counters, traps, loops and blocks. The file still has them.
 */
#ifndef PROFARC_AGENT_AOT_CACHE_H
#define PROFARC_AGENT_AOT_CACHE_H

#include "vm.h"

/* aot_cache_open finds the cache of this VM, if it has one. */
void aot_cache_open(const vm *v);

/* aot_cache_is_elsewhere reports whether the VM has a cache whose file is not mapped. */
bool aot_cache_is_elsewhere(void);

/* aot_cache_read returns a MethodData as the file has it, but for addresses, which are relative there. It is freed with
 * free. NULL: the MethodData is none of the cache. */
vm_data *aot_cache_read(const vm *v, const vm_data *d);

#endif
