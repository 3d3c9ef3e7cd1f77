/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While the agent takes up the classes that the VM has prepared already, other threads prepare more. The VM tells of
 * each class that is prepared from then on, and a class may be among the loaded ones too. Its methods are adopted once,
 * by whoever comes first; they may run meanwhile.
 */
#ifndef PROFARC_AGENT_ATTACH_H
#define PROFARC_AGENT_ATTACH_H

#include <stdbool.h>

#include "vm.h"

/* attach_begin comes before the VM tells of classes, attach_end once all that were loaded are taken up. */
void attach_begin(void);
void attach_end(void);

/* attach_is_first reports whether a class was not found the other way before: among those that were loaded, or told of
 * by the VM. */
bool attach_is_first(const vm_klass *klass, bool loaded);

#endif
