package facts

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/entries"
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
	d := &deoptimisations{names: reasons, report: &DeoptimisedReport{Archive: s.Mapping().Name(), By: ByDeoptimised}}
	for m, err := range selectedMethods(ctx, s, o) {
		if err != nil {
			return nil, err
		}
		for q, err := range m.Profiles() {
			if err == nil {
				err = d.addProfile(m, q, o.Min)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return d.report, d.rankReasons(s, o.RowCount(len(d.report.Reasons)))
}

type deoptimisations struct {
	names   entries.TrapReasons
	points  analyze.PointReader
	methods []reader.Method // method of each reason in the report
	report  *DeoptimisedReport
}

func (d *deoptimisations) addProfile(m reader.Method, q reader.Profile, least uint64) error {
	found, err := reasonsIn(q, &d.points, d.names)
	for _, row := range found {
		if row.Count >= least {
			d.methods, d.report.Reasons = append(d.methods, m), append(d.report.Reasons, row)
			d.report.Total += row.Count
		}
	}
	return err
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

func (d *deoptimisations) rankReasons(s *reader.Store, limit int) error {
	order := make([]int, len(d.methods))
	for i := range order {
		order[i] = i
	}
	all := d.report.Reasons
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(all[b].Count, all[a].Count), cmp.Compare(len(all[b].Points), len(all[a].Points)),
			cmp.Compare(d.methods[a].Ref(), d.methods[b].Ref()), cmp.Compare(all[a].Reason, all[b].Reason),
			cmp.Compare(a, b))
	})
	d.report.Of = len(order)
	d.report.Reasons = []Deoptimised{}
	for _, i := range order[:min(limit, len(order))] {
		row := all[i]
		var err error
		row.Method = d.methods[i]
		row.MethodName, err = analyze.NameOf(s, d.methods[i])
		if err != nil {
			return err
		}
		d.report.Reasons = append(d.report.Reasons, row)
	}
	return nil
}
