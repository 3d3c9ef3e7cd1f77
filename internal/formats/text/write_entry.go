package text

import (
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var le = binary.LittleEndian

// section writes the entries of a section of a profile. The reader has verified the profile.
func (w *writer) section(p reader.Profile, section disk.BlockSection) {
	for rest := disk.Block(p.Bytes()).Section(section); len(rest) > 0; {
		e, next, err := w.shape.Next(rest)
		if w.failed(err) {
			return
		}
		w.entryLine(section, e)
		rest = next
	}
}

func (w *writer) entryLine(section disk.BlockSection, e disk.Entry) {
	schema, _ := w.shape.Schema(e.Tag())
	if disk.IsWide(e.Tag()) && section != disk.SectionData {
		w.report.Lost.Add(LossMisplaced, 1)
		return
	}
	w.report.Entries++
	w.literal("    ")
	if word := sectionWords.word(uint64(section)); word != "" {
		w.literal(word)
		w.literal(" ")
	}
	w.literal("@")
	w.signed(int64(e.Point()))
	w.literal(" ")
	w.literal(w.shape.TagName(e.Tag()))
	w.subAndSeen(schema, e)
	w.schema = schema
	for rows := range w.shape.Groups(e) {
		w.cellGroup(e, rows)
	}
	w.end()
}

// subAndSeen writes the header of an entry after its tag. It reports a sub or flags without meaning as a loss.
func (w *writer) subAndSeen(schema *disk.Schema, e disk.Entry) {
	if !disk.IsWide(e.Tag()) {
		w.seen(e, uint64(e.Traps()))
		return
	}
	custom := w.h.Domain == layout.DomainCustom
	if len(schema.Subs) > 0 {
		w.literal(" ")
		w.listed(subWords(schema), uint64(e.Sub()))
	} else if custom && e.Sub() != 0 {
		w.key(" sub=", uint64(e.Sub()))
	}
	traps, hasTraps := trapsCell(schema)
	switch {
	case hasTraps:
		w.seen(e, e.Cell(traps))
	case len(schema.Flags) > 0:
		w.seen(e, 0)
	case custom && e.Flags() != 0:
		w.literal(" flags=")
		w.hex(uint64(e.Flags()))
	}
	if custom {
		return
	}
	if e.Flags() != 0 && !hasSeen(schema) || e.Sub() != 0 && len(schema.Subs) == 0 {
		w.report.Lost.Add(LossMeaningless, 1)
	}
}

// seen writes the flags and traps of an entry in brackets, or nothing if all are 0.
func (w *writer) seen(e disk.Entry, traps uint64) {
	if e.Flags() == 0 && traps == 0 {
		return
	}
	w.literal(" [")
	start := len(w.b)
	if e.Flags() != 0 {
		w.seenFlags(e)
	}
	if reason := traps &^ uint64(layout.EntryTrapRecompiled); reason == uint64(disk.EntryTrapMany) {
		w.nextWord(start, "trap=many")
	} else if reason != 0 {
		w.nextWord(start, "trap=")
		w.printNumber(reason)
	}
	if traps&uint64(layout.EntryTrapRecompiled) != 0 {
		w.nextWord(start, "recompiled")
	}
	w.literal("]")
}

// seenFlags writes the words of the flags. The last word is the union of the flags without a word.
func (w *writer) seenFlags(e disk.Entry) {
	start := len(w.b)
	rest := e.Flags()
	for i, word := range flagWords(e.Tag()) {
		if word != "" && rest&(1<<i) != 0 {
			w.nextWord(start, word)
			rest &^= 1 << i
		}
	}
	if rest != 0 {
		w.nextWord(start, "")
		w.hex(uint64(rest))
	}
}

// nextWord writes a space unless the output ends at start, and a word.
func (w *writer) nextWord(start int, word string) {
	if len(w.b) > start {
		w.literal(" ")
	}
	w.literal(word)
}

func (w *writer) cellGroup(e disk.Entry, rows disk.Rows) {
	switch {
	case rows.Repeat == disk.PerGap:
		w.gap(e, rows)
	case rows.Repeat == disk.PerEight:
		w.bitmap(e)
	case rows.Repeat == disk.Once && rows.Name == "":
		w.keyedCells(e, rows)
	case rows.Repeat == disk.Once || rows.Repeat == disk.IfOdd:
		if rows.N > 0 {
			w.literal(" ")
			w.literal(keyOf(rows.Name))
			w.row(e, rows, 0)
		}
	default:
		w.rows(e, rows)
	}
}

// keyedCells writes the cells of a group that does not repeat, each with its key. Displacements come last.
func (w *writer) keyedCells(e disk.Entry, rows disk.Rows) {
	for _, displacements := range []bool{false, true} {
		for i, c := range rows.Cells {
			if hasKey(c.Kind) && (c.Kind == disk.CellDisplacement) == displacements {
				w.literal(" ")
				w.literal(cellKey(w.schema, c))
				w.cell(e, rows.First+i, c)
			}
		}
	}
}

// gap writes the cells between the count and the rows of receivers, unless all are zero.
func (w *writer) gap(e disk.Entry, rows disk.Rows) {
	if filledRows(e, rows) > 0 {
		for i := range rows.N {
			w.key(",", e.Cell(rows.First+i))
		}
	}
}

func (w *writer) bitmap(e disk.Entry) {
	if n := e.Rows(); n > 0 {
		w.literal(" ")
		w.bytes(e[disk.WideHeaderSize : disk.WideHeaderSize+n])
	}
}

// rows writes a list of rows. It omits empty rows at the end if the settings of the archive imply the number of rows.
func (w *writer) rows(e disk.Entry, rows disk.Rows) {
	n := rows.N
	if rows.Repeat == disk.PerType || rows.Repeat == disk.PerBci {
		n = filledRows(e, rows)
	}
	if isTypeList(rows.CellGroup) && w.shape.Length(e) > 0 {
		w.literal(" ")
		w.literal(rows.Name)
	}
	for row := range n {
		w.literal(" ")
		w.row(e, rows, row)
	}
}

// row writes the cells of a row. If the type or method is 0, it omits zeros at the end.
func (w *writer) row(e disk.Entry, rows disk.Rows, row int) {
	first := rows.Cells[0].Kind
	for i, c := range rows.Cells {
		cell := rows.Cell(row, i)
		switch {
		case i > 0 && (first == disk.CellType || first == disk.CellMethod) && e.Cell(rows.Cell(row, 0)) == 0 &&
			zeroFrom(e, rows, row, i):
			return
		case i > 0:
			w.literal(separator(rows.Cells, i))
		}
		w.cell(e, cell, c)
	}
}

// zeroFrom reports whether the cells of a row from i on are zero.
func zeroFrom(e disk.Entry, rows disk.Rows, row, i int) bool {
	for ; i < len(rows.Cells); i++ {
		if e.Cell(rows.Cell(row, i)) != 0 {
			return false
		}
	}
	return true
}

// filledRows returns the number of rows without the empty rows at the end.
func filledRows(e disk.Entry, rows disk.Rows) int {
	for cells := rows.N * len(rows.Cells); cells > 0; cells-- {
		if e.Cell(rows.First+cells-1) != 0 {
			return (cells-1)/len(rows.Cells) + 1
		}
	}
	return 0
}

func (w *writer) cell(e disk.Entry, cell int, c disk.CellSpec) {
	v := e.Cell(cell)
	if len(c.Bits) > 0 {
		w.literal(c.BitNames(v))
		return
	}
	switch c.Kind {
	case disk.CellDisplacement, disk.CellFlags:
		w.signed(int64(v))
	case disk.CellOpaque:
		w.hex(v)
	case disk.CellType:
		w.typeAt(v)
	case disk.CellTypeWord:
		w.typeWord(v)
	case disk.CellMethod:
		w.methodOf(v)
	case disk.CellSuccessor:
		point, index := disk.UnpackSuccessor(v)
		w.signed(int64(point))
		w.key(":", uint64(index))
	case disk.CellValue:
		if w.schema.Declared() || e.Sub() == layout.SubMemOpSize {
			w.printNumber(v)
		} else {
			w.functionID(v)
		}
	default:
		if cell == 0 && isSigned(w.schema) {
			w.signed(int64(v))
		} else {
			w.printNumber(v)
		}
	}
}

func (w *writer) typeWord(v uint64) {
	w.typeAt(v &^ disk.TypeTags)
	if v&disk.TypeNullSeen != 0 {
		w.literal("+null")
	}
	if v&disk.TypeUnknown != 0 {
		w.literal("+unknown")
	}
}

// hasKey reports whether a cell that does not repeat is written with its key. A length follows from the rows, and traps
// are written among the flags.
func hasKey(kind disk.CellKind) bool { return kind != disk.CellLength && kind != disk.CellTraps }

// cellKey returns the key of a cell that does not repeat, such as "not-taken=". The count of a Count entry has no key,
// because the sub is its unit.
func cellKey(schema *disk.Schema, c disk.CellSpec) string {
	if subIsUnit(schema) {
		return ""
	}
	return keyOf(c.Name)
}

// separator returns the separator before cell i of a row. It is "=" after the key of the row, and after a name, which
// can contain commas.
func separator(cells []disk.CellSpec, i int) string {
	if i == 1 && disk.IsKey(cells[0].Kind) || disk.IsPointer(cells[i-1].Kind) {
		return "="
	}
	return ","
}

// isTypeList reports whether g is a list of argument types, which begins with the name of the group.
func isTypeList(g *disk.CellGroup) bool {
	return g.Repeat == disk.PerCell && g.Cells[len(g.Cells)-1].Kind == disk.CellTypeWord
}

// isSigned reports whether the first count of an entry is signed. Only HotSpot has such entries.
func isSigned(schema *disk.Schema) bool { return slices.Equal(schema.SignedSubs, []layout.Sub{0}) }

// trapsCell returns the index of the traps cell of a wide entry. ok is false if the schema has none.
func trapsCell(schema *disk.Schema) (cell int, ok bool) {
	for _, g := range schema.Groups {
		if g.Repeat != disk.Once {
			break
		}
		for i, c := range g.Cells {
			if c.Kind == disk.CellTraps {
				return cell + i, true
			}
		}
		cell += len(g.Cells)
	}
	return 0, false
}

// hasSeen reports whether the schema of a wide entry has flags or traps.
func hasSeen(schema *disk.Schema) bool {
	_, traps := trapsCell(schema)
	return traps || len(schema.Flags) > 0
}
