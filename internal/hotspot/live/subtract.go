package live

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func (b *build) subtractAdopted(f *profiledMethod) error {
	p, cells, ok := b.snap.adopted.lookUp(f.methodData)
	switch {
	case !ok || b.keepAdopted && !p.ended:
		return nil
	case !p.ended:
		return RefusedAdopting
	}
	b.report.Adopted.Profiles++
	if b.keepAdopted {
		return nil
	}
	s := subtraction{s: b.vm.schema, shape: b.shape, f: f, cells: cells}
	f.adopted, f.data = true, append([]byte(nil), f.data...)
	s.subtractInvocations(p.weight)
	ran := s.hasRun()
	for at, c := range cells {
		s.subtractCell(f.data[at-f.dataAt:], c, ran)
	}
	var err error
	f.sections, err = s.s.data.parseSections(f.data, b.shape)
	if err != nil {
		return err
	}
	s.correctEntries(disk.SectionData, s.s.data.data)
	s.correctEntries(disk.SectionParameters, s.s.data.data+uint64(int32(le.Uint32(f.data[s.s.data.parameters:]))))
	return nil
}

type subtraction struct {
	s     *schema
	shape disk.Shape
	f     *profiledMethod
	cells map[uint64]adoptedCell // the agent's writes by address
}

// subtractInvocations subtracts the weight of the adopted profile unless the counter overflowed and is not exact.
func (s *subtraction) subtractInvocations(weight uint64) {
	b := s.f.data[s.s.data.invocations:]
	counter := le.Uint32(b)
	if counter&carryBit == 0 {
		le.PutUint32(b, counter-uint32(min(s.s.counterValue(counter), weight)*s.s.increment))
	}
}

// hasRun reports whether the method ran since it adopted its profile, as far as anything counted.
func (s *subtraction) hasRun() bool {
	h := s.s.decodeHeader(s.f.data, s.f.counters)
	return h.invocations+h.backedges > 0
}

func (s *subtraction) subtractCell(b []byte, c adoptedCell, ran bool) {
	if c.Kind == adoptedByte {
		b[0] -= byte(min(uint32(b[0]), c.Value))
		return
	}
	if c.Cell%disk.CellSize != 0 || len(b) < disk.CellSize {
		return
	}
	switch v := le.Uint64(b); c.Kind {
	case adoptedCount:
		le.PutUint64(b, v-min(v, uint64(c.Value)))
	case adoptedCheck:
		le.PutUint64(b, v-uint64(int64(int32(c.Value))))
	case adoptedRow:
		s.subtractReceiver(b, c)
	case adoptedBits:
		le.PutUint64(b, subtractBits(v, c.What, ran))
	}
}

// subtractReceiver empties a row that counted nothing here. The agent writes the class of a row last.
func (s *subtraction) subtractReceiver(b []byte, c adoptedCell) {
	class := le.Uint64(b)
	if len(b) < 2*disk.CellSize || class != 0 && class != c.What {
		return
	}
	count := b[disk.CellSize:]
	n := le.Uint64(count)
	n -= min(n, uint64(c.Value))
	if class == 0 || n == 0 {
		le.PutUint64(b, 0)
		n = 0
	}
	le.PutUint64(count, n)
}

// The first word of an entry: tag, flags, bci, traps.
const (
	flagBits = uint64(0xff) << 8
	trapBits = uint64(0xffffffff) << 32
	tagBits  = uint64(0xff)
)

// subtractBits removes the archive's bits from the first word of an entry. Another trap changes the trap code, so if
// it is still the archive's, nothing trapped here. A flag that the program set again cannot be distinguished from the
// archive's, so flags stay if the method ran. An entry that the agent created becomes a free word if nothing remains.
func subtractBits(v, written uint64, ran bool) uint64 {
	if v&trapBits == written&trapBits {
		v &^= trapBits
	}
	if !ran {
		v &^= written & flagBits
	}
	if written&tagBits != 0 && v&(trapBits|flagBits) == 0 {
		return freeTag
	}
	return v
}

// correctEntries corrects parts of entries that depend on counts: types without own counts, and the order of receivers.
func (s *subtraction) correctEntries(section disk.BlockSection, at uint64) {
	h := s.s.decodeHeader(s.f.data, s.f.counters)
	for _, e := range s.f.sections[section] {
		if _, ok := s.shape.Schema(e.Tag()); !ok {
			return // and the rest is unknown
		}
		counted := section == disk.SectionParameters && h.invocations > 0
		for cell := range s.shape.Counts(e) {
			counted = counted || e.Cell(cell) != 0
		}
		for cell, kind := range s.shape.Pointers(e) {
			c, ok := s.cells[s.f.dataAt+at+disk.CellSize*uint64(1+cell)]
			if ok && kind == disk.CellTypeWord && c.Kind == adoptedWord {
				e.SetCell(cell, subtractTypeWord(e.Cell(cell), c.What, counted))
			}
		}
		s.moveReceivers(e)
		at += uint64(len(e))
	}
}

// subtractTypeWord removes the archive's type from a type word. If the call did not happen here, the word becomes 0. If
// it did, a single type is the type of all values. With several types it removes the archive's.
func subtractTypeWord(v, written uint64, counted bool) uint64 {
	const tags = disk.TypeNullSeen | disk.TypeUnknown
	switch {
	case !counted:
		return 0
	case v&disk.TypeUnknown != 0 && v&^tags == written&^tags:
		return v & tags
	}
	return v
}

// moveReceivers moves receivers up to rows that have become empty, since the VM fills the first rows.
func (s *subtraction) moveReceivers(e disk.Entry) {
	switch e.Tag() {
	case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType:
	default:
		return
	}
	to := 0
	for from := range s.shape.TypeRows {
		class := e.Cell(s.shape.ReceiverRow(from))
		count := e.Cell(s.shape.ReceiverRow(from) + 1)
		if class == 0 {
			continue
		}
		e.SetCell(s.shape.ReceiverRow(from), 0)
		e.SetCell(s.shape.ReceiverRow(from)+1, 0)
		e.SetCell(s.shape.ReceiverRow(to), class)
		e.SetCell(s.shape.ReceiverRow(to)+1, count)
		to++
	}
}

// isUnused reports whether a profile has only adopted content, so that a JVM without the archive would not have it.
func (b *build) isUnused(f *profiledMethod) bool {
	if !f.adopted || b.vm.schema.everCompiled(f, b.plausibleHeaders) {
		return false
	}
	h := b.vm.schema.decodeHeader(f.data, f.counters)
	traps := h.history.OverflowTraps
	for _, n := range h.traps {
		traps += uint32(n)
	}
	return h.invocations == 0 && h.backedges == 0 && traps == 0
}
