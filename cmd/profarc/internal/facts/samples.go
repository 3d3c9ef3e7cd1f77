package facts

import (
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A SampleTally counts how often methods were sampled.
type SampleTally struct {
	Stacks  int    // sampled stacks
	Samples uint64 // of all stacks
	methods map[layout.Ref]*StackCounts
}

// StackCounts are what was counted with a method on the stack: its samples, or the bytes that were allocated.
type StackCounts struct {
	Self  uint64 // with the method as the leaf
	Total uint64 // with the method on the stack, recursive calls counted once
	seen  int    // the number of the last stack with the method
}

// TallySamples counts the samples of every method of an archive, in time linear in its size.
func TallySamples(s *reader.Store) (*SampleTally, error) {
	t := &SampleTally{methods: map[layout.Ref]*StackCounts{}}
	if s.Header().Domain == layout.DomainSampled {
		if err := t.addContexts(s); err != nil {
			return nil, err
		}
		return t, nil
	}
	for stack, err := range stacks.Sampled(s) {
		if err != nil {
			return nil, err
		}
		t.Stacks++
		t.Samples = disk.SaturatingAdd(t.Samples, stack.Count)
		for i, f := range stack.Frames {
			if f.Method.Valid() {
				t.method(f.Method.Ref()).add(stack.Count, i == 0, t.Stacks)
			}
		}
	}
	return t, nil
}

func (t *SampleTally) method(n layout.Ref) *StackCounts {
	if t.methods[n] == nil {
		t.methods[n] = &StackCounts{}
	}
	return t.methods[n]
}

// add adds what was counted with the stack of a number, from 1.
func (m *StackCounts) add(n uint64, leaf bool, stack int) {
	if leaf {
		m.Self = disk.SaturatingAdd(m.Self, n)
	}
	if m.seen != stack {
		m.seen, m.Total = stack, disk.SaturatingAdd(m.Total, n)
	}
}

// Of returns the samples of a method, none if it is on no stack.
func (t *SampleTally) Of(m reader.Method) StackCounts {
	if found := t.methods[m.Ref()]; found != nil {
		return *found
	}
	return StackCounts{}
}

// CountSamples returns the number of sampled stacks, and the sum of their samples.
func CountSamples(s *reader.Store) (stackCount int, samples uint64, err error) {
	if s.Header().Domain == layout.DomainSampled {
		err = stacks.Leaves(s, func(l stacks.Leaf) error {
			stackCount, samples = stackCount+l.Stacks, disk.SaturatingAdd(samples, l.Count)
			return nil
		})
		return stackCount, samples, err
	}
	for stack, err := range stacks.Sampled(s) {
		if err != nil {
			return 0, 0, err
		}
		stackCount++
		samples = disk.SaturatingAdd(samples, stack.Count)
	}
	return stackCount, samples, nil
}
