package disk

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/profarc/profarc/layout"
)

// SchemaOf returns the schema of a tag that this version defines. Shape.Schema also finds declared tags.
func SchemaOf(tag layout.Tag) (s *Schema, ok bool) {
	s = schemas[tag]
	return s, s != nil
}

// Schema returns the schema of a tag that this version defines or the archive declares; ok is false for others.
func (s Shape) Schema(tag layout.Tag) (schema *Schema, ok bool) {
	schema = s.schemaFor(tag)
	return schema, schema != nil
}

func (s Shape) schemaFor(tag layout.Tag) *Schema {
	if s.Declared != nil && TagByProducer(tag) {
		return s.Declared.schemaFor(tag)
	}
	return schemas[tag]
}

func (s Shape) TagName(tag layout.Tag) string {
	if schema := s.schemaFor(tag); schema != nil && schema.Name != "" {
		return schema.Name
	}
	return tag.String()
}

func (s Shape) groupRows(g *CellGroup, n int64) int64 {
	switch g.Repeat {
	case PerGap:
		return int64(s.Gap)
	case PerType:
		return int64(s.TypeRows)
	case PerBci:
		return int64(s.BciRows)
	case PerCell:
		return max(n-g.others, 0) / int64(len(g.Cells))
	case IfOdd:
		return n % 2
	case PerRow:
		return n
	case PerEight:
		return (n + 7) / 8
	}
	return 1
}

// Cells returns the number of cells of an entry, 0 for an unknown tag. n is the value of the entry's CellLength, or
// the row count of a wide entry; other tags ignore it.
func (s Shape) Cells(tag layout.Tag, n int) int { return int(s.countCellsOf(tag, int64(n))) }

func (s Shape) countCellsOf(tag layout.Tag, n int64) (cells int64) {
	schema := s.schemaFor(tag)
	if schema == nil {
		return 0
	}
	for i := range schema.Groups {
		g := &schema.Groups[i]
		cells += s.groupRows(g, n) * int64(len(g.Cells))
	}
	return cells
}

// ReceiversFixed is the number of cells before the rows of a TagReceivers entry.
const ReceiversFixed = 2

// Unprofiled returns the sum of the cells between the count and the rows of a receiver entry, which HotSpot calls
// nonprofiled_count.
func (s Shape) Unprofiled(e Entry) (sum uint64) {
	for i := range s.Gap {
		sum = SaturatingAdd(sum, e.Cell(1+i))
	}
	return sum
}

// ReceiverRow returns the index of the type cell of receiver row i in a HotSpot entry; the count is the next cell. It
// avoids the schema table on the reader's path to a receiver. A test compares the two.
func (s Shape) ReceiverRow(i int) int { return 1 + s.Gap + 2*i }

// TypeList returns the first cell of the (slot, type) pairs of a CallType, VirtualCallType or ParametersType entry.
func (s Shape) TypeList(tag layout.Tag) int { return s.Cells(tag, 0) }

func (s Shape) lengthCellIndex(schema *Schema) (cell int64) {
	for i := range schema.Groups[:schema.lengthGroup] {
		g := &schema.Groups[i]
		cell += s.groupRows(g, 0) * int64(len(g.Cells))
	}
	return cell - 1
}

// EntryLength returns the entry's CellLength, or the row count of a wide entry; 0 for entries of fixed size.
func (s Shape) EntryLength(e Entry) int {
	schema, ok := s.Schema(e.Tag())
	switch {
	case IsWide(e.Tag()):
		return e.Rows()
	case !ok || schema.lengthGroup == 0:
		return 0
	}
	return int(e.Cell(int(s.lengthCellIndex(schema))))
}

func (s Shape) entrySize(b []byte) (int64, error) {
	tag := layout.Tag(b[0])
	schema := s.schemaFor(tag)
	switch {
	case schema == nil:
		return 0, fmt.Errorf("unknown entry tag %d", uint8(tag))
	case IsWide(tag):
		return s.wideSize(tag, b)
	case schema.lengthGroup == 0:
		return EntryHeaderSize + s.countCellsOf(tag, 0)*CellSize, nil
	}
	at := EntryHeaderSize + s.lengthCellIndex(schema)*CellSize
	if int64(len(b)) < at+CellSize {
		return 0, fmt.Errorf("a %s entry is cut off after %d bytes", tag, len(b))
	}
	n := le.Uint64(b[at:])
	if n > uint64(len(b)/CellSize) {
		return 0, fmt.Errorf("a %s entry says it has %d more cells, %d bytes are left", tag, n, len(b))
	}
	size := at + CellSize + int64(n)*CellSize
	if size != EntryHeaderSize+s.countCellsOf(tag, int64(n))*CellSize {
		return 0, fmt.Errorf("a %s entry of %d cells", tag, n)
	}
	return size, nil
}

