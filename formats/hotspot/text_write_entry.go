package hotspot

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// printedKinds are the names under which entries are printed.
var printedKinds = map[layout.Tag]string{
	layout.TagBit: "BitData", layout.TagCounter: "CounterData", layout.TagCallType: "CounterData",
	layout.TagJump: "JumpData", layout.TagBranch: "BranchData", layout.TagMultiBranch: "MultiBranchData",
	layout.TagRet: "RetData", layout.TagReceiverType: "ReceiverTypeData",
	layout.TagVirtualCall: "VirtualCallData", layout.TagVirtualCallType: "VirtualCallData",
}

// vmTag is the tag of the VM's own entry that a wide entry stands for, 0 if
// there is none.
func vmTag(e reader.Entry) layout.Tag {
	switch {
	case !e.Tag().Wide():
		return e.Tag()
	case e.Tag() == layout.TagReceivers && e.Sub() == layout.SubVirtualCall:
		return layout.TagVirtualCall
	case e.Tag() == layout.TagReceivers && e.Sub() == layout.SubTypeCheck:
		return layout.TagReceiverType
	case e.Tag() == layout.TagSuccessors && e.Sub() == layout.SubReturn:
		return layout.TagRet
	}
	return 0
}

// A placedEntry is an entry, its own tag in the VM, and where it lies there.
type placedEntry struct {
	reader.Entry
	tag    layout.Tag
	offset int
}

// entries prints the entries of a method in the order of their bytecodes.
func (w *textWriter) entries(p reader.Profile) error {
	var placed []placedEntry
	end := 0
	for e := range p.Entries() {
		tag := vmTag(e)
		if tag == 0 {
			w.report.Lost.Add(LossWide, 1)
			continue
		}
		if e.Tag().Wide() {
			w.report.Lost.Add(LossWideRows, 1)
		}
		placed = append(placed, placedEntry{e, tag, end})
		end += w.entrySize(e, tag)
	}
	placed, traps := w.extras(p, placed, end)
	for _, e := range placed {
		var here []reader.Entry
		here, traps = w.trapsAt(traps, e.Point())
		if err := w.entry(e, here); err != nil {
			return err
		}
	}
	w.trapsAt(traps, math.MaxInt32)
	return nil
}

// trapsAt cuts the speculative traps of a bci off the front of traps, which are
// sorted by it. Those before it have no entry to be printed with.
func (w *textWriter) trapsAt(traps []reader.Entry, bci int32) (here, rest []reader.Entry) {
	for ; len(traps) > 0 && traps[0].Point() < bci; traps = traps[1:] {
		w.report.Lost.Add(LossHiddenTrap, 1)
	}
	n := 0
	for n < len(traps) && traps[n].Point() == bci {
		n++
	}
	return traps[:n], traps[n:]
}

// entrySize is the size of an entry in a VM.
func (w *textWriter) entrySize(e reader.Entry, tag layout.Tag) int {
	length := 0
	if !e.Tag().Wide() {
		length = disk.ShapeOf(&w.store.Header().Params).Length(e.Raw())
	}
	return disk.EntryHeaderSize + w.settings.shape.Cells(tag, length)*disk.CellSize
}

// extras puts the traps that have no data entry at their bci between those
// that have, and gives the speculative traps by bci.
func (w *textWriter) extras(p reader.Profile, placed []placedEntry, end int) (all []placedEntry, traps []reader.Entry) {
	for e := range p.Section(layout.SectionExtra) {
		switch e.Tag() {
		case layout.TagSpeculativeTrap:
			traps = append(traps, e)
		case layout.TagArgInfo:
			w.report.Lost.Add(LossArgInfo, 1)
		case layout.TagBit:
			if _, other := p.At(e.Point()); other {
				w.report.Lost.Add(LossHiddenTrap, 1)
				continue
			}
			placed = append(placed, placedEntry{e, layout.TagBit, end + e.Offset()})
		}
	}
	slices.SortStableFunc(placed, func(a, b placedEntry) int { return cmp.Compare(a.Point(), b.Point()) })
	slices.SortStableFunc(traps, func(a, b reader.Entry) int { return cmp.Compare(a.Point(), b.Point()) })
	return placed, traps
}

// entry prints an entry with all its lines.
func (w *textWriter) entry(e placedEntry, traps []reader.Entry) error {
	w.report.Entries += 1 + len(traps)
	b := w.front(e.offset, int(e.Point()), printedKinds[e.tag])
	if t := e.Traps(); t != 0 {
		b = append(appendTrap(append(b, "trap("...), t, w.settings.plain), ") "...)
	}
	for _, t := range traps {
		var err error
		if b, err = w.appendSpeculative(b, t); err != nil {
			return err
		}
	}
	if f := e.Flags(); f != 0 {
		b = appendNumber(b, "flags(", uint64(f), ") ")
	}
	return w.counts(b, e)
}

// front begins the line of an entry.
func (w *textWriter) front(offset, bci int, kind string) []byte {
	bciColumn, kindColumn := w.settings.dialect.entryColumns()
	b := strconv.AppendInt(append(w.line, "  "...), int64(offset), 10)
	b = w.column(b, bciColumn)
	b = strconv.AppendInt(append(b, "bci: "...), int64(bci), 10)
	b = w.column(b, kindColumn)
	return pad(append(b, kind...), columnBody)
}

// column fills a line with blanks up to a column. In JDK 25 at least one blank
// stands there.
func (w *textWriter) column(b []byte, column int) []byte {
	if w.settings.dialect == JDK25 {
		b = append(b, ' ')
	}
	return pad(b, column)
}

func pad(b []byte, column int) []byte {
	for len(b) < column {
		b = append(b, ' ')
	}
	return b
}

func appendNumber(b []byte, before string, n uint64, behind string) []byte {
	return append(strconv.AppendUint(append(b, before...), n, 10), behind...)
}

// appendSpeculative appends "trap/ com.example.A::m(class_check) ".
func (w *textWriter) appendSpeculative(b []byte, e reader.Entry) ([]byte, error) {
	b = append(b, "trap/ "...)
	m, err := e.Trap()
	if err != nil {
		return b, err
	}
	if m.Valid() {
		class, ok, err := m.Class()
		if err == nil && ok {
			b, err = w.appendMethod(b, m, class)
		}
		if err != nil {
			return b, err
		}
	}
	b = appendTrap(append(b, '('), e.Traps(), w.settings.plain)
	return append(b, ") "...), nil
}
