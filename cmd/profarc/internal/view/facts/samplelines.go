package facts

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A sampledPoint is a point of a method on sampled stacks, a sampledCall a method with one that it called.
type (
	sampledPoint struct {
		method layout.Ref
		point  int32
	}
	sampledCall struct{ caller, callee layout.Ref }
)

// TallyLines is TallySamples with totals by line and by call.
func TallyLines(s *reader.Store, unit SampleUnit) (*SampleTally, error) {
	t := &SampleTally{Unit: unit, methods: map[layout.Ref]*StackCounts{}, lines: map[sampledPoint]*StackCounts{},
		calls: map[sampledCall]*StackCounts{}}
	return t, t.addSamples(s)
}

// A SampledLine holds the samples at a point of a method. A point is a line relative to the start of a Go function, or
// a bci.
type SampledLine struct {
	Point int32
	StackCounts
}

// LinesOf returns the points of a method with samples, in order. The tally comes from TallyLines.
func (t *SampleTally) LinesOf(m reader.Method) (list []SampledLine) {
	for at, n := range t.lines {
		if at.method == m.Ref() && n.Total > 0 {
			list = append(list, SampledLine{at.point, *n})
		}
	}
	slices.SortFunc(list, func(a, b SampledLine) int { return cmp.Compare(a.Point, b.Point) })
	return list
}

type MethodLine struct {
	Method layout.Ref
	SampledLine
}

// HottestLines returns the lines with the most self samples. The tally comes from TallyLines.
func (t *SampleTally) HottestLines(most int) (list []MethodLine) {
	for at, n := range t.lines {
		if n.Self > 0 {
			list = append(list, MethodLine{at.method, SampledLine{at.point, *n}})
		}
	}
	slices.SortFunc(list, func(a, b MethodLine) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Method, b.Method),
			cmp.Compare(a.Point, b.Point))
	})
	return list[:min(most, len(list))]
}

// A SampledCall holds the samples below a call.
type SampledCall struct {
	Other layout.Ref // caller or callee; 0 if unknown
	Total uint64     // total of stacks with the call; recursion counts once
}

// CallsOf returns the callers and callees of a method, the most samples first. The tally comes from TallyLines.
func (t *SampleTally) CallsOf(m reader.Method) (callers, callees []SampledCall) {
	for at, n := range t.calls {
		if at.callee == m.Ref() && n.Total > 0 {
			callers = append(callers, SampledCall{at.caller, n.Total})
		}
		if at.caller == m.Ref() && n.Total > 0 {
			callees = append(callees, SampledCall{at.callee, n.Total})
		}
	}
	for _, list := range [][]SampledCall{callers, callees} {
		slices.SortFunc(list, func(a, b SampledCall) int {
			return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Other, b.Other))
		})
	}
	return callers, callees
}
