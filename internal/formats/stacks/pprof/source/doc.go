// Package source reads the source of Go programs, as package fit compares it with profiles: for
// every function its calls, by the lines from its start.
//
// Nothing is type-checked. A call is told by the name that the source spells before its parenthesis; a
// profile's callee may be called there if its last name is that one. Calls that the source does not spell may
// be anywhere: calls of the runtime, of functions in variables and parameters, and deferred ones.
//
// Functions have the names that Go's linker gives them, without type arguments. A closure,
// which is numbered in its function, may be any of the closures that the function has.
package source
