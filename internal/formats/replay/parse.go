package replay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
)

// prompt is before a line that jhsdb prints.
const prompt = "hsdb> "

type file struct {
	report      codec.Report
	methods     []methodData
	invocations map[layout.Key]uint64 // of the lines ciMethod
	ofVM        bool                  // a VM wrote the file; jhsdb has other counts of calls
	names       map[string]string     // interned names; of hidden classes by their descriptions
}

// A methodData is the profile of a method.
type methodData struct {
	parse.Place
	key      layout.Key
	words    []byte // in little-endian order
	pointers []pointer
}

// A pointer is a cell with the address of a class, or of a method.
type pointer struct {
	cell   int // index among the words
	class  string
	method *layout.Key // nil for a class
}

// addLoss adds a loss at the line of a method. lost is the totals of the lost counts, or nil.
func (f *file) addLoss(what codec.LossKind, m *methodData, lost ledger.Totals) {
	parse.AddLossAt(&f.report.Lost, what, m.Place, m.key.Class+"::"+m.key.Name+m.key.Signature, lost)
}

func readFile(in *codec.Input, salvage bool) (*file, error) {
	f := &file{report: codec.Report{Totals: ledger.Totals{}}, invocations: map[layout.Key]uint64{},
		names: map[string]string{}}
	lines := parse.NewLines(in, in.Name)
	for line, err := range lines.All() {
		if err != nil {
			return nil, err
		}
		c := parse.Cursor{Line: line}
		c.Skip(prompt)
		f.readLine(&c, lines.Place)
		switch err := lines.Missing(&c, ErrSyntax); {
		case err != nil && !salvage:
			return nil, err
		case err != nil:
			f.report.Lost.AddLoss(codec.Loss{What: LossDamaged, Count: 1, Line: lines.Line})
			f.report.Salvaged = cmp.Or(f.report.Salvaged, fmt.Sprintf("line %d: %s", lines.Line, ErrSyntax))
		}
	}
	if len(f.methods) == 0 {
		return nil, parse.Place{Name: in.Name}.Fail(ErrNoMethodData)
	}
	return f, nil
}

func (f *file) readLine(c *parse.Cursor, at parse.Place) {
	switch {
	case c.Skip("ciMethodData "):
		m := methodData{Place: at}
		f.readData(c, &m)
		if c.End(); c.OK() {
			f.methods = append(f.methods, m)
		}
	case c.Skip("ciMethod "):
		k := f.takeMethod(c)
		takeNumber(c)
		takeNumber(c)
		if n := takeNumber(c); c.OK() {
			f.invocations[k] = max(f.invocations[k], n)
		}
	case c.Skip("JvmtiExport "):
		f.ofVM = true
	case c.Skip("instanceKlass  @"):
		description := string(c.Until(" ;"))
		if c.Skip(" # ") {
			f.names["@"+description] = javanames.HiddenInternal(string(c.Rest()))
		}
	}
}

func (f *file) readData(c *parse.Cursor, m *methodData) {
	m.key = f.takeMethod(c)
	takeNumber(c)
	takeNumber(c)
	takeList(c, "orig", func() { takeNumber(c) })
	takeList(c, "data", func() {
		c.Spaces()
		c.Expect("0x")
		m.words = binary.LittleEndian.AppendUint64(m.words, c.Hex(math.MaxUint64))
	})
	takeList(c, "oops", func() {
		at := int(takeNumber(c))
		m.pointers = append(m.pointers, pointer{at, f.takeName(c), nil})
	})
	takeList(c, "methods", func() {
		at := int(takeNumber(c))
		k := f.takeMethod(c)
		m.pointers = append(m.pointers, pointer{at, k.Class, &k})
	})
	slices.SortFunc(m.pointers, func(p, q pointer) int { return cmp.Compare(p.cell, q.cell) })
}

func takeNumber(c *parse.Cursor) uint64 {
	c.Spaces()
	return uint64(c.Signed(math.MaxInt32))
}

// takeList takes the name of a list and its length, and calls takeItem for each item.
func takeList(c *parse.Cursor, name string, takeItem func()) {
	c.Spaces()
	c.Expect(name)
	for n := takeNumber(c); n > 0 && c.OK(); n-- {
		takeItem()
	}
}

func (f *file) takeMethod(c *parse.Cursor) layout.Key {
	class := f.takeName(c)
	name := f.takeName(c)
	return layout.Key{Class: class, Name: name, Signature: f.takeName(c)}
}

