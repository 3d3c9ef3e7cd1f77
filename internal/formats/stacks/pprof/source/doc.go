// Package source finds the calls in the source of Go programs, for comparison with profiles by package fit. Lines are
// relative to the start of the function.
//
// Sources are not type-checked. A call in the source matches a callee of the profile if its last identifier is the last
// name of the callee. Calls without a name in the source can be on any line. These are calls of the runtime, of
// function values, and deferred calls.
//
// Functions have the names of the linker without type arguments. The linker numbers the closures of a function. A
// closure of the profile matches any closure of this function.
package source
