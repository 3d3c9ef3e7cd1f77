package display

import "github.com/ianlancetaylor/demangle"

// Limits of one name: a short one may stand for a text of any length.
const (
	maxMangled     = 1 << 13 // bytes
	maxSpelledLog2 = 14      // binary logarithm of bytes
)

// Demangle returns the spelling of a mangled name of C++ or Rust. ok is false if it is none, or
// if it exceeds a limit.
func Demangle(mangled string) (name string, ok bool) {
	if len(mangled) > maxMangled {
		return "", false
	}
	name, err := demangle.ToString(mangled, demangle.MaxLength(maxSpelledLog2))
	return name, err == nil && len(name) < 1<<maxSpelledLog2
}
