package parse

import (
	"errors"
	"math"
	"strings"
	"testing"
)

var errSyntax = errors.New("not understood")

// TestErrorsSayWhatIsMissing: each case takes "count(" and a number, as take does.
func TestErrorsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line string
		take func(c *Cursor)
		want string
	}{
		{"cost(1)", func(c *Cursor) { c.Expect("count(") }, `column 1: not understood: expected "count(", found "cost(1)"`},
		{"count(", func(c *Cursor) { c.Expect("count("); c.Number(9) },
			`column 7: not understood: expected a number, found the end of the line`},
		{"256", func(c *Cursor) { c.Number(math.MaxUint8) }, `expected a number of 8 bits, found "256"`},
		{"10", func(c *Cursor) { c.Number(9) }, `expected a number of at most 9, found "10"`},
		{"18446744073709551616", func(c *Cursor) { c.Number(math.MaxUint64) }, `expected a number of 64 bits`},
		{"10000000000000000", func(c *Cursor) { c.Hex(math.MaxUint64) }, `expected a number of 64 bits`},
		{"-129", func(c *Cursor) { c.Signed(127) }, `column 2: not understood: expected a number of at most 128`},
		{"one two", func(c *Cursor) { c.Until("=") }, `column 1: not understood: expected "=", found "one two"`},
		{"one  two", func(c *Cursor) { c.Until("one"); c.End() },
			`column 6: not understood: expected the end of the line, found "two"`},
		{"one", func(c *Cursor) { c.Miss("two"); c.Miss("three"); c.Expect("one"); c.Number(1) },
			`column 1: not understood: expected two, found "one"`},
		{strings.Repeat("x", 100), func(c *Cursor) { c.End() }, `found "` + strings.Repeat("x", 60) + `..."`},
		{"\x1b[2J", func(c *Cursor) { c.End() }, `found "\x1b[2J"`},
	} {
		c := Cursor{Line: []byte(test.line)}
		test.take(&c)
		err := Place{Name: "a.txt", Line: 7}.Missing(&c, errSyntax)
		if err == nil {
			t.Errorf("%q is no error", test.line)
		} else if !strings.HasPrefix(err.Error(), "a.txt: line 7, column ") || !strings.Contains(err.Error(), test.want) ||
			!errors.Is(err, errSyntax) {
			t.Errorf("%q: %v, not %s", test.line, err, test.want)
		}
	}
}

func TestCursorTakesALineApart(t *testing.T) {
	t.Parallel()
	c := Cursor{Line: []byte("at 12: -128 fF name=value  ")}
	c.Expect("at ")
	if n := c.Number(12); n != 12 {
		t.Error(n)
	}
	if c.Skip(";") || !c.Skip(":") {
		t.Errorf("left: %q", c.Rest())
	}
	c.Spaces()
	if n := c.Signed(127); n != -128 {
		t.Error(n)
	}
	c.Spaces()
	if n := c.Hex(255); n != 255 {
		t.Error(n)
	}
	if name := c.Until("="); string(name) != " name" {
		t.Errorf("%q", name)
	}
	if value := c.Take(5); string(value) != "value" {
		t.Errorf("%q", value)
	}
	if c.End(); !c.OK() {
		t.Error(c.Expected())
	}
	if err := (Place{}).Missing(&c, errSyntax); err != nil {
		t.Error(err)
	}
}
