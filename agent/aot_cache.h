/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The AOT cache of the VM (JEP 483, JEP 515), which JDK 25 and later map at the start. It contains the MethodData of
 * its training run. The VM takes a MethodData from the cache when it first profiles a method. whitebox_make_data makes
 * the VM do that, and resets the fields before the entries, such as counters, traps, loops and blocks. The file still
 * has their values.
 */
#ifndef PROFARC_AGENT_AOT_CACHE_H
#define PROFARC_AGENT_AOT_CACHE_H

#include "vm.h"

/* aot_cache_open finds the cache of this VM, if it has one. */
void aot_cache_open(const vm *v);

/* aot_cache_is_elsewhere reports whether the VM has a cache, but its file is not mapped. */
bool aot_cache_is_elsewhere(void);

/* aot_cache_holds reports whether a MethodData comes from the cache. */
bool aot_cache_holds(const vm_data *d);

/* aot_cache_read returns a copy of a MethodData from the file, in which addresses are relative. The caller frees it
 * with free. It returns NULL if the MethodData does not come from the cache. */
vm_data *aot_cache_read(const vm *v, const vm_data *d);

#endif
