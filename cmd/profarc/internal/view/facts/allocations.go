package facts

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type allocationTally struct {
	stacks      int
	allocations uint64
	bytes       uint64
	functions   map[uint64]*StackCounts
}

// An allocationStack is a distinct stack of a memory profile. The profile repeats its row for the innermost function,
// and for each caller up to the first one that is not inlined. Only the rows of owner count. A function inlined into
// itself has one row per frame.
type allocationStack struct {
	owner              uint64 // function whose rows count
	innermost          uint64
	allocations, bytes uint64
}

func tallyAllocations(ctx context.Context, s *reader.Store) (*allocationTally, error) {
	t, err := s.TableOrEmpty(disk.TableAllocations)
	if err != nil {
		return nil, err
	}
	all := map[layout.Ref]*allocationStack{}
	for row := range t.Rows {
		if err := cmp.Or(ctx.Err(), addAllocation(s, all, &t, row)); err != nil {
			return nil, err
		}
	}
	tally := &allocationTally{functions: map[uint64]*StackCounts{}}
	for ref, stack := range all {
		frames, err := allocationFrames(s, ref)
		if err := cmp.Or(ctx.Err(), err); err != nil {
			return nil, err
		}
		tally.addStack(stack, frames)
	}
	return tally, nil
}

func allocationFrames(s *reader.Store, stack layout.Ref) ([]disk.HeapFrame, error) {
	if stack == 0 {
		return nil, nil
	}
	name, err := s.SymbolAt(stack)
	frames, ok := disk.HeapFrames(name.String())
	if !ok {
		return nil, err
	}
	return frames, err
}

// addAllocation adds a row to its stack. The rows of the innermost function count if there are any.
func addAllocation(s *reader.Store, all map[layout.Ref]*allocationStack, t *reader.Table, row int) error {
	function := t.Cell(disk.AllocationFunction, row)
	ref := layout.Ref(t.Cell(disk.AllocationStack, row))
	stack := all[ref]
	if stack == nil {
		stack = &allocationStack{owner: function, innermost: function}
		frames, err := allocationFrames(s, ref)
		if err != nil {
			return err
		}
		if len(frames) > 0 {
			stack.innermost = frames[0].Function
		}
		all[ref] = stack
	}
	if function == stack.innermost && function != stack.owner {
		*stack = allocationStack{owner: function, innermost: function}
	}
	if function == stack.owner {
		stack.allocations = disk.SaturatingAdd(stack.allocations, t.Cell(disk.AllocationFields+disk.HeapAllocations, row))
		stack.bytes = disk.SaturatingAdd(stack.bytes, t.Cell(disk.AllocationFields+disk.HeapBytes, row))
	}
	return nil
}

func (t *allocationTally) addStack(stack *allocationStack, frames []disk.HeapFrame) {
	if len(frames) == 0 {
		frames = []disk.HeapFrame{{Function: stack.owner}}
	}
	rows := stack.rowsPerAllocation(frames)
	allocations := stack.allocations / rows
	bytes := stack.bytes / rows
	t.stacks++
	t.allocations, t.bytes = disk.SaturatingAdd(t.allocations, allocations), disk.SaturatingAdd(t.bytes, bytes)
	for i, f := range frames {
		entryOf(t.functions, f.Function).addStack(bytes, i == 0, t.stacks)
	}
}

func (a *allocationStack) rowsPerAllocation(frames []disk.HeapFrame) (n uint64) {
	for _, f := range frames {
		if f.Function == a.owner {
			n++
		}
		if !f.Inline {
			break
		}
	}
	return max(n, 1)
}

const ByAllocated = "allocated"

// An AllocationReport ranks functions by allocated bytes, the most self bytes first.
type AllocationReport struct {
	Archive     string          `json:"archive"`
	By          string          `json:"by"`
	Stacks      int             `json:"stacks"` // number of distinct stacks
	Allocations uint64          `json:"allocations"`
	Total       uint64          `json:"total"` // allocated bytes
	Of          int             `json:"of"`    // number of selected functions on any stack
	Methods     []StackedMethod `json:"methods"`
}

// AllocationsOnly reports whether an archive has a memory profile and no counts.
func AllocationsOnly(s *reader.Store) bool {
	t, err := s.Table(schema.TableAllocations)
	return err == nil && t.Rows > 0 && s.Header().Summary == layout.Summary{}
}

// MostAllocated ranks the selected functions by allocated bytes. Shares relate to all bytes of the archive. A function
// without a name is selected only if all functions are.
func MostAllocated(ctx context.Context, s *reader.Store, o analyze.RankOptions) (*AllocationReport, error) {
	tally, err := tallyAllocations(ctx, s)
	if err != nil {
		return nil, err
	}
	found, err := tally.selectedIDs(s, o)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b uint64) int {
		x := tally.functions[a]
		y := tally.functions[b]
		return cmp.Or(cmp.Compare(y.Self, x.Self), cmp.Compare(y.Total, x.Total), cmp.Compare(a, b))
	})
	r := &AllocationReport{Archive: s.Mapping().Name(), By: ByAllocated, Stacks: tally.stacks,
		Allocations: tally.allocations, Total: tally.bytes, Of: len(found), Methods: []StackedMethod{}}
	for _, id := range found[:o.RowCount(len(found))] {
		name, err := nameOfID(s, id)
		if err != nil {
			return nil, err
		}
		r.Methods = append(r.Methods, stackedMethod(name, *tally.functions[id], float64(r.Total)))
	}
	return r, nil
}

func nameOfID(s *reader.Store, id uint64) (analyze.MethodName, error) {
	m, err := methodOfID(s, id)
	if err != nil || !m.Valid() {
		text := display.IDText(id)
		return analyze.MethodName{Method: text, Display: text, ID: text, Name: text}, err
	}
	return analyze.NameOf(s, m)
}

func methodOfID(s *reader.Store, id uint64) (reader.Method, error) {
	m, err := s.FindID(id)
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		return reader.Method{}, nil
	}
	return m, err
}

func (t *allocationTally) selectedIDs(s *reader.Store, o analyze.RankOptions) (found []uint64, err error) {
	for id, n := range t.functions {
		m, err := methodOfID(s, id)
		wanted := o.Methods == nil
		if err == nil && m.Valid() {
			wanted, err = o.Selects(m)
		}
		if err != nil {
			return nil, err
		}
		if wanted && n.Total >= max(o.Min, 1) {
			found = append(found, id)
		}
	}
	return found, nil
}
