package facts

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type SampleReport struct {
	Archive string          `json:"archive"`
	By      SampleUnit      `json:"by"` // unit of all totals
	Stacks  int             `json:"stacks"`
	Total   uint64          `json:"total"`
	Of      int             `json:"of"` // number of selected methods on any stack
	Methods []StackedMethod `json:"methods"`
}

// A StackedMethod is a method with the samples or bytes of the stacks that contain it.
type StackedMethod struct {
	analyze.MethodName
	Self       uint64  `json:"self"` // total of stacks with the method as the leaf
	SelfShare  float64 `json:"self_share"`
	Total      uint64  `json:"total"` // total of stacks with the method
	TotalShare float64 `json:"total_share"`
}

func stackedMethod(name analyze.MethodName, n StackCounts, whole float64) StackedMethod {
	whole = max(whole, 1)
	return StackedMethod{name, n.Self, float64(n.Self) / whole, n.Total, float64(n.Total) / whole}
}

func SamplesOnly(s *reader.Store) bool {
	if s.Header().Domain == layout.DomainSampled {
		return true
	}
	_, err := s.Table(schema.TableSamples)
	return !errors.Is(err, reader.ErrNotFound) && s.Header().Summary == layout.Summary{}
}

// MostSampled ranks the selected methods by samples or their time. Shares relate to all samples of the archive.
func MostSampled(ctx context.Context, s *reader.Store, unit SampleUnit, o analyze.RankOptions) (*SampleReport, error) {
	tally, err := TallySamples(s, unit)
	if err != nil {
		return nil, err
	}
	var found []reader.Method
	for m, err := range s.Methods() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if n := tally.OfMethod(m).Total; n < max(o.Min, 1) {
			continue
		}
		selected, err := o.Selects(m)
		if err != nil {
			return nil, err
		}
		if selected {
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b reader.Method) int {
		x := tally.OfMethod(a)
		y := tally.OfMethod(b)
		return cmp.Or(cmp.Compare(y.Self, x.Self), cmp.Compare(y.Total, x.Total))
	})
	r := &SampleReport{Archive: s.Mapping().Name(), By: unit, Stacks: tally.Stacks, Total: tally.Sum,
		Of: len(found), Methods: []StackedMethod{}}
	return r, r.addMethods(s, tally, found[:o.RowCount(len(found))])
}

func (r *SampleReport) addMethods(s *reader.Store, tally *SampleTally, found []reader.Method) error {
	for _, m := range found {
		name, err := analyze.NameOf(s, m)
		if err != nil {
			return err
		}
		r.Methods = append(r.Methods, stackedMethod(name, tally.OfMethod(m), tally.whole))
	}
	return nil
}

// A sampledPoint is a point of a method on sampled stacks, a sampledCall a method with one that it called.
type (
	sampledPoint struct {
		method layout.Ref
		point  int32
	}
	sampledCall struct{ caller, callee layout.Ref }
)

func TallyLines(s *reader.Store, unit SampleUnit) (*SampleTally, error) {
	t := &SampleTally{Unit: unit, methods: map[layout.Ref]*StackCounts{}, lines: map[sampledPoint]*StackCounts{},
		calls: map[sampledCall]*StackCounts{}}
	err := t.addSamples(s)
	t.groupByMethod()
	return t, err
}

// groupByMethod sorts the lines and calls of each method, so that listing all methods takes linear time.
func (t *SampleTally) groupByMethod() {
	t.linesOf = map[layout.Ref][]SampledLine{}
	t.callersOf, t.calleesOf = map[layout.Ref][]SampledCall{}, map[layout.Ref][]SampledCall{}
	for at, n := range t.lines {
		if n.Total > 0 {
			t.linesOf[at.method] = append(t.linesOf[at.method], SampledLine{at.point, *n})
		}
	}
	for at, n := range t.calls {
		if n.Total > 0 {
			t.callersOf[at.callee] = append(t.callersOf[at.callee], SampledCall{at.caller, n.Total})
			t.calleesOf[at.caller] = append(t.calleesOf[at.caller], SampledCall{at.callee, n.Total})
		}
	}
	for _, list := range t.linesOf {
		slices.SortFunc(list, func(a, b SampledLine) int { return cmp.Compare(a.Point, b.Point) })
	}
	for _, lists := range []map[layout.Ref][]SampledCall{t.callersOf, t.calleesOf} {
		for _, list := range lists {
			slices.SortFunc(list, func(a, b SampledCall) int {
				return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Other, b.Other))
			})
		}
	}
}

// A SampledLine holds the samples at a point of a method. A point is a line relative to the start of a Go function, or
// a bci.
type SampledLine struct {
	Point int32
	StackCounts
}

// LinesOf returns the points of a method with samples, in order. The tally comes from TallyLines.
func (t *SampleTally) LinesOf(m reader.Method) []SampledLine { return t.linesOf[m.Ref()] }

type SampledCall struct {
	Other layout.Ref // caller or callee; 0 if unknown
	Total uint64     // total of stacks with the call; recursion counts once
}

// CallsOf returns the callers and callees of a method, the most samples first. The tally comes from TallyLines.
func (t *SampleTally) CallsOf(m reader.Method) (callers, callees []SampledCall) {
	return t.callersOf[m.Ref()], t.calleesOf[m.Ref()]
}
