/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, and the regions in them. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

pa_error pai_none(void) { return (pa_error){PA_OK, PA_HEADER, 0, 0, "no error"}; }

pa_region pai_region_at(const pa_archive *a, uint64_t at) {
	pa_region r = at < HEADER ? PA_HEADER : PA_RW; /* until the header is checked, regions are unknown */
	while (r > PA_HEADER && at < a->region[r].at) r--;
	return r;
}

pa_text pa_text_of(const char *string) { return (pa_text){string, string == NULL ? 0 : strlen(string)}; }

static const char *name_of(pa_region region) {
	static const char *const names[] = {"header", "ps", "ix", "ro", "bm", "ex", "rw"};
	return (unsigned)region <= PA_RW ? names[region] : "unknown";
}

const char *pa_error_text(pa_error e, const char *path, char *buffer, size_t room) {
	const char *colon = path != NULL ? ": " : "", *more = e.code == PA_SYSTEM ? strerror(e.system) : "";
	if (path == NULL) path = "";
	if (e.message == NULL) e.message = "no error";
	if (buffer == NULL || room == 0) return buffer;
	if (e.code == PA_DAMAGED)
		snprintf(buffer, room, "%s%sregion %s, offset %llu: %s", path, colon, name_of(e.region),
			(unsigned long long)e.offset, e.message);
	else snprintf(buffer, room, "%s%s%s%s%s", path, colon, e.message, *more != 0 ? ": " : "", more);
	return buffer;
}
