package merging

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Bound is a position in the order of methods, before the methods with this class and name. A type sorts before the
// methods of the class with its name. The zero Bound comes before everything.
type Bound struct{ Class, Name string }

// Compare orders bounds in the order of methods in archives.
func (b Bound) Compare(c Bound) int {
	return cmp.Or(strings.Compare(b.Class, c.Class), strings.Compare(b.Name, c.Name))
}

// MarshalText returns class and name in ASCII, each quoted as in Go.
func (b Bound) MarshalText() ([]byte, error) {
	return []byte(strconv.QuoteToASCII(b.Class) + " " + strconv.QuoteToASCII(b.Name)), nil
}

func (b *Bound) UnmarshalText(text []byte) error {
	rest, err := b.parseBound(string(text))
	if err == nil && rest != "" {
		err = fmt.Errorf("bound %s: %q follows it", text, rest)
	}
	return err
}

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

// A Part is one worker's share of a merge. It holds the methods from From up to, but not including, To, with their
// contexts and profiles. A zero To means the end, so the zero Part holds everything. Records without a method belong to
// the first part, whose From is zero. A table row that names methods, contexts, profiles or types belongs to the part
// of the first one. A group of rows belongs to the part of its first row.
type Part struct{ From, To Bound }

func (p Part) isFirst() bool { return p.From == Bound{} }
func (p Part) isLast() bool  { return p.To == Bound{} }
func (p Part) Holds(at Bound) bool {
	return p.From.Compare(at) <= 0 && (p.isLast() || at.Compare(p.To) < 0)
}

func (p Part) String() string {
	text := func(b Bound) string {
		quoted, _ := b.MarshalText() // MarshalText cannot fail
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

// PartProperty is the key of the property that identifies the part of a merge in an archive. The value is its two
// bounds.
const PartProperty = "profarc.part"

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
