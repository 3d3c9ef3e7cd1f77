/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a VM, copied and validated, and builders for its archives. */
#include "run.h"

enum { DEFAULT_ROWS = 4, MOST_ROWS = 64 };

void pai_copy_text(char **to, pa_text *text) {
	if (text->size > 0) memcpy(*to, text->bytes, text->size);
	text->bytes = *to;
	*to += text->size;
}

static size_t size_of_cells(const pa_new_cell *cells, uint32_t n, size_t *texts) {
	size_t size = n * sizeof *cells;
	for (uint32_t i = 0; i < n; i++) {
		*texts += cells[i].name.size;
		size += cells[i].bits * sizeof(pa_text);
		for (uint32_t k = 0; k < cells[i].bits; k++) *texts += cells[i].bit_names[k].size;
	}
	return size;
}

/* copy_cells appends a copy of the cells to structs, and of their strings to texts. */
static const pa_new_cell *copy_cells(const pa_new_cell *cells, uint32_t n, char **structs, char **texts) {
	pa_new_cell *to = (void *)*structs;
	if (n > 0) memcpy(to, cells, n * sizeof *cells);
	*structs += n * sizeof *cells;
	for (uint32_t i = 0; i < n; i++) {
		pa_text *names = (void *)*structs;
		pai_copy_text(texts, &to[i].name);
		if (to[i].bits > 0) memcpy(names, to[i].bit_names, to[i].bits * sizeof *names);
		*structs += to[i].bits * sizeof *names;
		for (uint32_t k = 0; k < to[i].bits; k++) pai_copy_text(texts, &names[k]);
		to[i].bit_names = names;
	}
	return to;
}

bool pai_is_given_vm(const pa_vm *vm) {
	bool given = vm != NULL && given_text(vm->name) && (vm->shapes != NULL || vm->n_shapes == 0);
	for (uint32_t i = 0; given && i < vm->n_shapes; i++) given = pai_is_given(&vm->shapes[i]);
	return given;
}

bool pai_copy_vm(pa_run *r, const pa_vm *vm) {
	size_t texts = vm->name.size, structs = vm->n_shapes * sizeof *vm->shapes;
	r->vm = *vm;
	if (r->vm.rows == 0) r->vm.rows = DEFAULT_ROWS;
	for (uint32_t i = 0; i < vm->n_shapes; i++) {
		texts += vm->shapes[i].name.size;
		structs += size_of_cells(vm->shapes[i].cells, vm->shapes[i].n, &texts);
	}
	char *at = r->memory = malloc(structs + texts + 1), *text = at + structs;
	if (at == NULL) return false;
	pa_new_shape *shapes = (void *)at;
	if (vm->n_shapes > 0) memcpy(shapes, vm->shapes, vm->n_shapes * sizeof *shapes);
	at += vm->n_shapes * sizeof *shapes;
	pai_copy_text(&text, &r->vm.name);
	for (uint32_t i = 0; i < vm->n_shapes; i++) {
		pai_copy_text(&text, &shapes[i].name);
		shapes[i].cells = copy_cells(shapes[i].cells, shapes[i].n, &at, &text);
		shapes[i].row_cells = 0;
	}
	r->vm.shapes = shapes;
	return true;
}

pa_error pai_check_vm(const pa_vm *vm, const pa_archive *a) {
	static const uint8_t none[16];
	pa_error e = pai_none();
	pa_builder *b;
	if (memcmp(vm->id, none, 16) == 0) pai_fail(&e, PA_ARGUMENT, "the VM has no id: draw one with uuidgen");
	else if (vm->rows > MOST_ROWS) pai_fail(&e, PA_ARGUMENT, "a point tells at most 64 types apart");
	for (uint32_t i = 0; i < vm->n_shapes; i++)
		if (vm->shapes[i].row_cells > 0) pai_fail(&e, PA_ARGUMENT, "the shapes of a VM have no rows");
	if (e.code != PA_OK) return e;
	e = pai_run_builder(vm, a, true, &b);
	if (e.code == PA_OK) pa_builder_free(b);
	else if (a != NULL && e.code != PA_SYSTEM) {
		e = pai_none();
		pai_fail(&e, PA_MISMATCH, "the archive has another shape of a tag or name: draw a new id, or delete the file");
	}
	return e;
}

pa_error pai_run_builder(const pa_vm *vm, const pa_archive *a, bool all, pa_builder **builder) {
	pa_config config = {.domain = PA_CUSTOM, .producer = vm->name};
	memcpy(config.producer_id, vm->id, sizeof config.producer_id);
	if (a != NULL) memcpy(config.settings, pa_info_of(a)->settings, sizeof config.settings);
	pa_builder *b;
	pa_error e = pa_builder_new(&config, &b);
	if (e.code != PA_OK) return e;
	b->receiver_rows = vm->rows;
	for (uint32_t i = 0; i < vm->n_shapes; i++) pa_declare_shape(b, &vm->shapes[i]);
	if (a != NULL && all) pai_copy_shapes(b, a);
	e = pa_builder_error(b);
	if (e.code == PA_OK) *builder = b;
	else pa_builder_free(b);
	return e;
}