// A Fixed has the entry size in units and the number of pointer cells for each tag whose entries have one size; 0
// units for other tags.
type Fixed struct{ Units, Pointers [256]uint8 }

func (s Shape) FixedSizes() *Fixed {
	f := new(Fixed)
	for tag := layout.Tag(0); !IsWide(tag); tag++ {
		if schemas[tag] == nil || schemas[tag].lengthGroup != 0 {
			continue
		}
		units := EntryHeaderSize/Unit + s.countCellsOf(tag, 0)
		if units > math.MaxUint8 {
			continue
		}
		f.Units[tag] = uint8(units)
		for i := range schemas[tag].Groups {
			g := &schemas[tag].Groups[i]
			f.Pointers[tag] += uint8(s.groupRows(g, 0)) * uint8(bits.OnesCount8(g.sets[pointerCells]))
		}
	}
	return f
}

func (s Shape) wideSize(tag layout.Tag, b []byte) (int64, error) {
	if len(b) < WideHeaderSize {
		return 0, fmt.Errorf("a %s entry is cut off after %d bytes", tag, len(b))
	}
	cells := le.Uint32(b[8:])
	rows := le.Uint32(b[12:])
	if schema := s.schemaFor(tag); schema.declared && !schema.hasRows && rows > 0 {
		return 0, fmt.Errorf("%s has %d rows, which have no cells", schema.Name, rows)
	}
	if s.countCellsOf(tag, int64(rows)) != int64(cells) {
		return 0, fmt.Errorf("a %s entry of %d rows says it has %d cells", tag, rows, cells)
	}
	return WideHeaderSize + int64(cells)*CellSize, nil
}

type Rows struct {
	*CellGroup
	First int // index of the first cell of the first row
	N     int
}

func (r Rows) Cell(row, i int) int { return r.First + row*len(r.Cells) + i }

func (s Shape) Groups(e Entry) iter.Seq[Rows] {
	return func(yield func(Rows) bool) {
		schema, ok := s.Schema(e.Tag())
		if !ok {
			return
		}
		n := e.rowsField()
		at := 0
		for i := range schema.Groups {
			g := &schema.Groups[i]
			rows := int(s.groupRows(g, n))
			if !yield(Rows{g, at, rows}) {
				return
			}
			if at += rows * len(g.Cells); g.length {
				n = int64(e.Cell(at - 1))
			}
		}
	}
}

// WalkCells iterates over the indices and kinds of all cells of an entry, in order.
func (s Shape) WalkCells(e Entry) iter.Seq2[int, CellKind] {
	return func(yield func(int, CellKind) bool) { s.walkCells(e, allCells, yield) }
}

// Counts iterates over the indices of an entry's count cells, in order. The first count may be signed; see SignedCount.
func (s Shape) Counts(e Entry) iter.Seq[int] {
	return func(yield func(int) bool) {
		s.walkCells(e, countCells, func(cell int, _ CellKind) bool { return yield(cell) })
	}
}

// Pointers iterates over the pointer cells of an entry, null or not, in order.
func (s Shape) Pointers(e Entry) iter.Seq2[int, CellKind] {
	return func(yield func(int, CellKind) bool) { s.walkCells(e, pointerCells, yield) }
}

// Identity iterates over the key cells outside rows, in order. They distinguish entries with equal point, tag and sub.
func (s Shape) Identity(e Entry) iter.Seq2[int, CellKind] {
	return func(yield func(int, CellKind) bool) { s.walkCells(e, identityCells, yield) }
}

// HasIdentity reports whether entries of the tag have key cells outside rows.
func (s Shape) HasIdentity(tag layout.Tag) bool {
	schema := s.schemaFor(tag)
	return schema != nil && schema.has[identityCells]
}

