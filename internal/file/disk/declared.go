package disk

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/profarc/profarc/layout"
)

// TableShapes stores the shapes that a producer declares for its own tags. A row is a head and a name of at most 32
// bytes, zero-padded to four words. The head is
//
//	tag<<32 | part<<24 | cell<<16 | bit<<8 | kind
//
// and rows are sorted by it. Part 0 is one row per shape with the name of the entries; its kind is the unit of their
// counts. Parts 1 and 2 have one row per cell, outside and inside the repeated row. Parts 3 and 4 name bits of these
// cells, with kind 0.

const (
	shapeEntry = iota
	shapeCell
	shapeRow
	shapeCellBit
	shapeRowBit
)

// Limits of shapes.
const (
	maxShapeName  = 32
	maxShapeCells = 32
	maxShapeRow   = 8
	maxShapeBits  = 64
	maxGroupCells = 8 // cells of one CellGroup
)

// ShapeRowWords is the number of columns of TableShapes.
const ShapeRowWords = 1 + maxShapeName/8

// ErrDeclared reports a tag or name that is already declared with a different shape.
var ErrDeclared = errors.New("a tag has another shape already")

// Declared has the shapes that an archive declares. The zero value has none.
type Declared struct {
	shapes  []layout.EntryShape // sorted by tag
	schemas [256 - int(layout.TagProducer)]*Schema
}

// Shapes returns the shapes sorted by tag. They must not be changed.
func (d *Declared) Shapes() []layout.EntryShape {
	if d == nil {
		return nil
	}
	return d.shapes
}

func (d *Declared) schemaFor(tag layout.Tag) *Schema { return d.schemas[tag-layout.TagProducer] }

// Declare adds a shape. An equal shape again has no effect. Another shape of the same tag or name is an ErrDeclared.
func (d *Declared) Declare(s layout.EntryShape) error {
	s = normalizeShape(s)
	if err := checkShape(&s); err != nil {
		return err
	}
	for i := range d.shapes {
		switch have := &d.shapes[i]; {
		case have.Tag == s.Tag && sameShape(have, &s):
			return nil
		case have.Tag == s.Tag:
			return fmt.Errorf("%w: tag %d is %s, with other cells than this %s", ErrDeclared, s.Tag, have.Name, s.Name)
		case have.Name == s.Name:
			return fmt.Errorf("%w: tags %d and %d are both named %s", ErrDeclared, have.Tag, s.Tag, s.Name)
		}
	}
	at, _ := slices.BinarySearchFunc(d.shapes, s.Tag,
		func(s layout.EntryShape, tag layout.Tag) int { return int(s.Tag) - int(tag) })
	d.shapes = slices.Insert(d.shapes, at, s)
	d.schemas[s.Tag-layout.TagProducer] = schemaOfShape(&s)
	return nil
}

func (d *Declared) Clone() *Declared {
	c := *d
	c.shapes = slices.Clone(d.shapes)
	return &c
}

func normalizeShape(s layout.EntryShape) layout.EntryShape {
	for _, cells := range []*[]layout.CellShape{&s.Cells, &s.Rows} {
		*cells = slices.Clone(*cells)
		for i := range *cells {
			c := &(*cells)[i]
			n := len(c.Bits)
			for n > 0 && c.Bits[n-1] == "" {
				n--
			}
			c.Bits = slices.Clone(c.Bits[:n])
		}
	}
	return s
}

func sameShape(x, y *layout.EntryShape) bool {
	same := func(a, b layout.CellShape) bool {
		return a.Name == b.Name && a.Kind == b.Kind && slices.Equal(a.Bits, b.Bits)
	}
	return x.Name == y.Name && x.Unit == y.Unit && slices.EqualFunc(x.Cells, y.Cells, same) &&
		slices.EqualFunc(x.Rows, y.Rows, same)
}

func checkShape(s *layout.EntryShape) error {
	switch {
	case !TagByProducer(s.Tag):
		return fmt.Errorf("tag %d is not a producer's: those are %d to 255", s.Tag, layout.TagProducer)
	case !isValidName(s.Name, true) || isTagName(s.Name):
		return fmt.Errorf("%.40q does not name entries: a name of its own has 1 to %d letters, digits, - and _, a capital "+
			"letter first", s.Name, maxShapeName)
	case s.Unit >= NumCountUnits:
		return fmt.Errorf("%s: %d is no unit of counts", s.Name, s.Unit)
	case len(s.Cells) > maxShapeCells || len(s.Rows) > maxShapeRow:
		return fmt.Errorf("%s: %d cells, and %d in a row; at most %d and %d are possible", s.Name, len(s.Cells), len(s.Rows),
			maxShapeCells, maxShapeRow)
	}
	if err := checkCells(s.Cells, entryWords); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if err := checkCells(s.Rows, nil); err != nil {
		return fmt.Errorf("%s: rows: %w", s.Name, err)
	}
	return nil
}

// entryWords are the names that the JSON dump and the text use for parts of every entry.
var entryWords = []string{"tag", "point", "flags", "traps", "sub", "rows"}

func checkCells(cells []layout.CellShape, taken []string) error {
	names := slices.Clone(taken)
	for _, c := range cells {
		switch {
		case !isValidName(c.Name, false) || slices.Contains(names, c.Name):
			return fmt.Errorf("%.40q does not name a cell: a name of its own has 1 to %d small letters, digits, - and _, a "+
				"letter first", c.Name, maxShapeName)
		case c.Kind < layout.CellCount || c.Kind > layout.CellLast:
			return fmt.Errorf("cell %s: no cell of a producer is of kind %d", c.Name, c.Kind)
		case len(c.Bits) > 0 && c.Kind != layout.CellBits || len(c.Bits) > maxShapeBits:
			return fmt.Errorf("cell %s: names of %d bits in a cell of kind %s", c.Name, len(c.Bits), c.Kind)
		}
		for i, bit := range c.Bits {
			if bit != "" && (!isValidName(bit, false) || slices.Index(c.Bits, bit) != i) {
				return fmt.Errorf("cell %s: %.40q does not name a bit: a name of its own is spelled as those of cells", c.Name, bit)
			}
		}
		names = append(names, c.Name)
	}
	return nil
}

