/* SPDX-License-Identifier: Apache-2.0 */
/* The first error of a builder. */
#include "build.h"

bool pai_refuse(pa_builder *b, pa_code code, const char *message) {
	if (sound(b)) pai_fail(&b->error, code, message);
	return false;
}

bool pai_no_memory(pa_builder *b) {
	if (sound(b)) b->error = (pa_error){PA_SYSTEM, PA_HEADER, 0, ENOMEM, "no memory for what is recorded"};
	return false;
}
