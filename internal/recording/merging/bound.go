package merging

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/profarc/profarc/layout"
)

// A Bound is a position in the order of methods, before the methods of a class and name. Types are sorted before the
// methods of the class with their name. The zero Bound is before everything.
type Bound struct{ Class, Name string }

// Compare orders bounds as archives order methods.
func (b Bound) Compare(c Bound) int {
	return cmp.Or(strings.Compare(b.Class, c.Class), strings.Compare(b.Name, c.Name))
}

// MarshalText returns class and name in ASCII, each quoted as in Go.
func (b Bound) MarshalText() ([]byte, error) {
	return []byte(strconv.QuoteToASCII(b.Class) + " " + strconv.QuoteToASCII(b.Name)), nil
}

// UnmarshalText reads what MarshalText returns.
func (b *Bound) UnmarshalText(text []byte) error {
	rest, err := b.parseBound(string(text))
	if err == nil && rest != "" {
		err = fmt.Errorf("bound %s: %q follows it", text, rest)
	}
	return err
}

// parseBound reads a bound at the beginning of text, and returns the rest.
func (b *Bound) parseBound(text string) (rest string, err error) {
	rest = text
	for _, part := range []*string{&b.Class, &b.Name} {
		quoted, err := strconv.QuotedPrefix(rest)
		if err == nil {
			*part, err = strconv.Unquote(quoted)
		}
		if err != nil {
			return "", fmt.Errorf("bound %q: it has a class and a name, both in quotes", text)
		}
		rest = strings.TrimPrefix(rest[len(quoted):], " ")
	}
	return rest, nil
}

// A Part is what one of several workers merges: the methods from a place on and before another, with their
// contexts and profiles. The zero To is the place after all, so that the zero Part is everything. What
// belongs to no method is merged with the first part, the one whose From is zero; a row of a table that names
// a method, a context, a profile or a type belongs to the part of the first it names, and a group of rows to
// the part of its first row.
type Part struct{ From, To Bound }

// isFirst reports whether no part comes before p.
func (p Part) isFirst() bool { return p.From == Bound{} }

// isLast reports whether no part comes after p.
func (p Part) isLast() bool { return p.To == Bound{} }

// Holds reports whether a position is in the part.
func (p Part) Holds(at Bound) bool {
	return p.From.Compare(at) <= 0 && (p.isLast() || at.Compare(p.To) < 0)
}

func (p Part) String() string {
	text := func(b Bound) string {
		quoted, _ := b.MarshalText() // it cannot fail
		return string(quoted)
	}
	switch {
	case p.isFirst() && p.isLast():
		return "all methods"
	case p.isFirst():
		return "methods before " + text(p.To)
	case p.isLast():
		return "methods from " + text(p.From)
	}
	return "methods from " + text(p.From) + " to " + text(p.To)
}

// Parts divides all methods at bounds, which ascend and are not zero.
func Parts(bounds ...Bound) ([]Part, error) {
	parts := []Part{{}}
	for _, b := range bounds {
		last := &parts[len(parts)-1]
		if b.Compare(last.From) <= 0 {
			return nil, fmt.Errorf("parts of a merge: the bound %q does not sort after %q", b, last.From)
		}
		last.To = b
		parts = append(parts, Part{From: b})
	}
	return parts, nil
}

// partProperty is the key of the row of properties that says which part of a merge an
// archive is. Its value is both bounds.
const partProperty = "profarc.part"

// property returns the value of the property.
func (p Part) property() string {
	from, _ := p.From.MarshalText()
	to, _ := p.To.MarshalText()
	return string(from) + " " + string(to)
}

// parsePart reads the value of the property.
func parsePart(text string) (p Part, err error) {
	rest, err := p.From.parseBound(text)
	if err == nil {
		err = p.To.UnmarshalText([]byte(rest))
	}
	if err == nil && !p.isLast() && p.From.Compare(p.To) >= 0 {
		err = fmt.Errorf("%s is no part of a merge", p)
	}
	return p, err
}

// boundOf returns the position of a method.
func boundOf(k layout.Key) Bound { return Bound{k.Class, k.Name} }
