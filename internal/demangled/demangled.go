// Package demangled lets package naming spell the names of C++ and Rust as people write them. A program
// imports it for that effect; the library does without it, and without its dependency.
package demangled

import (
	"github.com/ianlancetaylor/demangle"

	"github.com/profarc/profarc/internal/naming"
)

func init() { naming.Demangle = Name }

// Limits of one name: a short one may stand for a text of any length.
const (
	maxMangled     = 1 << 13 // bytes
	maxSpelledLog2 = 14      // binary logarithm of bytes
)

// Name returns the spelling of a mangled name of C++ or Rust. ok is false if it is none, or
// if it exceeds a limit.
func Name(mangled string) (name string, ok bool) {
	if len(mangled) > maxMangled {
		return "", false
	}
	name, err := demangle.ToString(mangled, demangle.MaxLength(maxSpelledLog2))
	return name, err == nil && len(name) < 1<<maxSpelledLog2
}
