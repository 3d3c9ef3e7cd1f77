//go:build ignore
/* SPDX-License-Identifier: Apache-2.0 */
#include "classes.h"

#include <stdio.h>
#include <string.h>

/* ---- modified UTF-8 ---- */

/* In a class file a NUL has two bytes, and a character above U+FFFF is two surrogates of three bytes each. Archives
 * have UTF-8. */
static bool is_surrogate(const uint8_t *p, uint32_t n) { return n >= 3 && p[0] == 0xed && (p[1] & 0xe0) == 0xa0; }
static uint32_t surrogate(const uint8_t *p) { return (uint32_t)(p[1] & 0x1f) << 6 | (p[2] & 0x3f); }

/* pair converts two surrogates to one character. It returns 0 if they are not a pair. */
static uint32_t pair(const uint8_t *p, uint32_t n, char *out) {
	if (n < 6 || !is_surrogate(p, n) || !is_surrogate(p + 3, n - 3) || surrogate(p) >= 0x400 ||
		surrogate(p + 3) < 0x400)
		return 0;
	uint32_t c = 0x10000 + (surrogate(p) << 10 | (surrogate(p + 3) & 0x3ff));
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* is_plain reports whether bytes are the same in both encodings. */
static bool is_plain(const uint8_t *p, uint32_t n) { return memchr(p, 0xed, n) == NULL && memchr(p, 0xc0, n) == NULL; }

/* text_of returns the text of a symbol, in the VM's memory or converted into a buffer of LONGEST_NAME bytes. */
static bool text_of(const vm *v, const vm_symbol *s, char *buffer, pa_text *text) {
	const uint8_t *p = vm_symbol_bytes(v, s);
	uint32_t n = vm_symbol_size(v, s), out = 0;
	*text = (pa_text){(const char *)p, n};
	if (is_plain(p, n)) return n > 0;
	if (n > LONGEST_NAME) return false;
	for (uint32_t at = 0; at < n;) {
		if (p[at] == 0xc0) return false; /* a NUL, which no name in an archive contains */
		uint32_t written = pair(p + at, n - at, buffer + out);
		if (written == 0) buffer[out++] = (char)p[at++];
		else {
			out += written;
			at += 6;
		}
	}
	*text = (pa_text){buffer, out};
	return true;
}

bool classes_symbol(const vm *v, const vm_symbol *s, pa_text name) {
	const uint8_t *p = vm_symbol_bytes(v, s);
	uint32_t n = vm_symbol_size(v, s);
	if (is_plain(p, n)) return n == name.size && memcmp(p, name.bytes, n) == 0;
	char buffer[LONGEST_NAME];
	pa_text text;
	return text_of(v, s, buffer, &text) && text.size == name.size && memcmp(text.bytes, name.bytes, text.size) == 0;
}

const vm_method *classes_method(const vm *v, const vm_klass *k, const pa_method *m) {
	if (m->key.signature.bytes == NULL) return NULL; /* a list, which archives of HotSpot do not have */
	for (uint32_t i = 0, n = vm_methods(v, k); i < n; i++) {
		const vm_method *is = vm_method_at(v, k, i);
		if (classes_symbol(v, vm_method_name(v, is), m->key.name) &&
			classes_symbol(v, vm_method_signature(v, is), m->key.signature))
			return is;
	}
	return NULL;
}

/* ---- loaders ---- */

/* The ClassLoaderData of each built-in loader, once one of its classes was prepared. They are never freed. */
static const void *builtin[3];
static const char *const identities[3] = {"", "platform", "app"};
static const char *const builtin_classes[3] = {
	"", "Ljdk/internal/loader/ClassLoaders$PlatformClassLoader;", "Ljdk/internal/loader/ClassLoaders$AppClassLoader;"};

static bool known_builtin(const void *data, class_name *name) {
	for (int i = 0; i < 3; i++) {
		if (__atomic_load_n(&builtin[i], __ATOMIC_RELAXED) != data) continue;
		name->loader = pa_text_of(identities[i]);
		name->builtin = true;
		return true;
	}
	return false;
}

bool classes_is_boot(const void *data) { return __atomic_load_n(&builtin[0], __ATOMIC_RELAXED) == data; }

bool classes_is_builtin(const void *data) {
	for (int i = 0; i < 3; i++)
		if (__atomic_load_n(&builtin[i], __ATOMIC_RELAXED) == data) return data != NULL;
	return false;
}

/* add_builtin records the ClassLoaderData of a built-in loader. A loader has one during the whole life of the VM. The
 * first value is kept, because a later one could have been read while the VM changed the class. */
static bool add_builtin(int i, const void *data, class_name *name) {
	const void *known = NULL;
	if (!__atomic_compare_exchange_n(&builtin[i], &known, data, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
		known != data)
		return false;
	name->loader = pa_text_of(identities[i]);
	name->builtin = true;
	return true;
}

/* base_loader returns java.lang.ClassLoader by following the superclasses of a loader's class. A lookup by name would
 * call the loader of the running code, which is program code and might wait for this thread. */
static jvm_ref base_loader(jvmti_env *ti, jni_env *jni, jvm_ref kind) {
	jvm_ref class = jni_new_local_ref(jni, kind);
	while (class != NULL) {
		char *signature;
		if (ti_class_signature(ti, class, &signature) != JVM_OK) break;
		bool found = strcmp(signature, "Ljava/lang/ClassLoader;") == 0;
		ti_deallocate(ti, signature);
		if (found) return class;
		jvm_ref parent = jni_get_superclass(jni, class);
		jni_delete_local_ref(jni, class);
		class = parent;
	}
	if (class != NULL) jni_delete_local_ref(jni, class);
	return NULL;
}

/* name_field returns the field with a loader's name. */
static void *name_field(jvmti_env *ti, jni_env *jni, jvm_ref kind) {
	static void *known;
	void *field = __atomic_load_n(&known, __ATOMIC_RELAXED);
	if (field != NULL) return field;
	jvm_ref base = base_loader(ti, jni, kind);
	if (base == NULL) return NULL;
	field = jni_get_field(jni, base, "name", "Ljava/lang/String;");
	jni_delete_local_ref(jni, base);
	__atomic_store_n(&known, field, __ATOMIC_RELAXED);
	return field;
}

/* given_name reads the name that the program gave a loader, "" if it gave none. */
static bool given_name(jvmti_env *ti, jni_env *jni, jvm_ref loader, jvm_ref kind, char *out, size_t room) {
	enum { LONGEST_GIVEN = 200 }; /* an archive omits longer ones */
	void *field = name_field(ti, jni, kind);
	jvm_ref string = field == NULL ? NULL : jni_get_object_field(jni, loader, field);
	const char *text = string == NULL ? NULL : jni_get_string(jni, string);
	bool ok = text == NULL || strlen(text) < room;
	*out = 0;
	if (ok && text != NULL && strlen(text) <= LONGEST_GIVEN) strcpy(out, text);
	if (text != NULL) jni_release_string(jni, string, text);
	if (string != NULL) jni_delete_local_ref(jni, string);
	if (jni_exception_check(jni)) jni_exception_clear(jni);
	return ok;
}

/* other_loader writes the identity of a program's loader, which is its class and its name in brackets. */
static bool other_loader(
	jvmti_env *ti, jni_env *jni, jvm_ref loader, jvm_ref kind, const char *signature, class_names *n) {
	char given[256];
	size_t size = strlen(signature);
	if (size < 3 || !given_name(ti, jni, loader, kind, given, sizeof given)) return false;
	int length = snprintf(
		n->loader_text, sizeof n->loader_text, *given == 0 ? "%.*s" : "%.*s[%s]", (int)size - 2, signature + 1, given);
	n->name.loader = (pa_text){n->loader_text, (size_t)length};
	n->name.builtin = false;
	return length > 0 && (size_t)length < sizeof n->loader_text;
}

static bool loader_of(jvmti_env *ti, jni_env *jni, jvm_ref class, const void *data, class_names *n) {
	jvm_ref loader;
	char *signature = NULL;
	if (ti_class_loader(ti, class, &loader) != JVM_OK) return false;
	if (loader == NULL) return add_builtin(0, data, &n->name);
	jvm_ref kind = jni_get_object_class(jni, loader);
	bool ok = ti_class_signature(ti, kind, &signature) == JVM_OK;
	if (ok && strcmp(signature, builtin_classes[1]) == 0) ok = add_builtin(1, data, &n->name);
	else if (ok && strcmp(signature, builtin_classes[2]) == 0) ok = add_builtin(2, data, &n->name);
	else ok = ok && other_loader(ti, jni, loader, kind, signature, n);
	if (signature != NULL) ti_deallocate(ti, signature);
	jni_delete_local_ref(jni, kind);
	jni_delete_local_ref(jni, loader);
	return ok;
}

bool classes_name(const vm *v, jvmti_env *ti, jni_env *jni, jvm_ref class, const vm_klass *klass, class_names *n) {
	const void *data = vm_klass_loader(v, klass);
	if (vm_is_hidden(v, klass) || !text_of(v, vm_klass_name(v, klass), n->class_text, &n->name.name)) return false;
	return known_builtin(data, &n->name) || loader_of(ti, jni, class, data, n);
}
