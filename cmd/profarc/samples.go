package main

import (
	"fmt"
	"sync"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/stacks"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A sampleTally says how often methods were sampled.
type sampleTally struct {
	stacks  int
	samples uint64
	methods map[layout.Ref]*sampledMethod
}

// A sampledMethod has the samples of a method.
type sampledMethod struct {
	self  uint64 // in the method itself: it was the leaf
	total uint64 // on the stack; once where it called itself
	seen  int    // number of the last stack with it
}

// A lazyTally reads the samples of an archive when they are first asked for.
type lazyTally func() (*sampleTally, error)

func newLazyTally(s *reader.Store) lazyTally {
	return sync.OnceValues(func() (*sampleTally, error) { return tallySamples(s) })
}

// tallySamples goes through the sampled stacks of an archive.
func tallySamples(s *reader.Store) (*sampleTally, error) {
	t := &sampleTally{methods: map[layout.Ref]*sampledMethod{}}
	for stack, err := range stacks.Sampled(s) {
		if err != nil {
			return nil, err
		}
		t.stacks++
		t.samples = disk.SaturatingAdd(t.samples, stack.Count)
		for i, f := range stack.Frames {
			if f.Method.Valid() {
				t.method(f.Method.Ref()).add(stack.Count, i == 0, t.stacks)
			}
		}
	}
	return t, nil
}

func (t *sampleTally) method(n layout.Ref) *sampledMethod {
	if t.methods[n] == nil {
		t.methods[n] = &sampledMethod{}
	}
	return t.methods[n]
}

func (m *sampledMethod) add(samples uint64, leaf bool, stack int) {
	if leaf {
		m.self = disk.SaturatingAdd(m.self, samples)
	}
	if m.seen != stack {
		m.seen, m.total = stack, disk.SaturatingAdd(m.total, samples)
	}
}

// of gives the samples of a method, none if it is on no stack.
func (t *sampleTally) of(m reader.Method) sampledMethod {
	if found := t.methods[m.Ref()]; found != nil {
		return *found
	}
	return sampledMethod{}
}

func (m sampledMethod) String() string {
	return fmt.Sprintf("%s, %d in the method itself", app.Amount(m.total, "sample"), m.self)
}

// countSamples is the number of sampled stacks and of their samples.
func countSamples(s *reader.Store) (stackCount int, samples uint64, err error) {
	for stack, err := range stacks.Sampled(s) {
		if err != nil {
			return 0, 0, err
		}
		stackCount++
		samples = disk.SaturatingAdd(samples, stack.Count)
	}
	return stackCount, samples, nil
}
