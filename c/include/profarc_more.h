/* SPDX-License-Identifier: Apache-2.0 */
/* Deprecated: include profarc_archive.h. The next release removes this header. */
#include "profarc_archive.h"
