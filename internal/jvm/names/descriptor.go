package names

import (
	"iter"
	"strings"
)

// Pieces yields a descriptor in pieces: names of classes, for which class is true,
// and the text between them. Joined, the pieces are the descriptor.
func Pieces(descriptor string) iter.Seq2[string, bool] {
	return func(yield func(piece string, class bool) bool) {
		for descriptor != "" {
			before, rest, found := strings.Cut(descriptor, "L")
			class, rest, ended := strings.Cut(rest, ";")
			if !found || !ended {
				yield(descriptor, false)
				return
			}
			if !yield(before+"L", false) || !yield(class, true) || !yield(";", false) {
				return
			}
			descriptor = rest
		}
	}
}

// CutType cuts a descriptor after its first type. The first type of a descriptor
// that is not empty is not empty.
func CutType(descriptor string) (first, rest string) {
	at := len(descriptor) - len(strings.TrimLeft(descriptor, "["))
	length := 1
	if strings.HasPrefix(descriptor[at:], "L") {
		if length = strings.IndexByte(descriptor[at:], ';') + 1; length == 0 {
			return descriptor, ""
		}
	}
	at = min(at+length, len(descriptor))
	return descriptor[:at], descriptor[at:]
}

// IsReference reports whether a descriptor begins with the type of a class or
// array.
func IsReference(descriptor string) bool {
	return descriptor != "" && (descriptor[0] == 'L' || descriptor[0] == '[')
}
