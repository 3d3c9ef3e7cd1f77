/* SPDX-License-Identifier: Apache-2.0 */
/* Random ids. */
#include "build.h"

bool pai_draw(pa_builder *b, uint8_t id[16]) {
	if (pai_random(id)) return true;
	if (sound(b)) pai_system(&b->error, "the system has no random numbers for the id of a dump");
	return false;
}
