/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and freeing builders, and describing the archive and the run. */
#include "build.h"

enum { KNOWN_FLAGS = 3, ROWS_MOST = 64 };

/* ---- errors ---- */

pa_error pa_builder_error(const pa_builder *b) { return pai_error_of(b); }

/* ---- making and freeing ---- */

static bool check(const pa_config *c, pa_error *e) {
	static const uint8_t none[16];
	if (c->domain < PA_HOTSPOT || c->domain > PA_SAMPLED) return pai_fail(e, PA_ARGUMENT, "an unknown domain");
	if (c->domain != PA_CUSTOM && memcmp(c->producer_id, none, 16) != 0)
		return pai_fail(e, PA_ARGUMENT, "only archives of PA_CUSTOM have a producer id");
	if (c->domain == PA_CUSTOM && memcmp(c->producer_id, none, 16) == 0)
		return pai_fail(e, PA_ARGUMENT, "an archive of PA_CUSTOM without a producer id");
	if (c->producer.size > MAX_PRODUCER) return pai_fail(e, PA_TOO_LARGE, "a producer of more than 64 bytes");
	if (c->producer.size > 0 && memchr(c->producer.bytes, 0, c->producer.size) != NULL)
		return pai_fail(e, PA_ARGUMENT, "a producer has a NUL byte");
	if (c->flags & ~(uint64_t)KNOWN_FLAGS) return pai_fail(e, PA_ARGUMENT, "unknown flags");
	for (unsigned i = PA_TYPE_ROWS; i <= PA_GAP; i++)
		if (c->settings[i] > ROWS_MOST) return pai_fail(e, PA_ARGUMENT, "type rows, bci rows and gap are at most 64");
	return true;
}

pa_error pa_builder_new(const pa_config *config, pa_builder **builder) {
	pa_error e = pai_none();
	if (!pai_given(config != NULL && builder != NULL && given_text(config->producer), &e)) return e;
	if (!check(config, &e)) return e;
	pa_builder *b = calloc(1, sizeof *b);
	if (b == NULL) {
		pai_system(&e, "no memory for a builder");
		return e;
	}
	b->error = e;
	b->config = *config;
	if (config->producer.size > 0) memcpy(b->producer, config->producer.bytes, config->producer.size);
	b->config.producer.bytes = b->producer;
	b->shape.type_rows = config->settings[PA_TYPE_ROWS];
	b->shape.bci_rows = config->settings[PA_BCI_ROWS];
	b->shape.gap = config->settings[PA_GAP];
	*builder = b;
	return e;
}

pa_error pa_builder_like(const pa_archive *archive, pa_builder **builder) {
	if (archive == NULL) return pa_builder_new(NULL, builder);
	const pa_info *i = pa_info_of(archive);
	pa_config c = {.domain = i->domain, .producer = i->producer, .dump_time = i->dump_time, .flags = i->flags};
	memcpy(c.settings, i->settings, sizeof c.settings);
	memcpy(c.fingerprint, i->fingerprint, sizeof c.fingerprint);
	memcpy(c.dump_id, i->dump_id, sizeof c.dump_id);
	memcpy(c.producer_id, i->producer_id, sizeof c.producer_id);
	return pa_builder_new(&c, builder);
}

void pa_builder_free(pa_builder *b) {
	if (b == NULL) return;
	for (uint32_t i = 1; i <= COUNT(new_table, b->tables); i++) pai_empty(&ITEM(new_table, b->tables, i)->cells);
	buffer *const buffers[] = {&b->texts, &b->symbols, &b->types, &b->methods, &b->contexts, &b->profiles, &b->blocks,
		&b->tables, &b->open.entries};
	for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; i++) pai_empty(buffers[i]);
	for (unsigned i = 0; i < FIELDS; i++) pai_empty(&b->open.fields[i]);
	for (unsigned i = 0; i < DIRECTORY; i++) pai_empty(&b->open.sections[i]);
	pai_drop_shapes(b);
	free(b->symbol_index.slots);
	free(b->type_index.slots);
	free(b->method_index.slots);
	free(b->context_index.slots);
	free(b->profile_index.slots);
	free(b);
}

/* ---- the run ---- */

static bool is_zero(const uint8_t id[16]) {
	static const uint8_t zeros[16];
	return memcmp(id, zeros, 16) == 0;
}

/* pair computes a 16-byte hash of a text. The buffer must have room for one more byte. */
static void pair(uint8_t *text, size_t size, uint8_t id[16]) {
	text[size] = 0;
	uint64_t low = pai_xxh64(NULL, 0, text, size + 1);
	text[size] = 1;
	put64(id + 8, pai_xxh64(NULL, 0, text, size + 1));
	put64(id, low);
}

