package facts

import (
	"cmp"
	"context"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An allocationTally holds the allocations of functions by LLVM's id.
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

// tallyAllocations totals the allocations of every function in a memory profile.
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

// allocationFrames decodes the frames of a symbol. It returns nil for a malformed one.
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
		if t.functions[f.Function] == nil {
			t.functions[f.Function] = &StackCounts{}
		}
		t.functions[f.Function].addStack(bytes, i == 0, t.stacks)
	}
}

// rowsPerAllocation returns the number of the owner's rows for one allocation with the stack.
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
