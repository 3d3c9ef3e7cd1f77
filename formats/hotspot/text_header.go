package hotspot

import (
	"bytes"
	"math"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/names"
)

// modifiers are the words in front of the class, in their order.
var modifiers = []struct {
	word   string
	access uint32
}{
	{"static ", disk.AccStatic},
	{"final ", disk.AccFinal},
	{"synchronized ", disk.AccSynchronized},
	{"native ", disk.AccNative},
}

const classEnd = "::"

// parseHeader reads the first line of a method:
//
//	static final com.example.Map$Entry::name(Ljava/lang/String;)I
func parseHeader(line []byte) (m textMethod, ok bool) {
	c := newCursor(line)
	for _, mod := range modifiers {
		if c.Skip(mod.word) {
			m.access |= mod.access
		}
	}
	class := c.Until(classEnd)
	at := signatureStart(c.Rest())
	if !c.OK() || !isClass(class) || at <= 0 || bytes.IndexByte(line, 0) >= 0 {
		return m, false
	}
	m.class = names.Internal(names.FromModifiedUTF8(string(class)))
	m.name = names.Unquote(c.Rest()[:at])
	m.signature = names.Unquote(c.Rest()[at:])
	return m, true
}

// isClass reports whether a name can be that of a class: no array has methods
// of its own.
func isClass(name []byte) bool { return len(name) > 0 && name[0] != '[' }

// signatureStart is where in "name(Ljava/lang/String;)I" the signature begins,
// -1 if there is none. A name may hold parentheses itself.
func signatureStart(b []byte) int {
	for at, c := range b {
		if c == '(' && isSignature(b[at:]) {
			return at
		}
	}
	return -1
}

// isSignature reports whether all of b is the descriptor of a method.
func isSignature(b []byte) bool {
	for b = b[1:]; len(b) > 0 && b[0] != ')'; {
		n := descriptorLength(b)
		if n == 0 {
			return false
		}
		b = b[n:]
	}
	return len(b) > 1 && (string(b[1:]) == "V" || descriptorLength(b[1:]) == len(b)-1)
}

// descriptorLength is the length of the field descriptor at the front of b, 0
// if there is none.
func descriptorLength(b []byte) int {
	n := len(b) - len(bytes.TrimLeft(b, "["))
	switch {
	case n == len(b):
		return 0
	case bytes.IndexByte([]byte("BCDFIJSZ"), b[n]) >= 0:
		return n + 1
	case b[n] == 'L':
		if end := bytes.IndexByte(b[n:], ';'); end > 1 {
			return n + end + 1
		}
	}
	return 0
}

// counters reads the lines behind the header, and the empty one behind them.
func (p *textParser) counters(m *textMethod) error {
	for _, counter := range []struct {
		name string
		take func(c *cursor)
	}{
		{firstCounter, func(c *cursor) { m.interpreted = c.counter() }},
		{"  invocation_counter:", func(c *cursor) { m.invocations = c.counter() }},
		{"  backedge_counter:", func(c *cursor) { m.backedges = c.counter() }},
		{"  decompile_count:", func(c *cursor) { m.decompiles = c.counter32() }},
		{"  mdo size:", func(c *cursor) { m.size = uint32(c.Number(math.MaxUint32)); c.Expect(totalSuffix) }},
		{"", func(*cursor) {}},
	} {
		err := p.line(func(c *cursor) {
			c.Expect(counter.name)
			c.Spaces()
			counter.take(c)
			c.End()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
