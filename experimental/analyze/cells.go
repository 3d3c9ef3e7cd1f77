package analyze

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/reader"
)

// A CellGroup holds consecutive cells of a point's entry, as the schema of its tag groups them. Lengths and
// displacements are left out.
type CellGroup struct {
	Name string // name of the rows; "" if Once
	Once bool
	List bool // every row is a single number
	Rows [][]Cell
}

// A Cell is a type, a method, text or a number in an entry.
type Cell struct {
	Name   string
	Full   string // Name and the row's number, as in "slot 3"
	Count  bool   // Value counts an outcome
	Type   *ValueType
	Method *MethodName // with Method "" if the cell has no method
	Text   string
	Value  uint64
	// Modified marks a Value with one bit per word of an argument; a set bit means that the method modifies the word.
	Modified bool
}

// Cells returns the cells of the point's entry. It reads the archive, so the store must still be open.
func (p *Point) Cells() (groups []CellGroup, err error) {
	r := &pointReader{s: p.store}
	for rows := range (*mapped.Mapping)(p.store.Mapping()).Shape().Groups(p.entry.Bytes()) {
		if rows.Repeat == disk.PerGap && rows.N == 0 {
			continue
		}
		g := CellGroup{Name: rows.Name, Once: rows.Repeat == disk.Once, Rows: make([][]Cell, rows.N)}
		g.List = !g.Once && len(rows.Cells) == 1 && !rows.HasPointers()
		for row := range rows.N {
			for i, spec := range rows.Cells {
				if spec.Kind != disk.CellLength && spec.Kind != disk.CellDisplacement {
					c := r.readCell(p.entry, rows.Cell(row, i), spec)
					c.setFullName(g.Once, row)
					g.Rows[row] = append(g.Rows[row], c)
				}
			}
		}
		groups = append(groups, g)
	}
	return groups, r.err
}

func (c *Cell) setFullName(once bool, row int) {
	switch {
	case once:
		c.Full = c.Name
	case c.Modified:
		c.Full = fmt.Sprintf("argument %d", row)
	default:
		c.Full = fmt.Sprintf("%s %d", c.Name, row)
	}
}

func (r *pointReader) readCell(e reader.Entry, at int, spec disk.CellSpec) Cell {
	c := Cell{Name: spec.Name, Count: spec.Kind == disk.CellCount, Value: e.Cell(at).Load()}
	switch signed := at == 0 && disk.Entry(e.Bytes()).SignedCount(); {
	case spec.Kind == disk.CellType || spec.Kind == disk.CellTypeWord:
		word := e.TypeCell(at)
		if spec.Kind == disk.CellType {
			word = reader.TypeWord{Type: word.Type}
		}
		t := r.readValueType(0, word)
		c.Type = &t
	case spec.Kind == disk.CellMethod:
		m, err := e.MethodCell(at)
		r.keepError(err)
		o := Outcome{Method: &MethodName{}}
		r.setMethod(&o, m)
		c.Method = o.Method
	case len(spec.Bits) > 0:
		c.Text = spec.BitNames(c.Value)
	case spec.Kind == disk.CellSuccessor:
		point, index := disk.UnpackSuccessor(c.Value)
		c.Text = fmt.Sprintf("%d (%d)", point, index)
	case spec.Kind == disk.CellFlags || signed:
		c.Modified = !signed
		c.Text = fmt.Sprint(int64(c.Value))
	}
	return c
}
