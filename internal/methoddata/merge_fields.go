package methoddata

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

var le = binary.LittleEndian

// fields puts the optional fields of both into out.
func (m *Merger) fields(x, y disk.Block, out *Parts) {
	for f := disk.HasCode; f < disk.HasSections; f <<= 1 {
		a, b := fieldBytes(x, f), fieldBytes(y, f)
		field := out.fields[fieldIndex(f)][:0]
		switch {
		case a == nil && b == nil:
			continue
		case a == nil:
			field = append(field, b...)
			m.scaleField(f, field)
		case b == nil:
			field = append(field, a...)
		default:
			field = m.field(f, append(field, a...), b)
		}
		out.presence |= f
		out.fields[fieldIndex(f)] = field
	}
}

// fieldBytes is all of an optional field, nil if the block lacks it or there is none.
func fieldBytes(b disk.Block, f disk.Presence) []byte {
	if b == nil {
		return nil
	}
	start, ok := b.FieldOffset(f)
	if !ok {
		return nil
	}
	end, _ := b.FieldOffset(f << 1)
	return b[start:end]
}

func isCount(f disk.Presence) bool {
	return f == disk.HasInvocations || f == disk.HasBackedges || f == disk.HasInterpreted
}

func (m *Merger) scaleField(f disk.Presence, field []byte) {
	if isCount(f) {
		le.PutUint64(field, m.Rules.Weight.Of(le.Uint64(field)))
	}
}

// field merges b into a.
func (m *Merger) field(f disk.Presence, a, b []byte) []byte {
	switch {
	case isCount(f):
		le.PutUint64(a, disk.SaturatingAdd(le.Uint64(a), m.Rules.Weight.Of(le.Uint64(b))))
	case f == disk.HasSize:
		each32(a, b, func(x, y uint32) uint32 { return max(x, y) })
	case f == disk.HasHistory:
		each32(a, b, func(x, y uint32) uint32 { return x + min(y, 1<<32-1-x) })
	case f == disk.HasCompile:
		for i := range 4 {
			a[i] = max(a[i], b[i])
		}
		for i := 4; i < 8; i += 2 {
			le.PutUint16(a[i:], max(le.Uint16(a[i:]), le.Uint16(b[i:])))
		}
	case f == disk.HasEscape:
		uniteEscape(a, b)
	case f == disk.HasTraps:
		return uniteTrapHistory(a, b)
	}
	return a
}

func each32(a, b []byte, both func(x, y uint32) uint32) {
	for i := 0; i < len(a); i += 4 {
		le.PutUint32(a[i:], both(le.Uint32(a[i:]), le.Uint32(b[i:])))
	}
}

// Flags of HotSpot's escape analysis that say what may happen; the others say
// what cannot. See methodData.hpp, EscapeFlag.
const escapeMay = 1<<3 | 1<<4 // allocated_escapes, unknown_modified

// uniteEscape keeps what holds in both runs: an argument is local if it is in
// both, and may be returned if it is in one.
func uniteEscape(a, b []byte) {
	u := func(p []byte, i int) uint64 { return le.Uint64(p[8*i:]) }
	le.PutUint64(a[0:], u(a, 0)&u(b, 0)&^escapeMay|(u(a, 0)|u(b, 0))&escapeMay)
	le.PutUint64(a[8:], u(a, 1)&u(b, 1))
	le.PutUint64(a[16:], u(a, 2)&u(b, 2))
	le.PutUint64(a[24:], u(a, 3)|u(b, 3))
}

// uniteTrapHistory sums the traps of each reason; a byte stays at its highest.
func uniteTrapHistory(a, b []byte) []byte {
	if len(b) > len(a) || len(b) == len(a) && le.Uint32(b) > le.Uint32(a) {
		a, b = append([]byte(nil), b...), a
	}
	for i := 8; i < len(b); i++ {
		a[i] += min(b[i], 255-a[i])
	}
	return a
}

// AddInPlace merges a block into the one that the builder has if nothing but
// counts differs, and reports whether it did.
func (m *Merger) AddInPlace(have, more disk.Block) bool {
	if len(have) != len(more) || string(have[:disk.BlockHeaderSize]) != string(more[:disk.BlockHeaderSize]) ||
		have.Presence()&^plainFields != 0 || string(fieldBytes(have, disk.HasSize)) != string(fieldBytes(more, disk.HasSize)) {
		return false
	}
	for s := layout.SectionData; s < layout.SectionDirectory; s++ {
		if !m.sameButCounts(have.Section(s), more.Section(s)) {
			return false
		}
	}
	for f := disk.HasInvocations; f <= disk.HasInterpreted; f <<= 1 {
		if a, b := fieldBytes(have, f), fieldBytes(more, f); a != nil {
			m.field(f, a, b)
		}
	}
	for s := layout.SectionData; s < layout.SectionDirectory; s++ {
		m.addCounts(have.Section(s), more.Section(s))
	}
	return true
}

// plainFields are the fields that addInPlace can merge: none that is united in
// another way than by a sum.
const plainFields = disk.HasCode | disk.HasSize | disk.HasInvocations | disk.HasBackedges | disk.HasInterpreted | disk.HasSections | disk.HasDirectory

// sameButCounts reports whether the entries of two sections of one size differ
// in nothing but counts, and none has rows to be united.
func (m *Merger) sameButCounts(x, y []byte) bool {
	if len(x) != len(y) {
		return false
	}
	for len(x) > 0 {
		a, restX, errX := m.Shape.Next(x)
		b, restY, errY := m.Shape.Next(y)
		if errX != nil || errY != nil || len(a) != len(b) || string(a[:a.HeaderSize()]) != string(b[:b.HeaderSize()]) || !plain(a) {
			return false
		}
		x, y = restX, restY
	}
	return true
}

// plain reports whether an entry has nothing but counts.
func plain(e disk.Entry) bool {
	switch e.Tag() {
	case layout.TagCounter, layout.TagCounters, layout.TagCount:
		return true
	case layout.TagValueSite:
		return e.Rows() == 0
	}
	return e.Cells() == 0
}

func (m *Merger) addCounts(x, y []byte) {
	for len(x) > 0 {
		a, restX, _ := m.Shape.Next(x)
		b, restY, _ := m.Shape.Next(y)
		if a.Tag() == layout.TagCounters && m.LLVM {
			m.counters(a, b)
		} else {
			for i := range a.Cells() {
				a.SetCell(i, disk.SaturatingAdd(a.Cell(i), m.Rules.Weight.Of(b.Cell(i))))
			}
		}
		x, y = restX, restY
	}
}
