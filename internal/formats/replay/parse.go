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

func (m *methodData) label() string { return m.key.Class + "::" + m.key.Name + m.key.Signature }

// addLoss adds a loss at the line of a method. lost is the totals of the lost counts, or nil.
func (f *file) addLoss(what codec.LossKind, m *methodData, lost ledger.Totals) {
	parse.AddLossAt(&f.report.Lost, what, m.Place, m.label(), lost)
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
