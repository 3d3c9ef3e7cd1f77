/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, and the regions that they name. */
#include "internal.h"

#include <string.h>

pa_error pai_none(void) { return (pa_error){PA_OK, PA_HEADER, 0, 0, "no error"}; }

pa_region pai_region_at(const pa_archive *a, uint64_t at) {
	pa_region r = PA_RW;
	while (r > PA_HEADER && at < a->region[r].at) r--;
	return r;
}

pa_text pa_text_of(const char *string) { return (pa_text){string, strlen(string)}; }
