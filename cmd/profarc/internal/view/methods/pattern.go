package methods

import (
	"strings"
	"unicode/utf8"
)

// PlainSpelling unifies the separators of class and method names.
var PlainSpelling = strings.NewReplacer("::", ".", "/", ".")

// A Pattern selects names. With * (any text) or ? (any character) it is a glob for the whole name, otherwise it matches
// any part of the name. It treats / and . alike.
type Pattern string

// NewPattern returns the Pattern for a text that a user typed.
func NewPattern(text string) Pattern { return Pattern(strings.ReplaceAll(text, "/", ".")) }

// MatchesName reports whether the pattern selects a name. The empty pattern selects all names.
func (p Pattern) MatchesName(name string) bool {
	name = strings.ReplaceAll(name, "/", ".")
	if !strings.ContainsAny(string(p), "*?") {
		return strings.Contains(name, string(p))
	}
	return MatchGlob(string(p), name)
}

// MatchGlob reports whether a glob matches the whole name. It backtracks only to the last *, so it takes at most
// len(pattern) * len(name) steps.
func MatchGlob(pattern, name string) bool {
	star, from := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, size := utf8.DecodeRuneInString(name[n:])
			p++
			n += size
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			from++
			p = star + 1
			n = from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
