package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// A search evolves genomes: those that cost most for each byte are mutated, for each format and operation.
type search struct {
	judge judge
	size  int
	seed  uint64
	log   io.Writer // progress, a line a minute; can be nil

	mu       sync.Mutex
	elites   map[cell]*elite
	findings []finding
	tried    int
}

type cell struct {
	format    int
	operation string
}

// An elite has the genomes of a cell that cost most processor time and most memory.
type elite struct{ slowest, hungriest record }

// A record is the genome with the highest cost for each byte.
type record struct {
	genome    genome
	perByte   float64
	confirmed float64 // cost up to which growth was measured
}

// raise notes the cost of a genome if it is higher than all before. It reports whether growth must be measured, which
// a suspicious cost needs if it is much higher than the confirmed one.
func (r *record) raise(g genome, perByte float64, suspicious bool) bool {
	if perByte <= r.perByte {
		return false
	}
	r.genome = g
	r.perByte = perByte
	if !suspicious || perByte <= 1.5*r.confirmed {
		return false
	}
	r.confirmed = perByte
	return true
}

type finding struct {
	genome    genome
	operation string
	growth    growth
}

func newSearch(j judge, seed uint64, size int) *search {
	return &search{judge: j, size: size, seed: seed, elites: map[cell]*elite{}}
}

// searchUntil searches with some workers until ctx is done.
func (s *search) searchUntil(ctx context.Context, workers int) {
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(s.seed, uint64(w)))
			for ctx.Err() == nil {
				s.tryOne(r)
			}
		})
	}
	if s.log != nil {
		all.Go(func() { s.logProgress(ctx) })
	}
	all.Wait()
}

func (s *search) logProgress(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-time.After(time.Minute):
		case <-ctx.Done():
		}
		s.mu.Lock()
		fmt.Fprintf(s.log, "%d tried, %d findings\n", s.tried, len(s.findings))
		s.mu.Unlock()
	}
}

// operationsEach is the number of operations that are tried on an input.
const operationsEach = 6

// tryOne tries one input, and measures its growth if it costs more than all before.
func (s *search) tryOne(r *rand.Rand) {
	g := s.choose(r)
	operations := s.judge.operations(g)
	input := s.judge.prepare(g, s.size)
	defer input.remove()
	for range operationsEach {
		operation := operations[r.IntN(len(operations))]
		c, ok := input.measure(operation)
		if !ok || !s.noteCost(g, operation, &c) {
			continue
		}
		if growth, ok := measureGrowth(s.judge, g, operation, s.size); ok && growth.isFinding() {
			s.mu.Lock()
			s.findings = append(s.findings, finding{g, operation, growth})
			if s.log != nil {
				fmt.Fprintf(s.log, "finding: %s of %s, %s\n", operation, g, growth)
			}
			s.mu.Unlock()
		}
	}
}

// choose returns a new genome, or a mutant of one that costs much.
func (s *search) choose(r *rand.Rand) genome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried++
	if len(s.elites) == 0 || r.IntN(4) == 0 {
		return randomGenome(r)
	}
	cells := slices.SortedFunc(maps.Keys(s.elites), func(a, b cell) int {
		if a.format != b.format {
			return a.format - b.format
		}
		return strings.Compare(a.operation, b.operation)
	})
	e := s.elites[cells[r.IntN(len(cells))]]
	if r.IntN(3) == 0 {
		return e.hungriest.genome.mutate(r)
	}
	return e.slowest.genome.mutate(r)
}

// Costs for each byte from which growth is measured.
const (
	suspiciousPerByte = 300.0 // nanoseconds
	suspiciousMemory  = 300.0 // bytes
	suspiciousTime    = 50 * time.Millisecond
	suspiciousSize    = 30 << 20
)

// noteCost notes the cost of an operation, and reports whether its growth must be measured.
func (s *search) noteCost(g genome, operation string, c *cost) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := cell{g.format, operation}
	e := s.elites[at]
	if e == nil {
		e = &elite{record{genome: g}, record{genome: g}}
		s.elites[at] = e
	}
	isSlow := c.perByte() > suspiciousPerByte && c.cpu > suspiciousTime
	isHungry := c.memoryPerByte() > suspiciousMemory && c.memory > suspiciousSize
	slower := e.slowest.raise(g, c.perByte(), isSlow)
	hungrier := e.hungriest.raise(g, c.memoryPerByte(), isHungry)
	return slower || hungrier
}

// report prints the highest cost of each format and operation, and the findings.
func (s *search) report(w io.Writer) {
	fmt.Fprintf(w, "%d inputs tried\n\n", s.tried)
	fmt.Fprintf(w, "%-14s %-20s %12s %12s  genome\n", "format", "operation", "ns/byte", "memory/byte")
	for f := range formats {
		for _, operation := range slices.Sorted(slices.Values(s.judge.operations(genome{format: f}))) {
			if e := s.elites[cell{f, operation}]; e != nil {
				fmt.Fprintf(w, "%-14s %-20s %12.0f %12.0f  %s\n", formats[f].name, operation, e.slowest.perByte,
					e.hungriest.perByte, e.slowest.genome)
			}
		}
	}
	fmt.Fprintf(w, "\n%d findings\n", len(s.findings))
	for _, f := range s.findings {
		fmt.Fprintf(w, "  %s of %s\n    %s\n", f.operation, f.genome, f.growth)
	}
}
