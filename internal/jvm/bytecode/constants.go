package bytecode

import (
	"strconv"
	"strings"
)

// Constants are a constant pool, of a class file or in a VM. ok is false if the
// constant is another one, or damaged.
type Constants interface {
	// Class is the name of a class.
	Class(i uint16) (name string, ok bool)
	// Member is what a field or method reference names.
	Member(i uint16) (n Name, ok bool)
	// Dynamic is the name and descriptor of a dynamic call.
	Dynamic(i uint16) (n Name, ok bool)
	// Value is the text of a number or string, see Integer, Decimal and Text.
	Value(i uint16) (text string, ok bool)
}

// NameAt is what a bytecode of a class file names, given the index of its constant.
func NameAt(java byte, i uint16, c Constants) (n Name, ok bool) {
	switch {
	case java >= GetStatic && java <= InvokeInterface:
		return c.Member(i)
	case java == InvokeDynamic:
		return c.Dynamic(i)
	case java == Ldc || java == LdcW || java == Ldc2W:
		return loaded(i, c), true
	}
	n.Class, ok = c.Class(i)
	return n, ok
}

// loaded is the constant that a bytecode loads. Method handles, method types and
// dynamic constants have no name.
func loaded(i uint16, c Constants) (n Name) {
	if class, ok := c.Class(i); ok {
		return Name{Name: Text(class)}
	}
	text, _ := c.Value(i)
	return Name{Name: text}
}

// Integer is the text of an int or long.
func Integer(n int64) string { return strconv.FormatInt(n, 10) }

// Decimal is the text of a float or double, as HotSpot prints it.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', 6, 64) }

// maxText is the length of the strings that a text is of as a whole.
const maxText = 100

// Text is the text of a string, or of the name of a class, with dots for slashes.
// Those that not every producer prints alike are all the same.
func Text(s string) string {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '\\' || c == '"' || c == '\'' {
			return anyText
		}
	}
	if len(s) > maxText {
		return anyText
	}
	return strings.ReplaceAll(s, "/", ".")
}

// anyText is no text that Text lets through.
const anyText = "\"\""
