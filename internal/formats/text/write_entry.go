package text

import (
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var le = binary.LittleEndian

// writeSection writes the entries of a section of a profile. The reader has verified the profile.
func (w *writer) writeSection(p reader.Profile, section disk.BlockSection) {
	for rest := disk.Block(p.Bytes()).Section(section); len(rest) > 0; {
		e, next, err := w.shape.NextEntry(rest)
		if w.Fail(err) {
			return
		}
		w.writeEntryLine(section, e)
		rest = next
	}
}

func (w *writer) writeEntryLine(section disk.BlockSection, e disk.Entry) {
	schema, _ := w.shape.Schema(e.Tag())
	if disk.IsWide(e.Tag()) && section != disk.SectionData {
		w.report.Lost.Add(LossMisplaced, 1)
		return
	}
	w.report.Entries++
	w.writeLiteral("    ")
	if word := sectionWords.wordFor(uint64(section)); word != "" {
		w.writeLiteral(word)
		w.writeLiteral(" ")
	}
	w.writeLiteral("@")
	w.writeInt(int64(e.Point()))
	w.writeLiteral(" ")
	w.writeLiteral(w.shape.TagName(e.Tag()))
	w.writeSubAndSeen(schema, e)
	w.schema = schema
	for rows := range w.shape.Groups(e) {
		w.writeCellGroup(e, rows)
	}
	w.endLine()
}

// writeSubAndSeen writes the header of an entry after its tag. A sub or flags that the schema does not define are
// reported as a loss.
func (w *writer) writeSubAndSeen(schema *disk.Schema, e disk.Entry) {
	if !disk.IsWide(e.Tag()) {
		w.writeSeen(e, uint64(e.Traps()))
		return
	}
	custom := w.h.Domain == layout.DomainCustom
	if len(schema.Subs) > 0 {
		w.writeLiteral(" ")
		w.writeListedWord(subWords(schema), uint64(e.Sub()))
	} else if custom && e.Sub() != 0 {
		w.writeKeyNumber(" sub=", uint64(e.Sub()))
	}
	traps, hasTraps := findTrapsCell(schema)
	switch {
	case hasTraps:
		w.writeSeen(e, e.Cell(traps))
	case len(schema.Flags) > 0:
		w.writeSeen(e, 0)
	case custom && e.Flags() != 0:
		w.writeLiteral(" flags=")
		w.writeHex(uint64(e.Flags()))
	}
	if custom {
		return
	}
	if e.Flags() != 0 && !hasTraps && len(schema.Flags) == 0 || e.Sub() != 0 && len(schema.Subs) == 0 {
		w.report.Lost.Add(LossMeaningless, 1)
	}
}

// writeSeen writes the flags and traps of an entry in brackets, or nothing if all are 0.
func (w *writer) writeSeen(e disk.Entry, traps uint64) {
	if e.Flags() == 0 && traps == 0 {
		return
	}
	w.writeLiteral(" [")
	start := len(w.b)
	w.writeBits(flagWords(e.Tag()), uint64(e.Flags()), " ")
	if reason := traps &^ uint64(layout.EntryTrapRecompiled); reason == uint64(disk.EntryTrapMany) {
		w.writeSeparatedWord(start, "trap=many")
	} else if reason != 0 {
		w.writeSeparatedWord(start, "trap=")
		w.writeUint(reason)
	}
	if traps&uint64(layout.EntryTrapRecompiled) != 0 {
		w.writeSeparatedWord(start, "recompiled")
	}
	w.writeLiteral("]")
}

// writeSeparatedWord writes a space unless the output ends at start, and a word.
func (w *writer) writeSeparatedWord(start int, word string) {
	if len(w.b) > start {
		w.writeLiteral(" ")
	}
	w.writeLiteral(word)
}

func (w *writer) writeCellGroup(e disk.Entry, rows disk.Rows) {
	switch {
	case rows.Repeat == disk.PerGap:
		w.writeGapCells(e, rows)
	case rows.Repeat == disk.PerEight:
		w.writeBitmap(e)
	case rows.Repeat == disk.Once && rows.Name == "":
		w.writeKeyedCells(e, rows)
	case rows.Repeat == disk.Once || rows.Repeat == disk.IfOdd:
		if rows.N > 0 {
			w.writeLiteral(" ")
			w.writeLiteral(cachedKey(rows.Name))
			w.writeRow(e, rows, 0)
		}
	default:
		w.writeRows(e, rows)
	}
}

// writeKeyedCells writes the cells of a group that does not repeat, each with its key. Displacements come last.
func (w *writer) writeKeyedCells(e disk.Entry, rows disk.Rows) {
	for _, displacements := range []bool{false, true} {
		for i, c := range rows.Cells {
			if isWrittenWithKey(c.Kind) && (c.Kind == disk.CellDisplacement) == displacements {
				w.writeLiteral(" ")
				w.writeLiteral(cellKey(w.schema, c))
				w.writeCell(e, rows.First+i, c)
			}
		}
	}
}

// writeGapCells writes the cells between the count and the rows of receivers, unless all are zero.
func (w *writer) writeGapCells(e disk.Entry, rows disk.Rows) {
	if countFilledRows(e, rows) > 0 {
		for i := range rows.N {
			w.writeKeyNumber(",", e.Cell(rows.First+i))
		}
	}
}

func (w *writer) writeBitmap(e disk.Entry) {
	if n := e.Rows(); n > 0 {
		w.writeLiteral(" ")
		w.writeHexBytes(e[disk.WideHeaderSize : disk.WideHeaderSize+n])
	}
}

// writeRows writes a list of rows. It omits empty rows at the end if the settings of the archive imply the number of
// rows.
func (w *writer) writeRows(e disk.Entry, rows disk.Rows) {
	n := rows.N
	if rows.Repeat == disk.PerType || rows.Repeat == disk.PerBci {
		n = countFilledRows(e, rows)
	}
	if isTypeList(rows.CellGroup) && w.shape.EntryLength(e) > 0 {
		w.writeLiteral(" ")
		w.writeLiteral(rows.Name)
	}
	for row := range n {
		w.writeLiteral(" ")
		w.writeRow(e, rows, row)
	}
}

// writeRow writes the cells of a row. If the type or method is 0, it omits zeros at the end.
func (w *writer) writeRow(e disk.Entry, rows disk.Rows, row int) {
	first := rows.Cells[0].Kind
	for i, c := range rows.Cells {
		cell := rows.Cell(row, i)
		switch {
		case i > 0 && (first == disk.CellType || first == disk.CellMethod) && e.Cell(rows.Cell(row, 0)) == 0 &&
			isZeroFrom(e, rows, row, i):
			return
		case i > 0:
			w.writeLiteral(separatorBefore(rows.Cells, i))
		}
		w.writeCell(e, cell, c)
	}
}

func isZeroFrom(e disk.Entry, rows disk.Rows, row, i int) bool {
	for ; i < len(rows.Cells); i++ {
		if e.Cell(rows.Cell(row, i)) != 0 {
			return false
		}
	}
	return true
}

// countFilledRows returns the number of rows without the empty rows at the end.
func countFilledRows(e disk.Entry, rows disk.Rows) int {
	for cells := rows.N * len(rows.Cells); cells > 0; cells-- {
		if e.Cell(rows.First+cells-1) != 0 {
			return (cells-1)/len(rows.Cells) + 1
		}
	}
	return 0
}

func (w *writer) writeCell(e disk.Entry, cell int, c disk.CellSpec) {
	v := e.Cell(cell)
	if len(c.Bits) > 0 {
		w.writeLiteral(disk.BitNames(c, v))
		return
	}
	switch c.Kind {
	case disk.CellDisplacement, disk.CellFlags:
		w.writeInt(int64(v))
	case disk.CellOpaque:
		w.writeHex(v)
	case disk.CellType:
		w.writeTypePointer(v)
	case disk.CellTypeWord:
		w.writeTypeWord(v)
	case disk.CellMethod:
		w.writeMethodPointer(v)
	case disk.CellSuccessor:
		point, index := disk.UnpackSuccessor(v)
		w.writeInt(int64(point))
		w.writeKeyNumber(":", uint64(index))
	case disk.CellValue:
		if w.schema.Declared() || e.Sub() == layout.SubMemOpSize {
			w.writeUint(v)
		} else {
			w.writeFunctionID(v)
		}
	default:
		if cell == 0 && hasSignedCount(w.schema) {
			w.writeInt(int64(v))
		} else {
			w.writeUint(v)
		}
	}
}

func (w *writer) writeTypeWord(v uint64) {
	w.writeTypePointer(v &^ disk.TypeTags)
	if v&disk.TypeNullSeen != 0 {
		w.writeLiteral("+null")
	}
	if v&disk.TypeUnknown != 0 {
		w.writeLiteral("+unknown")
	}
}

// isWrittenWithKey reports whether a cell that does not repeat is written with its key. A length follows from the rows,
// and traps are written among the flags.
func isWrittenWithKey(kind disk.CellKind) bool {
	return kind != disk.CellLength && kind != disk.CellTraps
}

// cellKey returns the key of a cell that does not repeat, such as "not-taken=". The count of a Count entry has no key,
// because the sub is its unit.
func cellKey(schema *disk.Schema, c disk.CellSpec) string {
	if subIsUnit(schema) {
		return ""
	}
	return cachedKey(c.Name)
}

// separatorBefore returns the separator before cell i of a row. It is "=" after the key of the row, and after a name,
// which can contain commas.
func separatorBefore(cells []disk.CellSpec, i int) string {
	if i == 1 && disk.IsKey(cells[0].Kind) || disk.IsPointer(cells[i-1].Kind) {
		return "="
	}
	return ","
}

// isTypeList reports whether g is a list of argument types, which begins with the name of the group.
func isTypeList(g *disk.CellGroup) bool {
	return g.Repeat == disk.PerCell && g.Cells[len(g.Cells)-1].Kind == disk.CellTypeWord
}

// hasSignedCount reports whether the first count of an entry is signed. Only HotSpot has such entries.
func hasSignedCount(schema *disk.Schema) bool {
	return slices.Equal(schema.SignedSubs, []layout.Sub{0})
}

// findTrapsCell returns the index of the traps cell of a wide entry. ok is false if the schema has none.
func findTrapsCell(schema *disk.Schema) (cell int, ok bool) {
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
