// Package sketch computes what the profile points of a method's code test, call
// or check, in a normal form that stays the same where the code around a point is
// edited: see layout.SketchPoint for the few bits of it that archives keep.
//
// # The normal form
//
// The code is run symbolically, block by block. Each value on the operand stack
// is an expression: an operator, what it names, and the expressions of its
// operands. A profile point is its bytecode, what that names, and the expressions
// of its operands. The place of a bytecode has no meaning.
//
//   - A condition is one of two relations, equal and less, with a sense: ifeq and
//     ifne, if_icmplt and if_icmpge, ifnull and ifnonnull are the same condition
//     with opposite senses. equal has no order of operands; a > b is b < a; a
//     constant is the right operand. The result of lcmp, fcmpl, fcmpg, dcmpl or dcmpg that
//     is compared with 0 is a comparison of its operands.
//   - The operands of sums, products and bit operations have no order.
//   - A local variable is not its number. It is all definitions and uses that data
//     flow connects. A parameter is identified by its place, another variable by
//     the expression that it is first set to.
//   - A value that comes from several blocks is all of their values, each with the
//     condition under which it comes.
//   - Constants are their text, whether a bytecode has them or the pool.
//
// Not all readers of code know its exception handlers: a block that nothing leads
// to is taken for one.
//
// # Limits
//
// The compiler invents some numbers and names, which mean something else in
// the next version: the cases of a switch over an enum or over patterns, and
// synthetic accessors. The points that depend on them are not known; neither is a
// comparison of two values that are the same expression. Code with jsr, and code
// that cannot be run, has no sketch.
package sketch
