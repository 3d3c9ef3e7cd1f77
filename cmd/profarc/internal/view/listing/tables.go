package listing

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type TableColumn struct {
	s      *reader.Store
	t      reader.Table
	column int
	Form   disk.Column
}

func TableColumns(s *reader.Store, t reader.Table) []TableColumn {
	columns := make([]TableColumn, t.Columns())
	for i := range columns {
		columns[i] = TableColumn{s, t, i, disk.TableColumn(t.Kind, i, t.Column(i))}
	}
	if t.Kind == disk.TableAllocations {
		columns = append(columns, TableColumn{s, t, derived, disk.Column{Name: "type", Kind: disk.ColumnSymbol}})
	}
	return columns
}

func (c *TableColumn) IsNumeric() bool {
	return c.Form.Kind == disk.ColumnWord && c.Form.Form != disk.FormFunction
}

func (c *TableColumn) compareRows(a, b int) int {
	if c.Form.Form == disk.FormSigned || c.Form.Form == disk.FormTime { // two's complement
		return cmp.Compare(int64(c.RawCell(a)), int64(c.RawCell(b)))
	}
	return cmp.Compare(c.RawCell(a), c.RawCell(b))
}

// SortRows sorts rows by the column, the highest numbers or the first texts first.
func (c *TableColumn) SortRows(rows []int) (err error) {
	if c.IsNumeric() {
		slices.SortStableFunc(rows, func(a, b int) int { return c.compareRows(b, a) })
		return nil
	}
	texts := map[int]string{}
	for _, row := range rows {
		texts[row], err = c.Text(row)
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return strings.Compare(texts[a], texts[b]) })
	return nil
}

const derived = -1

func (c *TableColumn) RawCell(row int) uint64 {
	if c.column == derived {
		return 1
	}
	return c.t.Cell(c.column, row)
}

// Text returns a cell as text, without escaping. A null reference is "-".
func (c *TableColumn) Text(row int) (string, error) {
	v := c.RawCell(row)
	switch {
	case c.column == derived:
		return string(allocationAt(c.t, row).Type), nil
	case c.Form.Kind == disk.ColumnWord:
		return c.formatWord(v), nil
	case v == 0:
		return "-", nil
	}
	return c.referenceText(layout.Ref(v))
}

func (c *TableColumn) formatWord(v uint64) string {
	switch c.Form.Form {
	case disk.FormSigned:
		return fmt.Sprint(int64(v))
	case disk.FormHex:
		return display.IDText(v)
	case disk.FormTime:
		if v == 0 {
			return "-"
		}
		return time.Unix(0, int64(v)).UTC().Format(time.RFC3339Nano)
	case disk.FormWeight:
		return layout.Weight(v).String()
	case disk.FormFunction:
		return c.functionName(v)
	case disk.FormExit:
		return layout.Exit(v).String()
	}
	return fmt.Sprint(v)
}

func (c *TableColumn) functionName(id uint64) string {
	if m, err := c.s.FindID(id); err == nil {
		if name, err := m.Name(); err == nil {
			return name.String()
		}
	}
	return display.IDText(id)
}

func (c *TableColumn) referenceText(n layout.Ref) (string, error) {
	text := recordText{s: c.s}
	switch c.Form.Kind {
	case disk.ColumnSymbol:
		name, err := c.s.SymbolAt(n)
		text.err = err
		text.addSymbol(name.String(), c.Form.Form)
	case disk.ColumnType:
		t, err := c.s.TypeAt(n)
		if err != nil {
			return "", err
		}
		return display.TypeText(t)
	case disk.ColumnMethod:
		text.addName(c.s.MethodAt(n))
	case disk.ColumnProfile:
		text.addProfile(c.s.ProfileAt(n))
	default:
		text.addContext(c.s.ContextAt(n))
	}
	return text.String(), text.err
}

// A recordText is the text of records of an archive. It keeps the first error, also those of its arguments.
type recordText struct {
	strings.Builder
	s   *reader.Store
	err error
}

func (t *recordText) addName(m reader.Method, err error) {
	name, nameErr := analyze.NameOf(t.s, m)
	t.err = cmp.Or(t.err, err, nameErr)
	t.WriteString(name.String())
}

