// Package sketch computes a normal form of the operations at the profile points of a method, which are conditions,
// calls and checks with their operands. The normal form survives edits around a point. Archives keep a few bits of it,
// see disk.SketchPoint.
//
// # The normal form
//
// The package executes the code symbolically, block by block. Each value on the operand stack is an expression, which
// consists of an operator, its name, and the expressions of its operands. A profile point is its bytecode, its name,
// and the expressions of its operands. The position of a bytecode has no meaning.
//
// - A condition is equal or less, with a sense. ifeq and ifne, if_icmplt and if_icmpge, and ifnull and ifnonnull are
// the same condition with opposite senses. The operands of equal have no order, a > b becomes b < a, and a constant is
// the right operand. If the result of lcmp, fcmpl, fcmpg, dcmpl or dcmpg is compared with 0, the condition compares the
// operands of that instruction.
//   - The operands of additions, products and bit operations have no order.
//
// - A local variable is the list of expressions in the definitions that reach its use, whatever its number. A parameter
// is its index. If one definition reaches the use and its expression still has the same value, the variable is that
// expression. The value may have changed if the expression calls something, or reads what the method writes.
//   - A value at the join of several blocks is all of their values, each with its condition.
//   - A constant is its text, whether it is in a bytecode or in the pool.
//
// Some sources of code do not know its exception handlers. So every block without predecessors is treated as a handler.
//
// # Limits
//
// Compilers invent some numbers and names that may mean something else in the next version. These are the cases of a
// switch over an enum or over patterns, and synthetic accessors. Points that depend on them are unknown, as is a
// comparison of two equal expressions. Code with jsr and malformed code have no sketch.
package sketch
