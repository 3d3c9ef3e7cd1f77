//go:build linux

package main

import (
	"context"
	"fmt"
	"os"

	"github.com/profarc/profarc/bench"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// A shape builds archives of n methods.
type shape struct {
	name  string
	build func(n int) (*builder.Builder, error)
}

var shapes = []shape{
	{"even", func(n int) (*builder.Builder, error) { return bench.Build(bench.Scale{Methods: n, Block: 900}) }},
	{"javac", func(n int) (*builder.Builder, error) { return bench.Build(bench.Scale{Methods: n, Javac: true}) }},
	{"llvm", llvm},
}

// llvm builds the profile of a program with so many functions: names of some 40 bytes,
// and 1 to 14 counters.
func llvm(n int) (*builder.Builder, error) {
	b := builder.New(layout.DomainLLVMIR, builder.Config{Producer: "synthetic"})
	counters := make([]uint64, 14)
	for i := range n {
		for c := range counters {
			counters[c] = uint64(i*(c+1)) % 1000
		}
		p := b.Profile(b.Method(layout.Key{Name: fmt.Sprintf("_ZN9synthetic8Class%06d10function%02dEv", i/12, i%12)}), uint64(i)+1, builder.NoContext)
		p.Counters(0, counters[:1+i*7919%14]...)
		if err := p.Done(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// make writes an archive unless it is there.
func (s shape) make(path string, n int) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	b, err := s.build(n)
	if err == nil {
		_, err = b.Commit(context.Background(), path)
	}
	return err
}
