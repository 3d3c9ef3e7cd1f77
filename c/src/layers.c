/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an archive can be a layer over another one. */
#include "internal.h"

enum { HEADER_SUM = 32 }; /* offset in the header */

pa_error pa_fits_on(const pa_archive *layer, const pa_archive *base) {
	pa_table t;
	if (layer == NULL) return pa_table_get(NULL, 0, NULL);
	pa_error e = pa_table_get(layer, PA_TABLE_BASE, &t);
	if (e.code != PA_OK && e.code != PA_NOT_FOUND) return e;
	bool named = e.code == PA_OK && t.rows > 0;
	e = pai_none();
	if (named && t.rows > 1) {
		pai_damage(layer, &e, layer->region[PA_EX].at, "a layer on several archives");
		return e;
	}
	if (base == NULL) {
		if (named) pai_fail(&e, PA_MISMATCH, "the archive is a layer on another one, which is not given");
		return e;
	}
	const uint8_t *id = base->info.dump_id;
	if (named &&
		(pa_table_cell(&t, 0, 0) != get64(id) || pa_table_cell(&t, 1, 0) != get64(id + 8) ||
			pa_table_cell(&t, 2, 0) != get64(base->bytes + HEADER_SUM))) {
		pai_fail(&e, PA_MISMATCH, "the archive is a layer on another one than that which is given");
		return e;
	}
	if (layer->info.domain != base->info.domain || memcmp(layer->info.producer_id, base->info.producer_id, 16) != 0) {
		pai_fail(&e, PA_MISMATCH, "the base of the archive is of another VM");
		return e;
	}
	return e;
}
