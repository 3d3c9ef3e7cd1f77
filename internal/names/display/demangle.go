package display

import "github.com/ianlancetaylor/demangle"

// Limits of one name. A short mangled name can expand without bound.
const (
	maxMangled     = 1 << 13 // maximum length of a mangled name in bytes
	maxSpelledLog2 = 14      // binary logarithm of the maximum length of a demangled name
)

// Demangle returns the spelling of a mangled C++ or Rust name. ok is false for another name or beyond a limit.
func Demangle(mangled string) (name string, ok bool) {
	if len(mangled) > maxMangled {
		return "", false
	}
	name, err := demangle.ToString(mangled, demangle.MaxLength(maxSpelledLog2))
	return name, err == nil && len(name) < 1<<maxSpelledLog2
}
