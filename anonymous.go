package profarc

import (
	"strconv"

	"github.com/profarc/profarc/layout"
)

// AnonymousKey returns the key of a function without a name, such as a closure, a lambda or the code of an eval site.
// ordinal is its number among the anonymous functions directly inside parent, from 0 in the order of the source. parent
// can be anonymous itself, and is the key of the script for functions outside any function.
//
// The key contains no line or offset, so that it survives edits elsewhere. Use CodeID of the function's own code as its
// code. If an edit renumbers functions, the key then leads to a version with other code, which the run does not use.
func AnonymousKey(parent layout.Key, ordinal int) layout.Key {
	parent.Name += "<" + strconv.Itoa(ordinal) + ">"
	return parent
}
