/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a plan, which is freed all at once. */
#include "plan.h"

void *pai_memory(plan *p, uint64_t n, size_t size) {
	void *m = n > SIZE_MAX / size || p->memories == MEMORIES ? NULL : calloc(n > 0 ? (size_t)n : 1, size);
	if (m == NULL) {
		pai_no_memory(p->b);
		return NULL;
	}
	return p->memory[p->memories++] = m;
}

void pai_plan_free(plan *p) {
	for (unsigned i = 0; i < p->memories; i++) free(p->memory[i]);
	pai_empty(&p->parts);
	pai_empty(&p->bitmaps);
}
