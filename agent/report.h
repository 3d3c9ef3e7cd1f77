/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFARC_AGENT_REPORT_H
#define PROFARC_AGENT_REPORT_H

#include "counters.h"
#include "options.h"
#include "layers.h"
#include "vm.h"
#include "watch.h"

/* report_write writes the statistics as JSON, to a file, which it replaces in one step, or to stderr. A file whose name
 * ends in .prom has the text format of Prometheus. */
void report_write(const options *o, const vm *v, const layers *l, const counters *c, const watched *w);

#endif
