package facts

import (
	"cmp"
	"context"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An allocationTally is what functions allocated, by LLVM's ids of functions.
type allocationTally struct {
	stacks      int
	allocations uint64
	bytes       uint64
	functions   map[uint64]*StackCounts
}

// An allocationStack is a distinct stack of a memory profile. The profile has a row of it for the innermost
// function, and for all others up to the first that is not inlined: the rows of one function count. A function that
// is inlined into itself has the row once for each of its frames.
type allocationStack struct {
	owner              uint64 // the function whose rows count
	innermost          uint64
	allocations, bytes uint64
}

// tallyAllocations counts what every function of a memory profile allocated.
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

// allocationFrames returns the frames of a symbol, none if it has no sound ones.
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

// addAllocation adds a row to those of its stack. The rows of the innermost function count, if there are any.
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

// addStack adds the allocations with a stack.
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

// rowsPerAllocation returns how many rows of the owner a profile has for each of its allocations with the stack.
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
