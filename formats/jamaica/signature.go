package jamaica

import "strings"

// interpretedMark is glued to the signature of a method whose cycles were spent
// in the interpreter.
const interpretedMark = "(interpreted)"

// cutMark takes the mark off a signature. A mark can only be told where the
// signature is whole; it may be cut short itself.
func cutMark(text string) (signature, mark string) {
	end := descriptorEnd(text)
	if end < 0 || end == len(text) || text[end] != '(' {
		return text, ""
	}
	return text[:end], text[end:]
}

// Unmarked is the signature of a method as a line of cycles spells it, without
// the mark of the interpreter or the beginning of one.
func Unmarked(text string) string {
	if signature, mark := cutMark(text); isInterpreted(mark) {
		return signature
	}
	return text
}

// isInterpreted reports whether text is the mark of the interpreter, or the
// beginning of it.
func isInterpreted(text string) bool { return text != "" && strings.HasPrefix(interpretedMark, text) }

// isWhole reports whether a signature is not cut short.
func isWhole(signature string) bool { return descriptorEnd(signature) == len(signature) }

// descriptorEnd is where the descriptor of a method ends, -1 if it does not.
func descriptorEnd(text string) int {
	at := strings.IndexByte(text, '(')
	if at <= 0 {
		return -1
	}
	for at++; at < len(text) && text[at] != ')'; {
		if at = typeEnd(text, at); at < 0 {
			return -1
		}
	}
	if at++; at < len(text) && text[at] == 'V' {
		return at + 1
	}
	return typeEnd(text, at)
}

// typeEnd is where the type at a place of a descriptor ends, -1 if none does.
func typeEnd(text string, at int) int {
	for at < len(text) && text[at] == '[' {
		at++
	}
	if at >= len(text) {
		return -1
	}
	switch text[at] {
	case 'B', 'C', 'D', 'F', 'I', 'J', 'S', 'Z':
		return at + 1
	case 'L':
		if n := strings.IndexByte(text[at:], ';'); n > 1 {
			return at + n + 1
		}
	}
	return -1
}
