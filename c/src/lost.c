/* SPDX-License-Identifier: Apache-2.0 */
/* The name of what a dump omits first, for people. */
#include "build.h"

/* append adds bytes to a name and escapes control characters. A name that is too long ends with three points. */
static void append(char *name, size_t room, pa_text text) {
	static const char cut[] = "...";
	size_t n = strlen(name);
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.bytes[i];
		if (n + sizeof cut + 1 >= room) {
			memcpy(name + n, cut, sizeof cut);
			return;
		}
		if (c == 0) name[n++] = '\\';
		name[n++] = c == 0 ? '0' : c < ' ' || c == 0x7f ? '?' : (char)c;
		name[n] = 0;
	}
}

void pai_name_lost(pa_builder *b, pa_text class_name, pa_text name, pa_text signature) {
	if (b->lost[0] != 0) return;
	append(b->lost, sizeof b->lost, class_name);
	if (class_name.size > 0 && name.size > 0) append(b->lost, sizeof b->lost, (pa_text){".", 1});
	append(b->lost, sizeof b->lost, name);
	append(b->lost, sizeof b->lost, signature);
}
