package listing

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/reader"
)

// Allocations are the memory profiles of an LLVM archive, by function.
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

// ReadAllocations reads the memory profiles of an archive, which can be empty.
func ReadAllocations(s *reader.Store) (*Allocations, error) {
	t, err := s.TableOrEmpty(disk.TableAllocations)
	a := &Allocations{s, t, map[uint64][]int{}}
	for row := range t.Rows {
		function := t.Cell(disk.AllocationFunction, row)
		a.rows[function] = append(a.rows[function], row)
	}
	return a, err
}

// OfFunction returns the allocations of a function, the most bytes first.
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

// allocationAt returns a row of the table of allocations, without its stack.
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
