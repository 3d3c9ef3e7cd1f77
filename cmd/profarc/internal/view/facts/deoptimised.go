package facts

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/reader"
)

const ByDeoptimised = "deoptimised"

type DeoptimisedReport struct {
	Archive string        `json:"archive"`
	By      string        `json:"by"`
	Total   uint64        `json:"total"` // deoptimizations of the selected methods
	Of      int           `json:"of"`    // number of pairs of method and reason
	Reasons []Deoptimised `json:"reasons"`
}

// A Deoptimised is a method and one reason for its deoptimization. A VM counts up to 255 per reason. Count is 0 if only
// points record the reason.
type Deoptimised struct {
	analyze.MethodName
	Method reader.Method      `json:"-"`
	Code   string             `json:"code,omitempty"`
	Reason string             `json:"reason"` // reason in the VM's words
	Count  uint64             `json:"count"`
	Points []DeoptimisedPoint `json:"points"` // points that record the reason
	Cure   string             `json:"cure,omitempty"`
}

type DeoptimisedPoint struct {
	Point      int32  `json:"point"`
	Kind       string `json:"kind"`
	Count      uint64 `json:"count"`
	Recompiled bool   `json:"recompiled"` // whether the method was recompiled without the assumption
}

func MostDeoptimised(ctx context.Context, s *reader.Store, o analyze.RankOptions) (*DeoptimisedReport, error) {
	reasons, err := entries.TrapReasonsOf(s)
	if err != nil {
		return nil, err
	}
	r := &DeoptimisedReport{Archive: s.Mapping().Name(), By: ByDeoptimised, Reasons: []Deoptimised{}}
	var points analyze.PointReader
	for m := range poll.Values(selectedMethods(ctx, s, o), &err) {
		for q := range poll.Values(m.Profiles(), &err) {
			var found []Deoptimised
			found, err = reasonsIn(q, &points, reasons)
			for _, row := range found {
				if row.Count >= o.Min {
					row.Method = m
					r.Reasons = append(r.Reasons, row)
					r.Total += row.Count
				}
			}
		}
	}
	return r, cmp.Or(err, r.rankReasons(s, o.RowCount(len(r.Reasons))))
}

func DeoptimisedIn(q reader.Profile, points *analyze.PointReader) ([]Deoptimised, error) {
	reasons, err := entries.TrapReasonsOf(q.Store())
	if err != nil {
		return nil, err
	}
	return reasonsIn(q, points, reasons)
}

func reasonsIn(q reader.Profile, of *analyze.PointReader, names entries.TrapReasons) ([]Deoptimised, error) {
	var list []Deoptimised
	counts := map[string]uint64{}
	for reason, n := range q.TrapHistory() {
		if n > 0 {
			counts[names.Name(reason)] += uint64(n)
		}
	}
	points, err := of.Points(q)
	if err != nil {
		return nil, err
	}
	at := map[string][]DeoptimisedPoint{}
	for _, p := range points {
		if p.Traps == "" {
			continue
		}
		reason, recompiled := strings.CutSuffix(p.Traps, entries.RecompiledSuffix)
		at[reason] = append(at[reason], DeoptimisedPoint{p.Point, p.Kind, p.Count, recompiled})
		counts[reason] += 0
	}
	for reason, n := range counts {
		row := Deoptimised{Reason: reason, Count: n, Points: append([]DeoptimisedPoint{}, at[reason]...),
			Cure: entries.TrapCure(reason)}
		if id := q.Code(); id != 0 {
			row.Code = display.IDText(id)
		}
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b Deoptimised) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	return list, nil
}

func (r *DeoptimisedReport) rankReasons(s *reader.Store, limit int) (err error) {
	slices.SortStableFunc(r.Reasons, func(a, b Deoptimised) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(len(b.Points), len(a.Points)),
			cmp.Compare(a.Method.Ref(), b.Method.Ref()), cmp.Compare(a.Reason, b.Reason))
	})
	r.Of = len(r.Reasons)
	r.Reasons = slices.Clip(r.Reasons[:min(limit, r.Of)])
	for i := range r.Reasons {
		r.Reasons[i].MethodName, err = analyze.NameOf(s, r.Reasons[i].Method)
		if err != nil {
			return err
		}
	}
	return nil
}
