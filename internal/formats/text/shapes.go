package text

import (
	"fmt"
	"math"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The header declares the shapes of a producer's entries.
//
//	shape 192 Operands counts
//	  cell hits count
//	  cell seen bits int float string
//	  row class type
//	  row hits count

var unitWords = func() (words wordList) {
	for u := layout.CountUnit(0); u < disk.NumCountUnits; u++ {
		words = append(words, strings.ReplaceAll(u.String(), " ", "-"))
	}
	return words
}()

func (w *writer) writeShapes() {
	for _, s := range w.shape.Declared.Shapes() {
		w.writeLiteral(fmt.Sprintf("shape %d %s %s", s.Tag, s.Name, unitWords[s.Unit]))
		w.endLine()
		w.writeShapeCells("  cell ", s.Cells)
		w.writeShapeCells("  row ", s.Rows)
	}
}

func (w *writer) writeShapeCells(word string, cells []layout.CellShape) {
	for _, c := range cells {
		w.writeLiteral(word + c.Name + " " + c.Kind.String())
		for _, bit := range c.Bits {
			if bit == "" {
				bit = "-"
			}
			w.writeLiteral(" " + bit)
		}
		w.endLine()
	}
}

func (p *parser) readShapeLine() {
	p.nextToken()
	s := layout.EntryShape{Tag: layout.Tag(p.takeUint(255))}
	p.nextToken()
	s.Name = string(p.takeWord("the name of the entries"))
	p.nextToken()
	s.Unit = layout.CountUnit(p.takeListedWord(unitWords, uint64(disk.NumCountUnits)-1, "what is counted"))
	p.head.shapes = append(p.head.shapes, s)
}

// readShapeCell reads the line of a cell and appends it to a list of the last shape.
func (p *parser) readShapeCell(list func(s *layout.EntryShape) *[]layout.CellShape) {
	if len(p.head.shapes) == 0 {
		p.MissAt(0, "the line of a shape before those of its cells")
		return
	}
	p.nextToken()
	c := layout.CellShape{Name: string(p.takeWord("the name of a cell"))}
	p.nextToken()
	c.Kind = layout.CellKind(p.takeListedWord(cellKindWords, uint64(layout.CellLast), "the kind of the cell"))
	for p.OK() && p.nextToken() {
		bit := string(p.takeWord("the name of a bit"))
		if bit == "-" {
			bit = ""
		}
		c.Bits = append(c.Bits, bit)
	}
	cells := list(&p.head.shapes[len(p.head.shapes)-1])
	*cells = append(*cells, c)
}

func (p *parser) declareShapes() error {
	if len(p.head.shapes) == 0 {
		return nil
	}
	p.shape.Declared = new(disk.Declared)
	for _, s := range p.head.shapes {
		if err := p.shape.Declared.Declare(s); err != nil {
			return fmt.Errorf("a shape of the header: %w", err)
		}
		if err := p.b.DeclareShape(s); err != nil {
			return err
		}
	}
	return nil
}

// tagByName returns the tag with a name, which can be declared in the header.
func (p *parser) tagByName(name []byte) (layout.Tag, bool) {
	for _, s := range p.shape.Declared.Shapes() {
		if s.Name == string(name) {
			return s.Tag, true
		}
	}
	return standardTagByName(name)
}

// takeBitNames consumes the output of disk.CellSpec.BitNames.
func (p *parser) takeBitNames(names []string) (v uint64) {
	for {
		v |= p.takeBitUntil("|,=", names, math.MaxUint64, "a bit that has a name in the shape, or a number")
		if !p.Skip("|") {
			return v
		}
	}
}
