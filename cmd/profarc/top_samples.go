package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// bySamples asks top for the table of samples.
const bySamples = "samples"

// A sampleReport lists methods by their samples, those sampled most themselves
// first.
type sampleReport struct {
	Archive string       `json:"archive"`
	By      string       `json:"by"`
	Stacks  int          `json:"stacks"`
	Total   uint64       `json:"total"` // samples
	Of      int          `json:"of"`    // methods that were chosen and are on a stack
	Methods []topSampled `json:"methods"`
}

type topSampled struct {
	analyze.MethodName
	Self       uint64  `json:"self"` // in the method itself
	SelfShare  float64 `json:"self_share"`
	Total      uint64  `json:"total"` // with those in what it called
	TotalShare float64 `json:"total_share"`
}

// samplesAlone reports whether an archive has samples and no counts.
func samplesAlone(s *reader.Store) bool {
	_, err := s.Table(layout.TableSamples)
	return !errors.Is(err, reader.ErrNotFound) && s.Header().Summary == layout.Summary{}
}

// mostSampled lists the methods that were chosen; shares are of all samples.
func mostSampled(ctx context.Context, s *reader.Store, o topOptions) (*sampleReport, error) {
	tally, err := tallySamples(s)
	if err != nil {
		return nil, err
	}
	sel := newSelection(s.Header().Domain, o.class, o.method, 0, nil)
	var found []reader.Method
	for m, err := range s.Methods() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if n := tally.of(m).total; n < max(o.min, 1) {
			continue
		}
		selected, err := sel.nameMatches(s, m)
		if err != nil {
			return nil, err
		}
		if selected {
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b reader.Method) int {
		x, y := tally.of(a), tally.of(b)
		return cmp.Or(cmp.Compare(y.self, x.self), cmp.Compare(y.total, x.total))
	})
	r := &sampleReport{Archive: s.Mapping().Name(), By: bySamples, Stacks: tally.stacks, Total: tally.samples, Of: len(found), Methods: []topSampled{}}
	return r, r.list(s, tally, found[:min(o.n, len(found))])
}

func (r *sampleReport) list(s *reader.Store, tally *sampleTally, found []reader.Method) error {
	for _, m := range found {
		name, err := analyze.NameOf(s, m)
		if err != nil {
			return err
		}
		n := tally.of(m)
		r.Methods = append(r.Methods, topSampled{name, n.self, app.Share(n.self, r.Total), n.total, app.Share(n.total, r.Total)})
	}
	return nil
}

func (r *sampleReport) print(a *app.App) {
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "self\tshare\ttotal\tshare\t  method\n")
	for _, m := range r.Methods {
		fmt.Fprintf(w, "%d\t%.1f%%\t%d\t%.1f%%\t  %s\n", m.Self, 100*m.SelfShare, m.Total, 100*m.TotalShare, escape.Printable(m.String()))
	}
	w.Flush()
	fmt.Fprintf(a.Out, "\n%d of %s with any, %s of %s\n", len(r.Methods), app.Amount(r.Of, "method"), app.Amount(r.Total, "sample"), app.Amount(r.Stacks, "stack"))
}