// takeName takes a name, or the description of a hidden class.
func (f *file) takeName(c *parse.Cursor) string {
	c.Spaces()
	text, _, _ := bytes.Cut(c.Rest(), []byte(" "))
	if bytes.HasPrefix(text, []byte("@")) {
		text = c.Until(" ;")
	} else if c.Take(len(text)); len(text) == 0 || bytes.IndexByte(text, 0) >= 0 {
		c.Miss("a name")
	}
	name, ok := f.names[string(text)]
	if !ok {
		name = javanames.HiddenInternal(javanames.Unquote(bytes.Trim(text, `"`)))
		f.names[strings.Clone(string(text))] = name
	}
	return name
}

// A placedEntry is an entry with the index of its first cell among the words.
type placedEntry struct {
	disk.Entry
	cell int
}

type sections [disk.SectionDirectory][]placedEntry

// split splits the words into the parts of a MethodData: entries in the order of their bytecodes, extra entries and
// free words, parameters, and entries of exception handlers. ok is false if the words are no such parts, or if not all
// pointers, and nothing else, are named.
func (m *methodData) split(shape disk.Shape) (parts sections, ok bool) {
	in, bci, named := disk.SectionData, int32(-1), 0
	for at := 0; at < len(m.words); {
		if in <= disk.SectionExtra && binary.LittleEndian.Uint64(m.words[at:]) == 0 {
			in = disk.SectionExtra
			at += disk.CellSize
			continue
		}
		e, _, err := shape.NextEntry(m.words[at:])
		if err != nil || disk.IsWide(e.Tag()) {
			return parts, false
		}
		in, ok = sectionOf(e, in, bci)
		if !ok {
			return parts, false
		}
		p := placedEntry{e, at/disk.CellSize + 1}
		for cell, kind := range shape.Pointers(e) {
			to, isNamed := m.findPointer(p.cell + cell)
			isUnknown := kind == disk.CellTypeWord && (e.Cell(cell) <= disk.TypeTags || e.Cell(cell)&disk.TypeUnknown != 0)
			switch {
			case isNamed && (kind == disk.CellMethod) == (to.method != nil):
				named++
			case isNamed, e.Cell(cell) != 0 && !isUnknown:
				return parts, false
			}
		}
		parts[in] = append(parts[in], p)
		if at, bci = at+len(e), e.Point(); e.Tag() == layout.TagArgInfo || e.Tag() == layout.TagParametersType {
			in++ // it is the last of its part
		}
	}
	parts.moveTraps()
	return parts, named == len(m.pointers)
}

// sectionOf returns the section of an entry after one at bci in a section. ok is false if it cannot be there.
func sectionOf(e disk.Entry, in disk.BlockSection, bci int32) (section disk.BlockSection, ok bool) {
	switch e.Tag() {
	case layout.TagArgInfo, layout.TagSpeculativeTrap:
		return disk.SectionExtra, in <= disk.SectionExtra
	case layout.TagParametersType:
		return disk.SectionParameters, in == disk.SectionParameters
	case layout.TagBit:
		if in > disk.SectionExtra {
			return disk.SectionHandlers, true
		}
		if in == disk.SectionExtra || e.Point() <= bci {
			return disk.SectionExtra, true
		}
	}
	return disk.SectionData, in == disk.SectionData && e.Point() > bci
}

// moveTraps moves traps after the last data entry to the extra entries, where a VM has them.
func (s *sections) moveTraps() {
	data := s[disk.SectionData]
	n := len(data)
	for n > 0 && data[n-1].Tag() == layout.TagBit {
		n--
	}
	s[disk.SectionExtra] = slices.Concat(data[n:], s[disk.SectionExtra])
	s[disk.SectionData] = data[:n]
}

// inferShape returns the shape that decodes most profiles. sure is false if all decode as many.
func (f *file) inferShape() (best disk.Shape, sure bool) {
	most := -1
	for _, rows := range []int{2, 0, 1, 3, 4, 5, 6, 7, 8} { // the default first
		for _, gap := range []int{0, 1} {
			shape := disk.Shape{TypeRows: rows, BciRows: 2, Gap: gap}
			n := 0
			for i := range f.methods {
				if _, ok := f.methods[i].split(shape); ok {
					n++
				}
			}
			sure = sure || most >= 0 && n != most
			if n > most {
				best, most = shape, n
			}
		}
	}
	return best, sure
}
