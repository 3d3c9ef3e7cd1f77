/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

/* failing_call counts a call of the agent, and reports whether it fails. */
bool failing_call(bool call_of_vm);
