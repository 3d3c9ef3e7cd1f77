// Package sketch computes a normal form of the operations at the profile points of a
// method: the conditions, calls and checks with their operands. It stays the same if the
// code around a point is edited. Archives keep a few bits of it: see disk.SketchPoint.
//
// # The normal form
//
// The code is executed symbolically, block by block. Each value on the operand stack is an expression: an
// operator, its name, and the expressions of its operands. A profile point is its bytecode, its name, and the
// expressions of its operands. The place of a bytecode has no meaning.
//
//   - A condition is one of two relations, equal and less, with a sense: ifeq and
//     ifne, if_icmplt and if_icmpge, ifnull and ifnonnull are the same condition
//     with opposite senses. equal has no order of operands; a > b is b < a; a
//     constant is the right operand. The result of lcmp, fcmpl, fcmpg, dcmpl or dcmpg that
//     is compared with 0 is a comparison of its operands.
//   - The operands of sums, products and bit operations have no order.
//   - A local variable is the expressions that it is set to by the definitions that reach
//     its use, whatever its number; a parameter is its place. If one definition reaches
//     the use, and its expression has the same value still, the variable is that
//     expression. It has not if it calls something, or reads what the method writes.
//   - A value at the join of several blocks is all of their values, each with its
//     condition.
//   - Constants are their text, whether they are in a bytecode or in the pool.
//
// Not all sources of code know its exception handlers: a block without predecessors is treated as a handler.
//
// # Limits
//
// The compiler invents some numbers and names, which may have another meaning in the next version: the cases
// of a switch over an enum or over patterns, and synthetic accessors. Points that depend on them are unknown,
// and so is a comparison of two equal expressions. Code with jsr and unsound code have no sketch.
package sketch
