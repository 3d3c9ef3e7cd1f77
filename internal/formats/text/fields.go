package text

import (
	"fmt"
	"math"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A fieldForm describes the line of an optional field, which has a word and numbers with keys.
type fieldForm struct {
	name    string
	field   disk.Presence
	numbers []fieldNumber
	set     func(p *builder.Profile, n []uint64)
}

type fieldNumber struct {
	key    string // key including "="
	offset int    // offset in the field in bytes
	size   int    // size in bytes
	hex    bool   // written in hexadecimal
}

func counterField(word string, field disk.Presence, set func(p *builder.Profile, n uint64)) fieldForm {
	return fieldForm{word, field, []fieldNumber{{size: 8}}, func(p *builder.Profile, n []uint64) { set(p, n[0]) }}
}

// fieldForms lists the fields in the order of the text. The field of traps is a list of any length.
var fieldForms = [...]fieldForm{
	{"size", disk.HasSize, []fieldNumber{{key: "code=", size: 4}, {key: "producer=", offset: 4, size: 4}},
		func(p *builder.Profile, n []uint64) {
			p.Internal().SetSize(profileset.CodeSize{Code: uint32(n[0]), Host: uint32(n[1])})
		}},
	counterField("invocations", disk.HasInvocations, (*builder.Profile).Invocations),
	counterField("backedges", disk.HasBackedges, (*builder.Profile).Backedges),
	counterField("interpreted", disk.HasInterpreted, (*builder.Profile).Interpreted),
	{"history", disk.HasHistory, []fieldNumber{{key: "decompiles=", size: 4},
		{key: "overflow-recompiles=", offset: 4, size: 4}, {key: "overflow-traps=", offset: 8, size: 4},
		{key: "tenure-traps=", offset: 12, size: 4}},
		func(p *builder.Profile, n []uint64) {
			p.Internal().SetHistory(profileset.History{Decompiles: uint32(n[0]), OverflowRecompiles: uint32(n[1]),
				OverflowTraps: uint32(n[2]), TenureTraps: uint32(n[3])})
		}},
	{"compile", disk.HasCompile, []fieldNumber{{key: "level=", size: 1}, {key: "state=", offset: 1, size: 1},
		{
			key:    "would-profile=",
			offset: 2,
			size:   1,
		}, {key: "loops=", offset: 4, size: 2}, {key: "blocks=", offset: 6, size: 2}},
		func(p *builder.Profile, n []uint64) {
			p.Internal().SetCompilation(profileset.Compilation{Level: uint8(n[0]), State: uint8(n[1]), WouldProfile: uint8(n[2]),
				Loops: uint16(n[3]), Blocks: uint16(n[4])})
		}},
	{"escape", disk.HasEscape, []fieldNumber{{key: "flags=", size: 8, hex: true},
		{key: "local=", offset: 8, size: 8, hex: true}, {key: "stack=", offset: 16, size: 8, hex: true},
		{key: "returned=", offset: 24, size: 8, hex: true}},
		func(p *builder.Profile, n []uint64) {
			p.Internal().SetEscape(profileset.Escape{Flags: n[0], Local: n[1], Stack: n[2], Returned: n[3]})
		}},
	{name: "traps", field: disk.HasTraps},
}

func (p *parser) readField(f *fieldForm) {
	if f.field == disk.HasTraps {
		p.readTrapsField()
		return
	}
	var numbers []uint64
	for _, n := range f.numbers {
		p.expectToken(n.key)
		numbers = append(numbers, p.takeUint(math.MaxUint64>>(64-8*n.size)))
	}
	f.set(p.profile.Profile, numbers)
	switch f.field {
	case disk.HasInvocations:
		p.counts.Totals.Add(ledger.Invocations, numbers[0])
	case disk.HasBackedges:
		p.counts.Totals.Add(ledger.Backedges, numbers[0])
	}
}

func (p *parser) readTrapsField() {
	p.bytes = p.bytes[:0]
	for p.nextToken() {
		p.bytes = append(p.bytes, uint8(p.takeUint(math.MaxUint8)))
	}
	p.profile.Profile.Internal().PutTraps(p.bytes)
}

// writeFields writes the optional fields of the block, including zeros.
func (w *writer) writeFields(p reader.Profile) {
	for i := range fieldForms {
		f := &fieldForms[i]
		content := disk.Block(p.Bytes()).Field(f.field)
		if content == nil {
			continue
		}
		w.writeLiteral("    ")
		w.writeLiteral(f.name)
		for _, n := range f.numbers {
			w.writeLiteral(" ")
			w.writeLiteral(n.key)
			w.writeFieldNumber(n, content[n.offset:n.offset+n.size])
		}
		if f.field == disk.HasTraps {
			for _, n := range p.TrapHistory() {
				w.writeKeyNumber(" ", uint64(n))
			}
		}
		w.endLine()
	}
}

func (w *writer) writeFieldNumber(n fieldNumber, b []byte) {
	var word [8]byte
	copy(word[:], b)
	if v := le.Uint64(word[:]); n.hex {
		w.writeHex(v)
	} else {
		w.writeUint(v)
	}
}

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

// takeBitNames consumes the output of disk.BitNames.
func (p *parser) takeBitNames(names []string) (v uint64) {
	for {
		v |= p.takeBitUntil("|,=", names, math.MaxUint64, "a bit that has a name in the shape, or a number")
		if !p.Skip("|") {
			return v
		}
	}
}
