package hotspot

// What the packages of HotSpot's other formats need of its names.

// HiddenNames gives the hidden classes among the names of one dump, spelled as
// the VM has them inside (Foo$$Lambda+0x00007f12a8001228), the names that
// archives call them.
func HiddenNames(names map[string]bool) map[string]string { return hiddenNames(names) }

// IsHidden reports whether a name, spelled as the VM has it inside, is of a hidden
// class.
func IsHidden(name string) bool { return hiddenAddress(name, '+') >= 0 }

// ElementClass is the class that a type name is made of: itself, or of an array
// the class of its elements.
func ElementClass(name string) string { return elementClass(name) }

// Unquote undoes HotSpot's quoting of names: what is not printable ASCII is
// \uXXXX, in UTF-16. What HotSpot would not have quoted so stays as it is.
func Unquote(quoted []byte) string { return unquoteName(quoted) }

// AppendQuoted appends a name as HotSpot quotes it: the inverse of Unquote.
func AppendQuoted(b []byte, name string) []byte { return appendQuoted(b, name) }

// FromModified gives modified UTF-8, which class files and VMs have, as UTF-8.
func FromModified(s string) string { return fromModified(s) }

// ToModified is the inverse of FromModified.
func ToModified(s string) string { return toModified(s) }
