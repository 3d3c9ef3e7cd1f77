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

// A SampleReport ranks methods by samples, the most self samples first.
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

func stackedMethod(name analyze.MethodName, n StackCounts, total uint64) StackedMethod {
	return StackedMethod{name, n.Self, shareOf(n.Self, total), n.Total, shareOf(n.Total, total)}
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
		r.Methods = append(r.Methods, stackedMethod(name, tally.OfMethod(m), r.Total))
	}
	return nil
}
