package methoddata

import (
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// AddInPlace merges more into have, as Merge does, if the merged block has the same entries as both. It reports whether
// it did.
func (m *Merger) AddInPlace(have, more disk.Block) bool {
	if len(have) != len(more) || string(have[:disk.BlockHeaderSize]) != string(more[:disk.BlockHeaderSize]) ||
		!haveSameLayout(have, more) {
		return false
	}
	data := have.SectionSpan(disk.SectionData).Offset
	end := have.SectionSpan(disk.SectionDirectory).Offset
	if !m.canMergeInPlace(have[data:end], more[data:end]) {
		return false
	}
	for f := disk.HasInvocations; f < disk.HasSections; f <<= 1 {
		if have.Presence()&f != 0 {
			m.field(f, fieldBytes(have, f), fieldBytes(more, f))
		}
	}
	m.mergeInPlace(have[data:end], more[data:end])
	return true
}

// haveSameLayout reports whether the fields and sections of two blocks with equal headers have the same sizes.
func haveSameLayout(x, y disk.Block) bool {
	for f := disk.HasTraps; f <= disk.HasDirectory; f <<= 1 {
		if x.Presence()&f == 0 {
			continue
		}
		start, _ := x.FieldOffset(f)
		end := start + disk.Unit
		if f == disk.HasSections {
			end += disk.Unit
		}
		if string(x[start:end]) != string(y[start:end]) {
			return false
		}
	}
	return true
}

// canMergeInPlace reports whether the entries of two blocks match one to one and merge into entries of the same size.
// Merge sorts entries, so those that do more than count must be sorted.
func (m *Merger) canMergeInPlace(x, y []byte) bool {
	var before disk.Entry
	isSorted := true
	onlyCounts := true
	for len(x) > 0 {
		a, restX, errX := m.Shape.NextEntry(x)
		b, restY, errY := m.Shape.NextEntry(y)
		if errX != nil || errY != nil || len(a) != len(b) || !sameSite(a, b) {
			return false
		}
		if !m.isPlain(a) || string(a[:a.HeaderSize()]) != string(b[:a.HeaderSize()]) {
			onlyCounts = false
			isSorted = isSorted && m.mergesAlone(before, a, b)
		} else if isSorted && before != nil {
			isSorted = comparePlaces(before, a) < 0
		}
		if !isSorted && !onlyCounts {
			return false
		}
		before, x, y = a, restX, restY
	}
	return true
}

// sameSite reports whether the headers of two equally long entries differ in flags and traps only.
func sameSite(a, b disk.Entry) bool {
	end := disk.EntryHeaderSize / 2
	if disk.IsWide(a.Tag()) {
		end = disk.WideHeaderSize
	}
	return a[0] == b[0] && string(a[2:end]) == string(b[2:end])
}

func (m *Merger) isPlain(e disk.Entry) bool {
	schema, _ := m.Shape.Schema(e.Tag())
	return schema.OnlyCounts() || e.Cells() == 0
}

// mergesAlone reports whether entry merges a and b into an entry of the same size. before is the entry before a, nil
// for none.
func (m *Merger) mergesAlone(before, a, b disk.Entry) bool {
	if m.Rules.AsLLVM || before != nil && comparePlaces(before, a) >= 0 {
		return false
	}
	schema, _ := m.Shape.Schema(a.Tag())
	_, keyed := schema.RowKey()
	switch {
	case a.Tag() == layout.TagReceivers || m.Shape.HasIdentity(a.Tag()):
		return false
	case isReceivers(a):
		return countKeys(append(m.receiverRows(a), m.receiverRows(b)...)) <= m.Shape.TypeRows
	case isRet(a):
		return countKeys(append(m.retRows(a), m.retRows(b)...)) <= m.Shape.BciRows
	}
	return !keyed && !schema.IsList() && !schema.Declared() && a.Tag() != disk.TagUndecoded
}

// countKeys returns the number of different keys of a few rows.
func countKeys(rows []countedRow) (n int) {
	for i, r := range rows {
		if !slices.ContainsFunc(rows[:i], func(earlier countedRow) bool { return earlier.what == r.what }) {
			n++
		}
	}
	return n
}

func (m *Merger) mergeInPlace(x, y []byte) {
	m.out = nil // keepEntry keeps entries where they are
	for len(x) > 0 {
		a, rest, _ := m.Shape.NextEntry(x)
		b := disk.Entry(y[:len(a)])
		switch {
		case !m.isPlain(a):
			m.entry(a, b)
		case a.Tag() == layout.TagCounters && m.LLVM:
			uniteHeaders(a, b)
			m.counters(a, b)
		default:
			uniteHeaders(a, b)
			for i := range a.Cells() {
				a.SetCell(i, disk.SaturatingAdd(a.Cell(i), disk.ApplyWeight(m.Rules.Weight, b.Cell(i))))
			}
		}
		x, y = rest, y[len(a):]
	}
}
