package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// byPollution asks top for sites in the place of methods.
const byPollution = "pollution"

// pollutionText says by which rules.
const pollutionText = `--by pollution lists sites where what was recorded does not tell what to expect, those reached
most often first:

  receivers, checked   more than two types were met, and none in 90% of all cases or more
  targets              the same, of the functions that a call through a pointer reached
  branch               of its two ways the likelier makes less than 60%
  null                 a type check has met null; how often is not recorded. A check that counts
                       nothing is taken to be reached as often as its method

best is the share of what was seen most; split says whether a profile for each calling context
would do better: in all contexts that were recorded (yes), in those that make such a share of
the counts, or in none (no); contexts that make less than 1% do not matter. Where profiles of one context alone were recorded, as HotSpot
does, that is unknown.`

// A pollutionReport lists polluted sites, those that are reached most first.
type pollutionReport struct {
	Archive string         `json:"archive"`
	By      string         `json:"by"`
	Of      int            `json:"of"` // polluted sites
	Sites   []pollutedSite `json:"sites"`
}

type pollutedSite struct {
	analyze.MethodName
	Kind     siteKind  `json:"kind"`
	Point    int32     `json:"point"`
	Code     string    `json:"code,omitempty"`
	Count    uint64    `json:"count"`
	Best     float64   `json:"best_share"`
	Contexts int       `json:"contexts"`
	Split    split     `json:"split"`
	Cured    float64   `json:"split_share"`
	Seen     []seenRow `json:"seen"` // most often
	Other    uint64    `json:"other"`
}

type seenRow struct {
	What  string `json:"what"`
	Count uint64 `json:"count"`
}

// seenRows is how much of what was seen is listed.
const seenRows = 3

// A pollution is a polluted site and how often it was reached.
type pollution struct {
	m     reader.Method
	site  *site
	count uint64
}

// mostPolluted finds the polluted sites of all selected methods.
func mostPolluted(ctx context.Context, s *reader.Store, o topOptions) (*pollutionReport, error) {
	sel := newSelection(s.Header().Domain, o.class, o.method, 0, nil)
	var found []pollution
	for m, err := range s.Methods() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		selected, err := sel.nameMatches(s, m)
		if err != nil {
			return nil, err
		}
		if !selected {
			continue
		}
		sites, err := sitesOf(m)
		if err != nil {
			return nil, err
		}
		for _, at := range sites {
			all := at.pooled()
			if n := all.total(); n >= max(o.min, 1) && all.polluted(at.kind) {
				found = append(found, pollution{m, at, n})
			}
		}
	}
	if err := poll.SortStable(ctx, found, func(a, b pollution) int { return cmp.Compare(b.count, a.count) }); err != nil {
		return nil, err
	}
	r := &pollutionReport{Archive: s.Mapping().Name(), By: byPollution, Of: len(found), Sites: []pollutedSite{}}
	return r, r.list(s, found[:min(o.n, len(found))])
}

func (r *pollutionReport) list(s *reader.Store, found []pollution) error {
	p := &profilePrinter{s: s}
	for _, f := range found {
		name, err := analyze.NameOf(s, f.m)
		if err != nil {
			return err
		}
		all := f.site.pooled()
		row := pollutedSite{MethodName: name, Kind: f.site.kind, Point: f.site.point, Count: f.count, Best: app.Share(all.best(), f.count),
			Contexts: len(f.site.parts), Seen: p.mostSeen(f.site.kind, all), Other: all.other}
		row.Split, row.Cured = f.site.split()
		if f.site.code != 0 {
			row.Code = app.FormatID(f.site.code)
		}
		if row.Kind == siteNull {
			row.Other = 0
		}
		r.Sites = append(r.Sites, row)
	}
	return p.err
}

// mostSeen names what was seen most at a site.
func (p *profilePrinter) mostSeen(kind siteKind, t *tally) []seenRow {
	type counted struct{ what, count uint64 }
	var all []counted
	for what, n := range t.seen {
		if n > 0 {
			all = append(all, counted{what, n})
		}
	}
	slices.SortFunc(all, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.what, b.what))
	})
	rows := []seenRow{}
	for _, c := range all[:min(seenRows, len(all))] {
		rows = append(rows, seenRow{p.seenText(kind, c.what), c.count})
	}
	return rows
}

func (p *profilePrinter) seenText(kind siteKind, what uint64) string {
	switch kind {
	case siteReceivers, siteChecked:
		t, err := p.s.Type(uint32(what))
		p.err = cmp.Or(p.err, err)
		return p.typeName(t)
	case siteTargets:
		return p.target(layout.SubIndirectCall, what)
	}
	switch what {
	case wayNot:
		return "not taken"
	case wayTaken:
		return "taken"
	}
	point, index := disk.UnpackSuccessor(what)
	return fmt.Sprintf("to %d (%d)", point, index)
}

func (r *pollutionReport) print(a *app.App) {
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "count\tbest\tsplit\t  site\n")
	for _, s := range r.Sites {
		best := fmt.Sprintf("%.1f%%", 100*s.Best)
		if s.Kind == siteNull {
			best = "-"
		}
		answer := string(s.Split)
		if s.Split == splitPartly {
			answer = app.FormatPercentDown(s.Cured)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t  %s at %d of %s%s\n", s.Count, best, answer, s.Kind, s.Point, escape.Printable(s.String()), s.seenText())
	}
	w.Flush()
	fmt.Fprintf(a.Out, "\n%d of %d polluted sites\n", len(r.Sites), r.Of)
}

// seenText lists what was seen, behind a colon.
func (s pollutedSite) seenText() string {
	var parts []string
	rest := s.Count
	for _, row := range s.Seen {
		parts = append(parts, fmt.Sprintf("%s %.2f", row.What, app.Share(row.Count, s.Count)))
		rest -= min(rest, row.Count)
	}
	if len(parts) == 0 {
		return ""
	}
	if rest > 0 {
		parts = append(parts, fmt.Sprintf("others %.2f", app.Share(rest, s.Count)))
	}
	return ": " + strings.Join(parts, ", ")
}
