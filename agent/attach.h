/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While the agent processes the classes that the VM has already prepared, other threads prepare more. The VM sends an
 * event for each of those, and such a class can also be in the list of loaded classes. This module makes sure that the
 * methods of a class are adopted once. They may already be running.
 */
#ifndef PROFARC_AGENT_ATTACH_H
#define PROFARC_AGENT_ATTACH_H

#include <stdbool.h>

#include "vm.h"

/* Call attach_begin before events are enabled, and attach_end after all loaded classes were processed. */
void attach_begin(void);
void attach_end(void);

/* attach_is_first reports whether a class has not yet arrived by the other way. loaded distinguishes the list of loaded
 * classes from events. */
bool attach_is_first(const vm_klass *klass, bool loaded);

#endif