// walkCells calls yield with the cells of a set, in order, until yield returns false. It is a single loop because
// commits, checks and merges spend their time here.
func (s Shape) walkCells(e Entry, set cellSet, yield func(int, CellKind) bool) {
	schema := s.schemaFor(e.Tag())
	if schema == nil || !schema.has[set] {
		return
	}
	n := e.rowsField()
	at := 0
	for i := range schema.Groups {
		g := &schema.Groups[i]
		width := len(g.Cells)
		end := at + int(s.groupRows(g, n))*width
		for in := g.sets[set]; in != 0 && at < end; at += width {
			for rest := in; rest != 0; rest &= rest - 1 {
				cell := bits.TrailingZeros8(rest)
				if !yield(at+cell, g.Cells[cell].Kind) {
					return
				}
			}
		}
		at = end
		if g.length {
			n = int64(e.Cell(at - 1))
		}
	}
}

func (e Entry) rowsField() int64 {
	if IsWide(e.Tag()) {
		return int64(e.Rows())
	}
	return 0
}

// SignedCount reports whether the entry's first count is an i64.
func (e Entry) SignedCount() bool {
	s, ok := SchemaOf(e.Tag())
	return ok && len(s.SignedSubs) > 0 && slices.Contains(s.SignedSubs, e.Sub())
}

func (s Shape) SignedCell(e Entry) int {
	if e.SignedCount() {
		for cell := range s.Counts(e) {
			return cell
		}
	}
	return -1
}

func (s Shape) CountUnit(e Entry) layout.CountUnit {
	switch schema, ok := s.Schema(e.Tag()); {
	case !ok:
		return UnitExecutions
	case int(e.Sub()) < len(schema.Units):
		return schema.Units[e.Sub()]
	default:
		return schema.unit
	}
}

type Mask struct {
	Units    uint32 // entry size; 0 if it varies
	Pointers uint64
	Counts   uint64
	Methods  bool // pointers refer to methods, not to types
	Words    bool // some pointers have type-word tags
	Signed   bool // negative counts are ignored
}

// Masks has the masks of HotSpot's tags with entries of one size, by tag.
type Masks [16]Mask

func (s Shape) Masks() *Masks {
	m := new(Masks)
	fixed := s.FixedSizes()
	for tag := range m {
		if units := fixed.Units[tag]; units > 0 && units <= 64 {
			m[tag] = s.fixedMask(layout.Tag(tag), uint32(units))
		}
	}
	return m
}

func (s Shape) fixedMask(tag layout.Tag, units uint32) Mask {
	e := make(Entry, units*Unit)
	e[0] = byte(tag)
	m := Mask{Units: units, Signed: e.SignedCount()}
	for cell := range s.Counts(e) {
		m.Counts |= 1 << cell
	}
	for cell, kind := range s.Pointers(e) {
		m.Pointers |= 1 << cell
		m.Words = m.Words || kind == CellTypeWord
		m.Methods = kind == CellMethod // no entry refers to both types and methods
	}
	return m
}

type WideMask struct {
	Cells, Row           int
	Counts, CountsOfRows uint64
	Types, TypesOfRows   uint64
}

// WideMasks has the masks of wide tags, by tag less 64. A tag has one if its entries consist of single cells and rows
// of equal cells, and if all its pointers refer to types. TagUndecoded has none, since a check must notice it.
type WideMasks [256 - firstWide]*WideMask

const firstWide = 64

func (m *WideMasks) MaskOfTag(tag layout.Tag) *WideMask {
	if !IsWide(tag) {
		return nil
	}
	return m[tag-firstWide]
}

func (s Shape) WideMasks() *WideMasks {
	m := new(WideMasks)
	for i := range m {
		m[i] = s.wideMask(layout.Tag(firstWide + i))
	}
	return m
}

func (s Shape) wideMask(tag layout.Tag) *WideMask {
	first := s.Cells(tag, 0)
	both := s.Cells(tag, 1)
	if both == 0 || tag == TagUndecoded || first > 64 || both-first > 64 {
		return nil
	}
	for _, rows := range [...]int{2, 3, 64} {
		if s.Cells(tag, rows) != first+rows*(both-first) {
			return nil
		}
	}
	m := &WideMask{Cells: first, Row: both - first}
	_, e := NewWide(nil, tag, 0, 0, 0, both, 1)
	for cell := range s.Counts(e) {
		if cell < first {
			m.Counts |= 1 << cell
		} else {
			m.CountsOfRows |= 1 << (cell - first)
		}
	}
	for cell, kind := range s.Pointers(e) {
		switch {
		case kind != CellType:
			return nil
		case cell < first:
			m.Types |= 1 << cell
		default:
			m.TypesOfRows |= 1 << (cell - first)
		}
	}
	return m
}
