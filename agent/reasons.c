//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "reasons.h"

#include <string.h>

/* Reasons that a VM records for a bytecode. Their numbers are the same in all releases. */
enum { REASONS_OF_BYTECODES = 9 };

/* cut_name cuts the name before the next comma from a list. It drops the second meaning of a reason, after "_or_", that
 * only some VMs have. */
static pa_text cut_name(pa_text *list) {
	static const char or[] = "_or_";
	pa_text name = *list;
	const char *end = memchr(list->bytes, ',', list->size);
	name.size = end == NULL ? list->size : (size_t)(end - list->bytes);
	size_t cut = end == NULL ? name.size : name.size + 1;
	list->bytes += cut;
	list->size -= cut;
	for (size_t i = 0; i + strlen(or) < name.size; i++)
		if (memcmp(name.bytes + i, or, strlen(or)) == 0) name.size = i;
	return name;
}

/* add_list translates a list of names. Where a merged archive has several lists, a number is known if all agree. */
static void add_list(const vm *v, layer *t, pa_text list, bool first) {
	for (uint32_t i = 0; i < MOST_REASONS; i++) {
		uint8_t number = list.size == 0 ? 0 : vm_trap_reason(v, cut_name(&list));
		if (first) t->reasons[i] = number;
		else if (t->reasons[i] != number) t->reasons[i] = 0;
	}
}

void reasons_translate(const vm *v, layer *t) {
	pa_table properties;
	pa_text key, list;
	bool same = pa_info_of(t->archive)->settings[PA_VM_RELEASE] == (uint32_t)v->release, first = true;
	for (uint8_t i = 0; i < MOST_REASONS; i++) t->reasons[i] = same || i < REASONS_OF_BYTECODES ? i : 0;
	if (pa_table_get(t->archive, PA_TABLE_PROPERTIES, &properties).code != PA_OK) return;
	for (uint32_t row = 0; row < properties.rows; row++) {
		if (pa_symbol_at(t->archive, (pa_ref)pa_table_cell(&properties, 0, row), &key).code != PA_OK) return;
		if (pa_symbol_at(t->archive, (pa_ref)pa_table_cell(&properties, 1, row), &list).code != PA_OK) return;
		if (!text_is(key, "hotspot.trap_reasons")) continue;
		add_list(v, t, list, first);
		first = false;
	}
}
