// Package lazyregexp compiles regular expressions at their first use. A command thus starts without compiling the
// expressions of others.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles expr at its first call, and panics if expr is invalid.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
