package hotspot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var printedKinds = map[layout.Tag]string{
	layout.TagBit: "BitData", layout.TagCounter: "CounterData", layout.TagCallType: "CounterData",
	layout.TagJump: "JumpData", layout.TagBranch: "BranchData", layout.TagMultiBranch: "MultiBranchData",
	layout.TagRet: "RetData", layout.TagReceiverType: "ReceiverTypeData",
	layout.TagVirtualCall: "VirtualCallData", layout.TagVirtualCallType: "VirtualCallData",
}

// hotspotTag returns the tag of the corresponding entry in HotSpot, or 0.
func hotspotTag(e reader.Entry) layout.Tag {
	switch {
	case !disk.IsWide(e.Tag()):
		return e.Tag()
	case e.Tag() == layout.TagReceivers && e.Sub() == layout.SubVirtualCall:
		return layout.TagVirtualCall
	case e.Tag() == layout.TagReceivers && e.Sub() == layout.SubTypeCheck:
		return layout.TagReceiverType
	case e.Tag() == layout.TagSuccessors && e.Sub() == disk.SubReturn:
		return layout.TagRet
	}
	return 0
}

// unprintableLoss returns the loss of an entry that HotSpot lacks.
func unprintableLoss(e reader.Entry) codec.LossKind {
	if e.Tag() == disk.TagUndecoded {
		return LossUndecoded
	}
	return LossWide
}

type placedEntry struct {
	reader.Entry
	tag    layout.Tag
	offset int
}

// writeEntries prints the entries of a method in bytecode order.
func (w *textWriter) writeEntries(p reader.Profile) {
	var placed []placedEntry
	end := 0
	for e := range p.Entries() {
		tag := hotspotTag(e)
		if tag == 0 {
			w.addLoss(unprintableLoss(e), parse.TotalsOfEntry(w.counter, disk.Entry(e.Bytes())))
			continue
		}
		if disk.IsWide(e.Tag()) {
			w.report.Lost.Add(LossWideRows, 1)
		}
		placed = append(placed, placedEntry{e, tag, end})
		end += w.entrySize(e, tag)
	}
	placed, traps := w.addExtraTraps(p, placed, end)
	for _, e := range placed {
		var here []reader.Entry
		here, traps = w.cutTrapsAt(traps, e.Point())
		w.writeEntry(e, here)
	}
	w.cutTrapsAt(traps, math.MaxInt32)
}

// cutTrapsAt cuts the speculative traps at a bci from traps, which are sorted by bci. Traps before it are lost, since
// no entry at their bci is printed.
func (w *textWriter) cutTrapsAt(traps []reader.Entry, bci int32) (here, rest []reader.Entry) {
	hidden, traps := parse.CutWhile(traps, func(e reader.Entry) bool { return e.Point() < bci })
	w.report.Lost.Add(LossHiddenTrap, len(hidden))
	return parse.CutWhile(traps, func(e reader.Entry) bool { return e.Point() == bci })
}

func (w *textWriter) entrySize(e reader.Entry, tag layout.Tag) int {
	length := 0
	if !disk.IsWide(e.Tag()) {
		length = (*mapped.Mapping)(w.store.Mapping()).Shape().EntryLength(disk.Entry(e.Bytes()))
	}
	return disk.EntryHeaderSize + w.settings.shape.Cells(tag, length)*disk.CellSize
}

