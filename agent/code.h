/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFARC_AGENT_CODE_H
#define PROFARC_AGENT_CODE_H

#include <stdint.h>

/*
 * code_id is the code id of bytecodes, as the VM has rewritten them or as a class file has them: the XXH64 of their normal
 * form, in which quick forms are replaced by the bytecodes of the class file, indices into the constant pool and the padding
 * of switches are left out. It is 0, not known, if a debugger has set a breakpoint in them, or they are no bytecodes. The
 * package internal/jvm/bytecode computes the same.
 */
uint64_t code_id(const uint8_t *code, uint32_t size);

#endif
