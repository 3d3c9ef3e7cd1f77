/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons of traps. Each release of HotSpot numbers them differently, so they are translated by name. An archive lists
 * the names of its VM in the property hotspot.trap_reasons (docs/format.md).
 */
#ifndef PROFARC_AGENT_REASONS_H
#define PROFARC_AGENT_REASONS_H

#include "layers.h"
#include "vm.h"

/* reasons_translate sets the reasons of a layer. If the archive has no list and its VM is of another release, only the
 * reasons are known that all releases number alike. */
void reasons_translate(const vm *v, layer *t);

#endif