func isValidName(name string, capital bool) bool {
	const small = "abcdefghijklmnopqrstuvwxyz"
	const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	first, others := small, small+"0123456789-_"
	if capital {
		first = capitals
		others += capitals
	}
	return len(name) > 0 && len(name) <= maxShapeName && strings.IndexByte(first, name[0]) >= 0 &&
		strings.Trim(name, others) == ""
}

func isTagName(name string) bool {
	for tag := layout.Tag(1); tag < layout.TagProducer; tag++ {
		if tag.String() == name {
			return true
		}
	}
	return false
}

func schemaOfShape(s *layout.EntryShape) *Schema {
	schema := &Schema{Name: s.Name, unit: s.Unit, declared: true, hasRows: len(s.Rows) > 0}
	for rest := s.Cells; len(rest) > 0; {
		n := min(len(rest), maxGroupCells)
		schema.Groups = append(schema.Groups, singleCells(rest[:n]...))
		rest = rest[n:]
	}
	if len(s.Rows) > 0 {
		schema.Groups = append(schema.Groups, rowGroup("rows", PerRow, s.Rows...))
	}
	schema.classify()
	return schema
}

func (d *Declared) Rows() iter.Seq[[ShapeRowWords]uint64] {
	return func(yield func([ShapeRowWords]uint64) bool) {
		for i := range d.Shapes() {
			for _, row := range shapeRows(&d.shapes[i]) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func shapeRows(s *layout.EntryShape) (rows [][ShapeRowWords]uint64) {
	add := func(part, cell, bit int, kind uint8, name string) {
		row := [ShapeRowWords]uint64{uint64(s.Tag)<<32 | uint64(part)<<24 | uint64(cell)<<16 | uint64(bit)<<8 | uint64(kind)}
		var text [maxShapeName]byte
		copy(text[:], name)
		for i := range row[1:] {
			row[1+i] = le.Uint64(text[8*i:])
		}
		rows = append(rows, row)
	}
	lists := [][]layout.CellShape{s.Cells, s.Rows}
	add(shapeEntry, 0, 0, uint8(s.Unit), s.Name)
	for i, cells := range lists {
		for j, c := range cells {
			add(shapeCell+i, j, 0, uint8(c.Kind), c.Name)
		}
	}
	for i, cells := range lists {
		for j, c := range cells {
			for bit, name := range c.Bits {
				if name != "" {
					add(shapeCellBit+i, j, bit, 0, name)
				}
			}
		}
	}
	return rows
}

// ParseDeclared decodes the rows of TableShapes. It accepts only rows that Declare and Rows can produce. The error
// describes the defect without an offset.
func ParseDeclared(t *Table) (*Declared, error) {
	d := new(Declared)
	var open layout.EntryShape
	for i := range t.Rows {
		var row [ShapeRowWords]uint64
		for column := range row {
			row[column] = t.Cell(column, i)
		}
		if tag := row[0] >> 32; open.Name == "" || tag != uint64(open.Tag) {
			if err := d.declareShape(&open); err != nil {
				return nil, err
			}
			open = layout.EntryShape{Tag: layout.Tag(tag)}
		}
		addShapeRow(&open, row)
	}
	if err := d.declareShape(&open); err != nil {
		return nil, err
	}
	i := 0
	for row := range d.Rows() {
		for column := range row {
			if i >= t.Rows || t.Cell(column, i) != row[column] {
				return nil, fmt.Errorf("row %d of the shapes of entries does not follow from the others", i)
			}
		}
		i++
	}
	if i != t.Rows {
		return nil, fmt.Errorf("%d rows describe the shapes of entries, %d would do", t.Rows, i)
	}
	return d, nil
}

func (d *Declared) declareShape(s *layout.EntryShape) error {
	if s.Tag == 0 {
		return nil
	}
	return d.Declare(*s)
}

// addShapeRow adds a row to a shape. It ignores invalid parts, so that the shape's rows then differ from the input.
func addShapeRow(s *layout.EntryShape, row [ShapeRowWords]uint64) {
	var text [maxShapeName]byte
	for i, word := range row[1:] {
		le.PutUint64(text[8*i:], word)
	}
	name := strings.TrimRight(string(text[:]), "\x00")
	part := uint8(row[0] >> 24)
	cell := int(uint8(row[0] >> 16))
	bit := int(uint8(row[0] >> 8))
	kind := uint8(row[0])
	lists := []*[]layout.CellShape{&s.Cells, &s.Rows}
	switch {
	case part == shapeEntry:
		s.Name, s.Unit = name, layout.CountUnit(kind)
	case part == shapeCell || part == shapeRow:
		list := lists[part-shapeCell]
		*list = append(*list, layout.CellShape{Name: name, Kind: layout.CellKind(kind)})
	case part == shapeCellBit || part == shapeRowBit:
		if list := *lists[part-shapeCellBit]; cell < len(list) && bit < maxShapeBits {
			bits := &list[cell].Bits
			*bits = append(*bits, make([]string, max(bit+1-len(*bits), 0))...)
			(*bits)[bit] = name
		}
	}
}