func (t *recordText) addSymbol(symbol string, form disk.CellForm) {
	frames, isStack := disk.HeapFrames(symbol)
	switch {
	case form == disk.FormStack && isStack:
		t.addStack(frames)
	case form == disk.FormStack, form == disk.FormBytes:
		t.WriteString(hex.EncodeToString([]byte(symbol)))
	default:
		t.WriteString(symbol)
	}
}

// addStack adds the frames of an allocation, the innermost first: `alloc+3:12 (inlined) < main+7:5`. Lines are relative
// to the function. An unknown function is an id.
func (t *recordText) addStack(frames []disk.HeapFrame) {
	for i, f := range frames {
		if i > 0 {
			t.WriteString(" < ")
		}
		if m, err := t.s.FindID(f.Function); err == nil {
			t.addName(m, nil)
		} else {
			t.WriteString(display.IDText(f.Function))
		}
		fmt.Fprintf(t, "+%d:%d%s", f.Line, f.Column, cli.Note(f.Inline, "inlined"))
	}
}

func (t *recordText) addProfile(p reader.Profile, err error) {
	t.err = cmp.Or(t.err, err)
	t.addName(p.Method())
	if p.Code() != 0 {
		t.WriteString(" code " + display.IDText(p.Code()))
	}
	c, _, err := p.Context()
	t.addCallers(c, err)
}

func (t *recordText) addContext(c reader.Context, err error) {
	t.err = cmp.Or(t.err, err)
	t.addName(c.Method())
	t.addCallers(c, nil)
}

func (t *recordText) addCallers(c reader.Context, err error) {
	frames, framesErr := c.Frames()
	t.err = cmp.Or(t.err, err, framesErr)
	for _, f := range frames {
		t.WriteString(" < ")
		t.addName(f.Caller, nil)
		fmt.Fprintf(t, ":%d", f.Point)
	}
}

type Allocations struct {
	store *reader.Store
	table reader.Table
	rows  map[uint64][]int
}

// An Allocation totals the allocations of a function in one calling context.
type Allocation struct {
	Stack    string // frames as formatted by addStack, the innermost first
	Count    uint64
	Bytes    uint64
	Lifetime time.Duration // mean
	Type     AllocationType
}

// An AllocationType is LLVM's classification of an allocation. Clang passes it to the allocator as a hint.
type AllocationType string

// Types by LLVM's default limits. LLVM emits hints for hot allocations only on request.
const (
	Hot     AllocationType = "hot"
	NotCold AllocationType = "notcold"
	Cold    AllocationType = "cold"
)

// Defaults in llvm/lib/Analysis/MemoryProfileInfo.cpp of MemProfAveLifetimeColdThreshold, in milliseconds, and of
// MemProfLifetimeAccessDensityColdThreshold and MemProfMinAveLifetimeAccessDensityHotThreshold, in accesses per byte
// and second.
const (
	coldLifetime = 200_000
	coldDensity  = 0.05
	hotDensity   = 1000
)

func ReadAllocations(s *reader.Store) (*Allocations, error) {
	t, err := s.TableOrEmpty(disk.TableAllocations)
	a := &Allocations{s, t, map[uint64][]int{}}
	for row := range t.Rows {
		function := t.Cell(disk.AllocationFunction, row)
		a.rows[function] = append(a.rows[function], row)
	}
	return a, err
}

func (a *Allocations) OfFunction(m reader.Method) (all []Allocation, err error) {
	rows := a.rows[m.ID()]
	if len(rows) == 0 {
		return nil, nil
	}
	stacks := &TableColumns(a.store, a.table)[disk.AllocationStack]
	for _, row := range rows {
		one := allocationAt(a.table, row)
		one.Stack, err = stacks.Text(row)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b Allocation) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all, nil
}

func allocationAt(t reader.Table, row int) Allocation {
	field := func(i int) uint64 { return t.Cell(disk.AllocationFields+i, row) }
	one := Allocation{Count: field(disk.HeapAllocations), Bytes: field(disk.HeapBytes), Type: NotCold}
	if one.Count == 0 {
		return one
	}
	lifetime := float64(field(disk.HeapLifetime)) / float64(one.Count)
	one.Lifetime = time.Duration(lifetime * float64(time.Millisecond)).Round(time.Microsecond)
	switch density := float64(field(disk.HeapDensity)) / float64(one.Count) / 100; {
	case density < coldDensity && lifetime >= coldLifetime:
		one.Type = Cold
	case density > hotDensity:
		one.Type = Hot
	}
	return one
}
