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

/* aot_cache_restore gives a MethodData that was just made what the cache has of it. It returns false if the MethodData
 * is none of the cache. */
bool aot_cache_restore(const vm *v, vm_data *d);

#endif
