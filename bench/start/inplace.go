package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/cputime"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// points are the numbers of profile points in the median method of javac and in a very large one.
var points = []int{3, 300}

// pointTables returns the tables for profile points.
func pointTables(dir string) (tables []table, err error) {
	s, err := writeSites(filepath.Join(dir, "sites.parc"))
	if err != nil {
		return nil, err
	}
	for i, n := range points {
		p, err := profileOf(s, i)
		if err != nil {
			return nil, err
		}
		tables = append(tables, lookupTable(p, n))
	}
	return tables, nil
}

// writeSites writes and opens an archive with a method for each element of points.
func writeSites(path string) (*reader.Store, error) {
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: bench.Params(), Producer: "synthetic"})
	receiver := b.Type(builder.TypeKey{Name: "org/synthetic/Receiver"})
	for i, n := range points {
		p := b.Profile(bench.Key(i), 0)
		p.Invocations(1)
		p.Backedges(1)
		p.Interpreted(1)
		p.Internal().SetSize(profileset.CodeSize{Code: uint32(3 * n), Host: 480})
		p.Internal().SetHistory(profileset.History{Decompiles: 1})
		for j := range n {
			at := builder.At{Bci: pointOf(j)}
			switch j % 3 {
			case 0:
				p.VirtualCall(at, builder.Others{Count: 1}, builder.Row{Type: receiver, Count: 2})
			case 1:
				p.Branch(at, builder.Branch{Taken: 1, Displacement: 32, NotTaken: 2})
			case 2:
				p.Counter(at, 1)
			}
		}
		if err := p.Done(); err != nil {
			return nil, err
		}
	}
	if _, err := b.Commit(context.Background(), path); err != nil {
		return nil, err
	}
	return reader.Open(path, archive.Options{})
}

// pointOf returns the bytecode index of point j of a method.
func pointOf(j int) int32 { return int32(uint16(3*j + j*j%3)) }

func profileOf(s *reader.Store, i int) (reader.Profile, error) {
	m, err := s.Find(bench.Key(i))
	if err != nil {
		return reader.Profile{}, err
	}
	p, _, err := m.Profile(layout.CodeAny)
	return p, err
}

// repeats is the number of operations in a turn.
const repeats = 1 << 20

// timeEach returns a turn that measures the time of one operation. do makes repeats of them.
func timeEach(do func() error) func() (float64, error) {
	return func() (float64, error) {
		start := cputime.ThreadTime()
		err := do()
		return float64(cputime.ThreadTime()-start) / repeats, err
	}
}

// lookupTable compares the lookup of points with a map from points to counts.
func lookupTable(p reader.Profile, n int) table {
	order := make([]int32, 1024)
	known := map[int32]*uint64{}
	for i := range order {
		order[i] = pointOf(i * 7919 % n)
		known[order[i]] = new(uint64)
	}
	return table{fmt.Sprintf("profile point by bci, of %d", n), "ns", []row{
		{"map", timeEach(func() error {
			for i := range repeats {
				if known[order[i%len(order)]] == nil {
					return reader.ErrNotFound
				}
			}
			return nil
		})},
		{"Profile.At", timeEach(func() error {
			for i := range repeats {
				if _, ok := p.At(order[i%len(order)]); !ok {
					return reader.ErrNotFound
				}
			}
			return nil
		})},
	}}
}
