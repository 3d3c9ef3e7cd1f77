package facts

import (
	"math"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A SampleUnit is the unit of samples. It is also the value of SampleReport.By.
type SampleUnit string

// Units of samples. Nanoseconds are processor time.
const (
	Samples     SampleUnit = "samples"
	Nanoseconds SampleUnit = "nanoseconds"
)

// Text formats a total, such as "3 samples" or "50 ms". count formats numbers.
func (u SampleUnit) Text(n uint64, count func(uint64) string) string {
	text := u.Short(n, count)
	switch {
	case u == Nanoseconds:
		return text
	case n == 1:
		return text + " sample"
	}
	return text + " samples"
}

// Short formats a total without the word samples.
func (u SampleUnit) Short(n uint64, count func(uint64) string) string {
	if u == Nanoseconds {
		return TimeText(n)
	}
	return count(n)
}

// TimeText formats nanoseconds, such as "50 ms".
func TimeText(n uint64) string {
	number, unit, _ := strings.Cut(cli.FormatDuration(time.Duration(min(n, math.MaxInt64))), " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// Choose returns the argument that has the unit.
func (u SampleUnit) Choose(samples, nanoseconds uint64) uint64 {
	if u == Nanoseconds {
		return nanoseconds
	}
	return samples
}

// UnitOfSamples returns Nanoseconds if all stacks with samples have a time, and Samples otherwise.
func UnitOfSamples(s *reader.Store) (SampleUnit, error) {
	unit := Samples
	if s.Header().Domain != layout.DomainSampled {
		return unit, nil
	}
	timed, untimed := false, false
	err := stacks.Leaves(s, func(l stacks.Leaf) error {
		timed = timed || l.Time > 0
		untimed = untimed || l.Time == 0
		return nil
	})
	if timed && !untimed {
		unit = Nanoseconds
	}
	return unit, err
}

type SampleTally struct {
	Unit    SampleUnit
	Stacks  int     // number of stacks
	Sum     uint64  // total of all stacks
	whole   float64 // total of all stacks, which does not saturate
	methods map[layout.Ref]*StackCounts
	lines   map[sampledPoint]*StackCounts // nil unless from TallyLines
	calls   map[sampledCall]*StackCounts  // nil unless from TallyLines

	// Lines and calls with samples, by method; nil unless from TallyLines.
	linesOf              map[layout.Ref][]SampledLine
	callersOf, calleesOf map[layout.Ref][]SampledCall
}

// StackCounts holds the samples or allocated bytes of the stacks with a method.
type StackCounts struct {
	Self  uint64 // total of stacks with the method as the leaf
	Total uint64 // total of stacks with the method; recursion counts once
	seen  int    // number of the last stack added
}

// TallySamples totals the samples of every method in time linear in the size of the archive.
func TallySamples(s *reader.Store, unit SampleUnit) (*SampleTally, error) {
	t := &SampleTally{Unit: unit, methods: map[layout.Ref]*StackCounts{}}
	return t, t.addSamples(s)
}

func (t *SampleTally) addSamples(s *reader.Store) error {
	if s.Header().Domain == layout.DomainSampled {
		return t.addContexts(s)
	}
	for stack, err := range stacks.Sampled(s) {
		if err != nil {
			return err
		}
		t.addStack(stack)
	}
	return nil
}

func (t *SampleTally) addStack(stack stacks.Stack) {
	n := t.Unit.Choose(stack.Count, stack.Time)
	t.Stacks++
	t.Sum = schema.AddCounts(t.Sum, n)
	t.whole += float64(n)
	for i, f := range stack.Frames {
		if !f.Method.Valid() {
			continue
		}
		countsOf(t.methods, f.Method.Ref()).addStack(n, i == 0, t.Stacks)
		if t.lines != nil {
			countsOf(t.lines, sampledPoint{f.Method.Ref(), f.Point}).addStack(n, i == 0, t.Stacks)
		}
		if t.lines != nil && i > 0 {
			countsOf(t.calls, sampledCall{f.Method.Ref(), stack.Frames[i-1].Method.Ref()}).addStack(n, false, t.Stacks)
		}
	}
}

func countsOf[K comparable](counts map[K]*StackCounts, key K) *StackCounts {
	found := counts[key]
	if found == nil {
		found = &StackCounts{}
		counts[key] = found
	}
	return found
}

// addStack adds n for the stack with a number from 1.
func (m *StackCounts) addStack(n uint64, leaf bool, stack int) {
	if leaf {
		m.Self = schema.AddCounts(m.Self, n)
	}
	if m.seen != stack {
		m.seen, m.Total = stack, schema.AddCounts(m.Total, n)
	}
}

func (t *SampleTally) OfMethod(m reader.Method) StackCounts {
	if found := t.methods[m.Ref()]; found != nil {
		return *found
	}
	return StackCounts{}
}

func CountSamples(s *reader.Store) (stackCount int, samples uint64, err error) {
	if s.Header().Domain == layout.DomainSampled {
		err = stacks.Leaves(s, func(l stacks.Leaf) error {
			stackCount += l.Stacks
			samples = schema.AddCounts(samples, l.Count)
			return nil
		})
		return stackCount, samples, err
	}
	for stack, err := range stacks.Sampled(s) {
		if err != nil {
			return 0, 0, err
		}
		stackCount++
		samples = schema.AddCounts(samples, stack.Count)
	}
	return stackCount, samples, nil
}
