package verify

import (
	"math/bits"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
)

// places is a set of places in a part of the file, one bit for each unit.
type places struct {
	span layout.Span
	bits []uint64
}

func newPlaces(span layout.Span) places {
	return places{span, make([]uint64, (span.Size/disk.Unit+63)/64)}
}

// add adds a place, which must lie in the part.
func (p *places) add(n layout.Ref) {
	word, bit := p.bit(n)
	*word |= bit
}

// has reports whether a place is in the set; one outside the part never is.
func (p *places) has(n layout.Ref) bool {
	if !p.span.Holds(n.Offset(), disk.Unit) {
		return false
	}
	word, bit := p.bit(n)
	return *word&bit != 0
}

// remove removes a place and reports whether it was in the set.
func (p *places) remove(n layout.Ref) bool {
	if !p.has(n) {
		return false
	}
	word, bit := p.bit(n)
	*word &^= bit
	return true
}

func (p *places) bit(n layout.Ref) (word *uint64, bit uint64) {
	unit := (n.Offset() - p.span.Offset) / disk.Unit
	return &p.bits[unit/64], 1 << (unit % 64)
}

// first returns the lowest place of the set, and count how many there are.
func (p *places) first() (first layout.Ref, count int) {
	for i, word := range p.bits {
		if word != 0 && count == 0 {
			first = disk.RefOf(p.span.Offset + int64(64*i+bits.TrailingZeros64(word))*disk.Unit)
		}
		count += bits.OnesCount64(word)
	}
	return first, count
}

// starts are the places at which records begin. A reference that leads to any
// other place is wrong, whatever a reader would make of the bytes there.
type starts struct {
	texts    places // symbols that are text
	lists    places // symbols that are lists
	names    places // texts that can be a part of a key
	methods  places // records of methods
	rows     places // of methods that never ran
	blocks   places
	unlinked places // blocks that no method was seen to lead to
}

func newStarts(h *layout.Header) starts {
	symbols, rw := h.Parts[disk.PartSymbols], h.Region(disk.RegionRW)
	return starts{
		texts: newPlaces(symbols), lists: newPlaces(symbols), names: newPlaces(symbols),
		methods: newPlaces(h.Parts[disk.PartMethods]), rows: newPlaces(h.Parts[disk.PartUnexecuted]),
		blocks: newPlaces(rw), unlinked: newPlaces(rw),
	}
}

// findMethods notes where the records and rows of methods begin: references to them can come before they do.
func (c *check) findMethods() error {
	for m, err := range c.s.Methods() {
		if err == nil {
			err = c.interrupted()
		}
		if err != nil {
			return err
		}
		if m.Indexed() {
			c.starts.methods.add(m.Ref())
		} else {
			c.starts.rows.add(m.Ref())
		}
	}
	return nil
}

// known reports whether a record begins at a place, as far as that is known:
// where a step ended early the archive is not sound anyway.
func (c *check) known(p *places, n layout.Ref) bool { return c.cut || p.has(n) }

// name checks a reference to a part of a key, which must be a text that can be one.
func (c *check) name(at int64, what string, n layout.Ref) error {
	switch {
	case c.known(&c.starts.names, n):
		return nil
	case c.starts.texts.has(n):
		return c.wrong(disk.RegionRO, at, "the %s at 0x%x holds a NUL byte, or has more than %d bytes", what, n.Offset(),
			disk.MaxName)
	}
	return c.wrong(disk.RegionRO, at, "the %s is at 0x%x, where no text begins", what, n.Offset())
}

// optionalName is like name for a reference that may lead to nothing.
func (c *check) optionalName(at int64, what string, n layout.Ref) error {
	if n == 0 {
		return nil
	}
	return c.name(at, what, n)
}

// signature checks a reference to a signature, which may be a list.
func (c *check) signature(at int64, n layout.Ref) error {
	if c.starts.lists.has(n) {
		return nil
	}
	return c.optionalName(at, "signature", n)
}

// methodRecord checks a reference to the record of a method.
func (c *check) methodRecord(r layout.Region, at int64, what string, n layout.Ref) error {
	if c.known(&c.starts.methods, n) {
		return nil
	}
	return c.wrong(r, at, "the %s is at 0x%x, where no method begins", what, n.Offset())
}

// pointer checks a pointer cell that leads to a method. Those to types are
// checked with the block: every multiple of the size of a type is one.
func (c *check) pointer(at int64, cell uint64) error {
	if cell == 0 {
		return nil
	}
	return c.methodRecord(disk.RegionRW, at, "method of an entry", disk.RefOf(int64(cell-c.h.Base)))
}
