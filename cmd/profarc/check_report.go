package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A checkReport says how an archive fits a program. Shares and confidences are
// from 0 to 1.
type checkReport struct {
	Archive  string                `json:"archive"`
	Against  string                `json:"against"`
	Domain   string                `json:"domain"`
	Score    float64               `json:"score"`
	States   map[string]checkState `json:"states"`    // by name
	Reasons  []checkReason         `json:"unchecked"` // that of most profiles first
	ByName   bool                  `json:"by_name"`   // class loaders were left out of account
	Loaders  []loaderDoubt         `json:"loader_doubts"`
	Points   checkPoints           `json:"moved_points"`
	Misfits  []checkVerdict        `json:"misfits"` // the heaviest losses first
	Renames  []checkRename         `json:"renames"` // those with the most counts first
	Verdicts []checkVerdict        `json:"verdicts,omitempty"`
	// NoLongerCertain is what the archive is certain of, and profiles of the code
	// are not; nil if the code is not known by profiles.
	NoLongerCertain *diffList[diffCertainty] `json:"no_longer_certain,omitempty"`

	Rewritten *checkRewritten `json:"rewritten,omitempty"`
}

// A checkState is how many profiles are in a state.
type checkState struct {
	Profiles int     `json:"profiles"`
	Weight   float64 `json:"weight"` // all that they have counted
	Share    float64 `json:"share"`  // of the weight of all profiles
}

// checkPoints are the profile points of profiles that have moved.
type checkPoints struct {
	Old     int `json:"old"`
	Matched int `json:"matched"`
	// Found, Swapped and Dropped are of all points that have counts, in code that has
	// changed. Swapped are branches among those found: their counts change sides.
	Found   checkLost   `json:"found"`
	Swapped checkLost   `json:"swapped"`
	Dropped []checkLost `json:"dropped"` // that of most counts first
}

// A checkLost is points with counts, and for dropped ones the reason. Of points that
// were found some counts may be dropped too.
type checkLost struct {
	Reason string  `json:"reason,omitempty"`
	Points int     `json:"points"`
	Counts float64 `json:"counts"`
}

// pointsOf says what became of points.
func pointsOf(f *fit.Report) checkPoints {
	p := checkPoints{Old: f.Points, Matched: f.Matched, Dropped: []checkLost{}}
	p.Found, p.Swapped = checkLost{"", f.Found.Points, f.Found.Counts}, checkLost{"", f.Swapped.Points, f.Swapped.Counts}
	for why, l := range f.Lost {
		p.Dropped = append(p.Dropped, checkLost{string(why), l.Points, l.Counts})
	}
	slices.SortFunc(p.Dropped, func(a, b checkLost) int {
		return cmp.Or(cmp.Compare(b.Counts, a.Counts), cmp.Compare(a.Reason, b.Reason))
	})
	return p
}

// counts are those of all points.
func (p *checkPoints) counts() (all float64) {
	all = p.Found.Counts
	for _, l := range p.Dropped {
		all += l.Counts
	}
	return all
}

// A checkVerdict is how one profile fits.
type checkVerdict struct {
	analyze.MethodName
	State      string  `json:"state"`
	Reason     string  `json:"reason"`
	Confidence float64 `json:"confidence"`
	Points     int     `json:"points"`
	Matched    int     `json:"matched"`
	Weight     float64 `json:"weight"`
	// To is the key of the method now, if it is another one.
	To *checkName `json:"renamed_to,omitempty"`
}

// A checkRewritten is an adapted archive.
type checkRewritten struct {
	Archive string        `json:"archive"`
	Bytes   int64         `json:"bytes"`
	Counts  layout.Counts `json:"counts"`
	rewrittenCounts
}

type rewrittenCounts struct {
	Profiles      int     `json:"profiles"`
	Dropped       int     `json:"dropped"`
	Points        int     `json:"points"`         // of moved profiles, taken over
	PointsDropped int     `json:"points_dropped"` // with counts, and no place any more
	CountsDropped float64 `json:"counts_dropped"`
	Swapped       int     `json:"swapped"` // branches whose counts changed sides
	Traps         int     `json:"traps"`   // at bytecodes without a profile point
	TrapsDropped  int     `json:"traps_dropped"`
}

// fill takes over what was found.
func (r *checkReport) fill(s *reader.Store, f *fit.Report) error {
	r.Score, r.Points = f.Score(), pointsOf(f)
	r.States, r.Misfits, r.Reasons = map[string]checkState{}, []checkVerdict{}, uncheckedOf(f)
	all := 0.0
	for _, w := range f.Weights {
		all += w
	}
	for _, state := range fit.States() {
		r.States[state.String()] = checkState{f.Profiles[state], f.Weights[state], f.Weights[state] / max(all, 1)}
	}
	r.Renames = renamesOf(f)
	for i := range f.Misfits {
		v, err := verdictOf(s, &f.Misfits[i])
		if err != nil {
			return err
		}
		r.Misfits = append(r.Misfits, v)
	}
	return nil
}