// addExtraTraps adds the traps without a data entry to placed, sorted by bci. It also returns the speculative traps,
// sorted by bci.
func (w *textWriter) addExtraTraps(p reader.Profile, placed []placedEntry, end int) (all []placedEntry,
	traps []reader.Entry) {
	for e := range p.Section(disk.SectionExtra) {
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

func (w *textWriter) writeEntry(e placedEntry, traps []reader.Entry) {
	w.report.Entries += 1 + len(traps)
	b := w.beginEntryLine(e.offset, int(e.Point()), printedKinds[e.tag])
	if t := e.Traps(); t != 0 {
		b = append(appendTrap(append(b, "trap("...), t, w.settings.plain), ") "...)
	}
	for _, t := range traps {
		b = w.appendSpeculative(b, t)
	}
	if f := e.Flags(); f != 0 {
		b = appendNumber(b, "flags(", uint64(f), ") ")
	}
	w.writeCounts(b, e)
}

func (w *textWriter) beginEntryLine(offset, bci int, kind string) []byte {
	bciColumn, kindColumn := w.settings.dialect.entryColumns()
	b := strconv.AppendInt(append(w.line, "  "...), int64(offset), 10)
	b = w.padToColumn(b, bciColumn)
	b = strconv.AppendInt(append(b, "bci: "...), int64(bci), 10)
	b = w.padToColumn(b, kindColumn)
	return padLine(append(b, kind...), columnBody)
}

// padToColumn pads a line with spaces up to a column, in JDK 25 with one or more.
func (w *textWriter) padToColumn(b []byte, column int) []byte {
	if w.settings.dialect == JDK25 {
		b = append(b, ' ')
	}
	return padLine(b, column)
}

func padLine(b []byte, column int) []byte {
	for len(b) < column {
		b = append(b, ' ')
	}
	return b
}

func appendNumber(b []byte, before string, n uint64, after string) []byte {
	return append(strconv.AppendUint(append(b, before...), n, 10), after...)
}

// appendSpeculative appends "trap/ com.example.A::m(class_check) ".
func (w *textWriter) appendSpeculative(b []byte, e reader.Entry) []byte {
	b = append(b, "trap/ "...)
	m, err := e.Trap()
	w.Fail(err)
	if m.Valid() {
		class, ok, err := m.Class()
		w.Fail(err)
		if ok {
			b = w.appendMethod(b, m, class)
		}
	}
	b = appendTrap(append(b, '('), e.Traps(), w.settings.plain)
	return append(b, ") "...)
}

// A textExtra is an entry after the data entries, either a trap at a bci without an entry or a speculative trap.
type textExtra struct {
	at     builder.At
	line   int
	trap   textTrap // speculative trap
	bit    bool
	offset int // printed offset of a bit entry
}

// Sizes of both in bytes.
var (
	bitSize  = disk.EntryHeaderSize
	trapSize = disk.EntryHeaderSize + disk.CellSize
)

// orderExtras returns the entries after the data in order. The data ends at offset end. The text has offsets of bit
// entries only, and speculative traps fill the gaps between them.
func (m *textMethod) orderExtras(end int, r *codec.Report) (order []textExtra) {
	var bits, traps []textExtra
	for _, e := range m.entries {
		if e.at.In == disk.SectionExtra {
			bits = append(bits, textExtra{at: e.at, line: e.line, bit: true, offset: e.offset})
		}
		for _, t := range e.traps {
			at := builder.At{Bci: e.at.Bci, Traps: t.traps, In: disk.SectionExtra}
			traps = append(traps, textExtra{at: at, line: e.line, trap: t})
		}
	}
	slices.SortStableFunc(bits, func(a, b textExtra) int { return cmp.Compare(a.offset, b.offset) })
	for _, b := range bits {
		for len(traps) > 0 && end+trapSize <= b.offset {
			order = append(order, traps[0])
			traps = traps[1:]
			end += trapSize
		}
		if end != b.offset {
			r.Lost.AddLoss(codec.Loss{What: LossOffset, Count: 1, Line: b.line})
		}
		order = append(order, b)
		end = b.offset + bitSize
	}
	return append(order, traps...)
}

// writeCounts completes the line of an entry in b, and prints its further lines.
func (w *textWriter) writeCounts(b []byte, e placedEntry) {
	switch e.tag {
	case layout.TagBit:
		w.writeLine(b)
	case layout.TagCounter, layout.TagCallType:
		c, _ := e.Counter()
		w.writeLine(appendNumber(b, "count(", w.addTotal(ledger.BranchCounts, c), ")"))
		w.writeCallTypes(e.Entry)
	case layout.TagJump:
		taken := e.Cell(0)
		displacement := int64(e.Cell(1).Trained())
		b = appendNumber(b, "taken(", w.addTotal(ledger.BranchCounts, taken), ") ")
		w.writeLine(appendDisplacement(b, displacement))
	case layout.TagBranch:
		j, _ := e.Branch()
		b = appendNumber(b, "taken(", w.addTotal(ledger.BranchCounts, j.Taken), ") ")
		w.writeLine(appendDisplacement(b, j.Displacement))
		w.writeLine(appendNumber(append(w.line, indent...), "not taken(", w.addTotal(ledger.BranchCounts, j.NotTaken), ")"))
	case layout.TagMultiBranch:
		w.writeCases(b, e)
	case layout.TagRet:
		w.writeReturns(b, e)
	default:
		w.writeReceivers(b, e)
	}
}

func appendDisplacement(b []byte, d int64) []byte {
	return append(strconv.AppendInt(append(b, "displacement("...), d, 10), ')')
}

func (w *textWriter) writeCases(b []byte, e placedEntry) {
	r, _ := e.Rows()
	b = appendNumber(b, "default_count(", w.addTotal(ledger.BranchCounts, r.Head(0)), ") ")
	w.writeLine(appendDisplacement(b, int64(r.Head(1).Load())))
	for i := range r.Len() {
		b = appendNumber(append(w.line, indent...), "count(", w.addTotal(ledger.BranchCounts, r.Cell(i, 0)), ") ")
		w.writeLine(appendDisplacement(b, int64(r.Cell(i, 1).Load())))
	}
}

// writeReturns prints the used rows of a Ret entry. A merged entry is wide and lacks displacements and a total.
func (w *textWriter) writeReturns(b []byte, e placedEntry) {
	var rows []byte
	var count uint64
	n := 0
	r, _ := e.Rows()
	for i := range r.Len() {
		bci := r.Cell(i, 0).Load()
		times := r.Cell(i, 1).Load()
		displacement := int64(0)
		if disk.IsWide(e.Tag()) {
			point, _ := disk.UnpackSuccessor(bci)
			bci = uint64(point)
			count += times
		} else {
			displacement = int64(r.Cell(i, 2).Load())
		}
		if bci == freeReturn.Bci {
			w.addFreeRow(ledger.BranchCounts, r.Cell(i, 1))
			continue
		}
		w.addTotal(ledger.BranchCounts, r.Cell(i, 1))
		n++
		rows = appendNumber(append(rows, indent...), "bci(", bci, ": ")
		rows = append(appendDisplacement(appendNumber(rows, "count(", times, ") "), displacement), ")\n"...)
	}
	if !disk.IsWide(e.Tag()) {
		count = w.addTotal(ledger.BranchCounts, r.Head(0))
	}
	w.writeLine(appendNumber(appendNumber(b, "count(", count, ") "), "entries(", uint64(n), ")"))
	_, _ = w.out.Write(rows)
}

func (w *textWriter) writeReceivers(b []byte, e placedEntry) {
	r, _ := e.Receivers()
	total := share{}
	count := w.addTotal(ledger.TypeCounts, r.Other())
	total.addCount(count)
	n := 0
	for i := range r.Len() {
		row, ok := r.Row(i)
		if !ok {
			_, free := r.Cells(i)
			w.addFreeRow(ledger.TypeCounts, free)
			continue
		}
		total.addCount(w.addTotal(ledger.TypeCounts, row.Count))
		n++
	}
	b = appendNumber(b, "count(", printedCount(count), ") ")
	if w.settings.shape.Gap > 0 {
		gap, _ := r.Gap()
		b = appendNumber(b, "nonprofiled_count(", w.addTotal(ledger.TypeCounts, gap), ") ")
	}
	w.writeLine(appendNumber(b, "entries(", uint64(n), ")"))
	for row := range r.All() {
		times := row.Count.Load()
		b = appendNumber(append(append(w.line, indent...), w.printedType(row.Type)...), "(", times, " ")
		w.writeLine(append(total.appendShare(b, times), ')'))
	}
	w.writeCallTypes(e.Entry)
}

// addFreeRow adds the count of an empty row to the losses, since empty rows are not printed.
func (w *textWriter) addFreeRow(unit ledger.Unit, c reader.Counter) {
	if n := c.Trained(); n > 0 {
		w.addLoss(LossFreeRows, ledger.Totals{unit: n})
	}
}

// printedCount is the inverse of signExtend.
func printedCount(cell uint64) uint64 {
	if n := int64(cell); n < 0 && n >= math.MinInt32 {
		return uint64(uint32(cell))
	}
	return cell
}

// A share has the total for the shares of receiver rows. HotSpot adds in signed 32 bits, so the total can be negative.
type share struct {
	sum  int32
	wide uint64 // total for counts of more than 32 bits
	over bool
}

func (s *share) addCount(count uint64) {
	s.sum += int32(uint32(count))
	s.wide += printedCount(count)
	s.over = s.over || printedCount(count) > math.MaxUint32
}

// appendShare appends the share of a row like C's %4.2f for a float.
func (s *share) appendShare(b []byte, count uint64) []byte {
	f := float32(uint32(count)) / float32(s.sum)
	if s.over {
		f = float32(float64(count) / float64(s.wide))
	}
	switch {
	case math.IsNaN(float64(f)):
		return append(b, "-nan"...) // 0/0 sets the sign on x86
	case math.IsInf(float64(f), 0):
		return append(b, " inf"...)
	}
	return fmt.Appendf(b, "%4.2f", f)
}

func (w *textWriter) printedType(t reader.Type) string {
	s, ok := w.types[t.Ordinal()]
	if !ok {
		s = string(javanames.AppendPrinted(nil, w.internalName(t)))
		w.types[t.Ordinal()] = s
	}
	return s
}

func (w *textWriter) writeCallTypes(e reader.Entry) {
	types, ok := e.Types()
	if !ok {
		return
	}
	w.writeTypeSlots(argumentsLine, types)
	if result, ok := types.Return(); ok {
		w.writeLine(w.appendWord(append(w.line, returnLine...), result))
	}
}

func (w *textWriter) writeParameters(p reader.Profile) {
	for e := range p.Section(disk.SectionParameters) {
		w.report.Entries++
		types, _ := e.Types()
		w.writeTypeSlots(parametersLines[w.settings.dialect], types)
		if w.settings.dialect == JDK25 {
			w.writeLine(w.line)
		}
	}
}

// writeTypeSlots prints a list of types, and begins the first line with name.
func (w *textWriter) writeTypeSlots(name string, types reader.TypeList) {
	for i := range types.Args() {
		slot, word := types.Arg(i)
		b := append(append(w.line, name...), slotName(i)...)
		w.writeLine(w.appendWord(appendNumber(b, "", slot, ") "), word))
		name = indent
	}
}

func (w *textWriter) appendWord(b []byte, word reader.TypeWord) []byte {
	switch {
	case word.Unknown:
		b = append(b, unknownType...)
		if word.Type.Valid() {
			w.report.Lost.Add(LossTypeWithMore, 1)
		}
	case !word.Type.Valid():
		b = append(b, noType...)
	default:
		b = append(b, w.printedType(word.Type)...)
	}
	if word.NullSeen {
		b = append(b, nullSeenSuffix...)
	}
	return b
}