static void identify(pa_config *c, const pa_provenance *r) {
	uint8_t text[16 + 16 + 4 * 8 + 1];
	memcpy(text, r->boot, 16);
	memcpy(text + 16, r->since, 16);
	put64(text + 32, r->name_space);
	put64(text + 40, r->process);
	put64(text + 48, r->start);
	put64(text + 56, (uint64_t)c->dump_time);
	pair(text, sizeof text - 1, c->dump_id);
}

/* fingerprint hashes the VM and the class path. The result is zero if the content of any class path entry is
 * unknown. */
static bool fingerprint(pa_builder *b, const pa_provenance *r, uint8_t id[16]) {
	buffer vm = {0};
	if (!pai_append(b, &vm, r->vm.bytes, r->vm.size) || pai_extend(b, &vm, 1) == NULL) {
		pai_empty(&vm);
		return false;
	}
	pair(vm.bytes, r->vm.size, id);
	pai_empty(&vm);
	for (size_t i = 0; i < r->class_path_size && !is_zero(id); i++) {
		const pa_class_path *c = &r->class_path[i];
		uint8_t text[16 + 3 * 8 + 1];
		memcpy(text, id, 16);
		put64(text + 16, c->kind);
		put64(text + 24, c->size);
		put64(text + 32, c->sum);
		if (c->kind == 3) memset(id, 0, 16);
		else pair(text, sizeof text - 1, id);
	}
	return true;
}

/* class_path_id assigns the number by which rows of runs refer to a class path. */
static bool class_path_id(pa_builder *b, const pa_provenance *r, uint64_t *id) {
	buffer all = {0};
	bool ok = true;
	for (size_t i = 0; ok && i < r->class_path_size; i++) {
		const pa_class_path *c = &r->class_path[i];
		uint8_t rest[1 + 3 * 8] = {0};
		put64(rest + 1, c->kind);
		put64(rest + 9, c->size);
		put64(rest + 17, c->sum);
		ok = pai_append(b, &all, c->path.bytes, c->path.size) && pai_append(b, &all, rest, sizeof rest);
	}
	*id = r->class_path == NULL ? 0 : pai_xxh64(NULL, 0, all.bytes, all.size);
	if (r->class_path != NULL && *id == 0) *id = 1;
	pai_empty(&all);
	return ok;
}

static uint64_t optional(pa_builder *b, pa_text text) { return text.size == 0 ? 0 : pa_intern_symbol(b, text); }

static void add_class_path(pa_builder *b, const pa_provenance *r, uint64_t id) {
	static const uint8_t columns[] = {1, 1, 2, 1, 1, 1};
	if (r->class_path_size > 0) pa_declare_table(b, PA_TABLE_CLASS_PATH, 0, columns, sizeof columns);
	for (size_t i = 0; i < r->class_path_size; i++) {
		const pa_class_path *c = &r->class_path[i];
		pa_record_row(b, PA_TABLE_CLASS_PATH, (uint64_t[]){id, i, optional(b, c->path), c->kind, c->size, c->sum}, 6);
	}
}

static bool is_given(const pa_provenance *r) {
	if (r == NULL || (r->class_path == NULL && r->class_path_size > 0)) return false;
	for (size_t i = 0; i < r->class_path_size; i++)
		if (!given_text(r->class_path[i].path)) return false;
	return given_text(r->vm) && given_text(r->vendor) && given_text(r->main) && given_text(r->command) &&
		given_text(r->options) && given_text(r->selection);
}

void pa_describe_run(pa_builder *b, const pa_provenance *r) {
	static const uint8_t columns[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
	uint64_t path;
	if (!pai_take(b, is_given(r))) return;
	pa_config *c = &b->config;
	if (is_zero(c->dump_id) && !is_zero(r->boot) && c->dump_time != 0) identify(c, r);
	if (is_zero(c->fingerprint) && r->vm.size > 0 && r->class_path != NULL && !fingerprint(b, r, c->fingerprint))
		return;
	if (is_zero(c->dump_id) && !pai_draw(b, c->dump_id)) return;
	if (!class_path_id(b, r, &path)) return;
	const uint8_t *d = c->dump_id;
	pa_declare_table(b, PA_TABLE_RUNS, 0, columns, sizeof columns);
	uint64_t cells[] = {get64(d), get64(d + 8), get64(r->since), get64(r->since + 8), get64(r->boot),
		get64(r->boot + 8), r->name_space, r->process, r->start, (uint64_t)r->begun, (uint64_t)c->dump_time, r->exit,
		path, optional(b, r->vm), optional(b, r->vendor), optional(b, r->main), optional(b, r->command),
		optional(b, r->options), optional(b, r->selection)};
	pa_record_row(b, PA_TABLE_RUNS, cells, sizeof cells / sizeof *cells);
	add_class_path(b, r, path);
}
