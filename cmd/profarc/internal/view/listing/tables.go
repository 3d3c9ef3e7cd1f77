package listing

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/experimental/analyze"
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
	switch c.Form.Kind {
	case disk.ColumnSymbol:
		name, err := c.s.SymbolAt(n)
		if err == nil && c.Form.Form == disk.FormStack {
			return stackText(c.s, name.String())
		}
		if c.Form.Form == disk.FormBytes {
			return hex.EncodeToString([]byte(name.String())), err
		}
		return name.String(), err
	case disk.ColumnType:
		t, err := c.s.TypeAt(n)
		if err != nil {
			return "", err
		}
		return display.TypeText(t)
	case disk.ColumnMethod:
		m, err := c.s.MethodAt(n)
		if err != nil {
			return "", err
		}
		name, err := analyze.NameOf(c.s, m)
		return name.String(), err
	case disk.ColumnProfile:
		return profileText(c.s, n)
	}
	return contextText(c.s, n)
}

func profileText(s *reader.Store, n layout.Ref) (string, error) {
	p, err := s.ProfileAt(n)
	if err != nil {
		return "", err
	}
	m, err := p.Method()
	if err != nil {
		return "", err
	}
	name, err := analyze.NameOf(s, m)
	text := name.String()
	if p.Code() != 0 {
		text += " code " + display.IDText(p.Code())
	}
	c, ok, contextErr := p.Context()
	err = cmp.Or(err, contextErr)
	if err != nil || !ok {
		return text, err
	}
	callers, err := callersText(s, c)
	return text + callers, err
}

func contextText(s *reader.Store, n layout.Ref) (string, error) {
	c, err := s.ContextAt(n)
	if err != nil {
		return "", err
	}
	m, err := c.Method()
	if err != nil {
		return "", err
	}
	name, nameErr := analyze.NameOf(s, m)
	callers, err := callersText(s, c)
	return name.String() + callers, errors.Join(nameErr, err)
}

func callersText(s *reader.Store, c reader.Context) (string, error) {
	var text strings.Builder
	frames, err := c.Frames()
	for _, f := range frames {
		caller, nameErr := analyze.NameOf(s, f.Caller)
		if nameErr != nil {
			err = nameErr
			break
		}
		fmt.Fprintf(&text, " < %s:%d", caller, f.Point)
	}
	return text.String(), err
}

type Allocations struct {
	store *reader.Store
	table reader.Table
	rows  map[uint64][]int
}

// An Allocation totals the allocations of a function in one calling context.
type Allocation struct {
	Stack    string // frames as formatted by stackText, the innermost first
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

// stackText formats the frames of an allocation, the innermost first: `alloc+3:12 (inlined) < main+7:5`. Lines are
// relative to the function. An unknown function is an id. A malformed symbol is in hexadecimal.
func stackText(s *reader.Store, symbol string) (string, error) {
	frames, ok := disk.HeapFrames(symbol)
	if !ok {
		return hex.EncodeToString([]byte(symbol)), nil
	}
	texts := make([]string, len(frames))
	for i, f := range frames {
		name := display.IDText(f.Function)
		if m, err := s.FindID(f.Function); err == nil {
			full, err := analyze.NameOf(s, m)
			if err != nil {
				return "", err
			}
			name = full.String()
		}
		texts[i] = fmt.Sprintf("%s+%d:%d", name, f.Line, f.Column)
		if f.Inline {
			texts[i] += " (inlined)"
		}
	}
	return strings.Join(texts, " < "), nil
}