// compareLoaders notes what is not known of the class loaders of an archive in the
// run that it is held against.
func (r *checkReport) compareLoaders(s *reader.Store, against code) error {
	r.Loaders = []loaderDoubt{}
	if r.ByName || against.loaders == nil || s.Header().Domain != layout.DomainHotSpot {
		return nil
	}
	of, err := s.Loaders()
	if err != nil {
		return err
	}
	there, err := against.loaders()
	r.Loaders = loaderDoubts(of, there)
	return err
}

// list adds a verdict to the list of all.
func (r *checkReport) list(s *reader.Store, v *fit.Verdict) error {
	shown, err := verdictOf(s, v)
	r.Verdicts = append(r.Verdicts, shown)
	return err
}

func verdictOf(s *reader.Store, v *fit.Verdict) (checkVerdict, error) {
	name, err := analyze.NameOf(s, v.Method)
	c := checkVerdict{name, v.State.String(), v.Reason, v.Confidence, v.Points, v.Matched, v.Weight, nil}
	if v.To != (layout.Key{}) {
		to := checkNameOf(v.To)
		c.To = &to
	}
	return c, err
}

func (r *checkReport) print(a *app.App) {
	fmt.Fprintf(a.Out, "%s fits %s by %s\n\n", escape.Printable(r.Archive), escape.Printable(r.Against), app.FormatPercent(r.Score))
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tprofiles\tof all counts\t\n")
	for _, state := range fit.States() {
		s := r.States[state.String()]
		fmt.Fprintf(w, "%s\t%d\t%s\t\n", state, s.Profiles, app.FormatPercent(s.Share))
	}
	w.Flush()
	if len(r.Reasons) > 0 {
		fmt.Fprintf(a.Out, "\nunchecked: %s\n", uncheckedText(r.Reasons))
	}
	if r.ByName {
		fmt.Fprintf(a.Out, "\nclasses are matched by name: one of the two archives knows no class loaders\n")
	}
	printLoaderDoubts(a.Out, r.Loaders)
	r.printPoints(a)
	r.printRenames(a)
	r.printMisfits(a)
	if r.NoLongerCertain != nil {
		printCertainties(a, "no longer certain", "the archive", "the new profiles", *r.NoLongerCertain)
	}
	if n := r.Rewritten; n != nil {
		fmt.Fprintf(a.Out, "\nwrote %s: %s, %d profiles, %d left out; of moved ones %d points taken over (%d with sides swapped), %d with counts left out (%.0f counts), %d traps left out\n",
			escape.Printable(n.Archive), app.FormatSize(n.Bytes), n.Profiles, n.Dropped, n.Points, n.Swapped, n.PointsDropped, n.CountsDropped, n.TrapsDropped)
	}
}

// printPoints says what becomes of the points of code that has changed.
func (r *checkReport) printPoints(a *app.App) {
	p := &r.Points
	if p.Old > 0 {
		fmt.Fprintf(a.Out, "\nmoved profiles: %d of %d points matched\n", p.Matched, p.Old)
	}
	all := p.counts()
	if all == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\nprofile points of changed code\n")
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "  moved\t%d points\t%s of their counts\t\n", p.Found.Points, app.FormatPercent(p.Found.Counts/all))
	if p.Swapped.Points > 0 {
		fmt.Fprintf(w, "  swapped\t%d of these\t%s\tbranches whose condition is inverted: taken and not taken change sides\n", p.Swapped.Points, app.FormatPercent(p.Swapped.Counts/all))
	}
	for _, l := range p.Dropped {
		fmt.Fprintf(w, "  dropped\t%d points\t%s\t%s\n", l.Points, app.FormatPercent(l.Counts/all), l.Reason)
	}
	w.Flush()
	if slices.ContainsFunc(p.Dropped, func(l checkLost) bool { return l.Reason == string(fit.LostUnknown) }) {
		fmt.Fprintf(a.Out, "what the archive does not say of its code, --old CLASSPATH does: name the code that was profiled\n")
	}
}

func (r *checkReport) printMisfits(a *app.App) {
	if len(r.Misfits) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\nthe heaviest that do not fit as they are\n")
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "state\tconfidence\tcounts\tmethod\treason")
	for _, m := range r.Misfits {
		fmt.Fprintf(w, "%s\t%.2f\t%.0f\t%s\t%s\n", m.State, m.Confidence, m.Weight, escape.Printable(m.Method), escape.Printable(strings.TrimSpace(m.Reason)))
	}
	w.Flush()
}
