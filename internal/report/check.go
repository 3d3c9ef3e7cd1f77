package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A CheckRename is a class or method that has another name now.
type CheckRename struct {
	From     CheckName `json:"from"`
	To       CheckName `json:"to"`
	Methods  int       `json:"methods"` // of a class: whose code is known
	Same     int       `json:"same"`    // of these, with the same code now
	Profiles int       `json:"profiles"`
	Weight   float64   `json:"weight"`
}

// A CheckName is a class, or a method.
type CheckName struct {
	Class     string `json:"class"`
	Name      string `json:"name,omitempty"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`
}

func checkNameOf(k layout.Key) CheckName { return CheckName{k.Class, k.Name, k.Signature, k.Loader} }

// String is the name for people.
func (n CheckName) String() string {
	if n.Name == "" {
		return strings.ReplaceAll(n.Class, "/", ".")
	}
	return analyze.MethodText(layout.DomainHotSpot, layout.Key{Class: n.Class, Name: n.Name, Signature: n.Signature})
}

func renamesOf(found *fit.Report) []CheckRename {
	all := []CheckRename{}
	for i := range found.Renames {
		n := &found.Renames[i]
		all = append(all, CheckRename{checkNameOf(n.From), checkNameOf(n.To), n.Methods, n.Same, n.Profiles, n.Weight})
	}
	return all
}

// A Check says how an archive fits a program. Shares and confidences are
// from 0 to 1.
type Check struct {
	Archive  string                `json:"archive"`
	Against  string                `json:"against"`
	Domain   string                `json:"domain"`
	Score    float64               `json:"score"`
	States   map[string]CheckState `json:"states"`    // by name
	Reasons  []CheckReason         `json:"unchecked"` // that of most profiles first
	ByName   bool                  `json:"by_name"`   // class loaders were left out of account
	Loaders  []LoaderDoubt         `json:"loader_doubts"`
	Points   CheckPoints           `json:"moved_points"`
	Misfits  []CheckVerdict        `json:"misfits"` // the heaviest losses first
	Renames  []CheckRename         `json:"renames"` // those with the most counts first
	Verdicts []CheckVerdict        `json:"verdicts,omitempty"`
	// NoLongerCertain is what the archive is certain of, and profiles of the code
	// are not; nil if the code is not known by profiles.
	NoLongerCertain *List[Certainty] `json:"no_longer_certain,omitempty"`

	Rewritten *CheckRewritten `json:"rewritten,omitempty"`
}

// A CheckState is how many profiles are in a state.
type CheckState struct {
	Profiles int     `json:"profiles"`
	Weight   float64 `json:"weight"` // all that they have counted
	Share    float64 `json:"share"`  // of the weight of all profiles
}

// CheckPoints are the profile points of profiles that have moved.
type CheckPoints struct {
	Old     int `json:"old"`
	Matched int `json:"matched"`
	// Found, Swapped and Dropped are of all points that have counts, in code that has
	// changed. Swapped are branches among those found: their counts change sides.
	Found   CheckLost   `json:"found"`
	Swapped CheckLost   `json:"swapped"`
	Dropped []CheckLost `json:"dropped"` // that of most counts first
}

// A CheckLost is points with counts, and for dropped ones the reason. Of points that
// were found some counts may be dropped too.
type CheckLost struct {
	Reason string  `json:"reason,omitempty"`
	Points int     `json:"points"`
	Counts float64 `json:"counts"`
}

// pointsOf says what became of points.
func pointsOf(f *fit.Report) CheckPoints {
	p := CheckPoints{Old: f.Points, Matched: f.Matched, Dropped: []CheckLost{}}
	p.Found, p.Swapped = CheckLost{"", f.Found.Points, f.Found.Counts}, CheckLost{"", f.Swapped.Points, f.Swapped.Counts}
	for why, l := range f.Lost {
		p.Dropped = append(p.Dropped, CheckLost{string(why), l.Points, l.Counts})
	}
	slices.SortFunc(p.Dropped, func(a, b CheckLost) int {
		return cmp.Or(cmp.Compare(b.Counts, a.Counts), cmp.Compare(a.Reason, b.Reason))
	})
	return p
}

// Counts are those of all points.
func (p *CheckPoints) Counts() (all float64) {
	all = p.Found.Counts
	for _, l := range p.Dropped {
		all += l.Counts
	}
	return all
}

// A CheckVerdict is how one profile fits.
type CheckVerdict struct {
	analyze.MethodName
	State      string  `json:"state"`
	Reason     string  `json:"reason"`
	Confidence float64 `json:"confidence"`
	Points     int     `json:"points"`
	Matched    int     `json:"matched"`
	Weight     float64 `json:"weight"`
	// To is the key of the method now, if it is another one.
	To *CheckName `json:"renamed_to,omitempty"`
}

// A CheckRewritten is an adapted archive.
type CheckRewritten struct {
	Archive string        `json:"archive"`
	Bytes   int64         `json:"bytes"`
	Counts  layout.Counts `json:"counts"`
	RewrittenCounts
}

type RewrittenCounts struct {
	Profiles      int     `json:"profiles"`
	Dropped       int     `json:"dropped"`
	Points        int     `json:"points"`         // of moved profiles, taken over
	PointsDropped int     `json:"points_dropped"` // with counts, and no place any more
	CountsDropped float64 `json:"counts_dropped"`
	Swapped       int     `json:"swapped"` // branches whose counts changed sides
	Traps         int     `json:"traps"`   // at bytecodes without a profile point
	TrapsDropped  int     `json:"traps_dropped"`
}

// Fill takes over what was found.
func (r *Check) Fill(s *reader.Store, f *fit.Report) error {
	r.Score, r.Points = f.Score(), pointsOf(f)
	r.States, r.Misfits, r.Reasons = map[string]CheckState{}, []CheckVerdict{}, UncheckedOf(f)
	all := 0.0
	for _, w := range f.Weights {
		all += w
	}
	for _, state := range fit.States() {
		r.States[state.String()] = CheckState{f.Profiles[state], f.Weights[state], f.Weights[state] / max(all, 1)}
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

// CompareLoaders notes what is not known of the class loaders of an archive in the
// run that it is held against.
func (r *Check) CompareLoaders(s *reader.Store, loaders func() ([]string, error)) error {
	r.Loaders = []LoaderDoubt{}
	if r.ByName || loaders == nil || s.Header().Domain != layout.DomainHotSpot {
		return nil
	}
	of, err := s.Loaders()
	if err != nil {
		return err
	}
	there, err := loaders()
	r.Loaders = loaderDoubts(of, there)
	return err
}

// AddVerdict adds a verdict to the list of all.
func (r *Check) AddVerdict(s *reader.Store, v *fit.Verdict) error {
	shown, err := verdictOf(s, v)
	r.Verdicts = append(r.Verdicts, shown)
	return err
}

func verdictOf(s *reader.Store, v *fit.Verdict) (CheckVerdict, error) {
	name, err := analyze.NameOf(s, v.Method)
	c := CheckVerdict{name, v.State.String(), v.Reason, v.Confidence, v.Points, v.Matched, v.Weight, nil}
	if v.To != (layout.Key{}) {
		to := checkNameOf(v.To)
		c.To = &to
	}
	return c, err
}

// A CheckReason is why profiles could not be checked.
type CheckReason struct {
	Reason   string `json:"reason"`
	Profiles int    `json:"profiles"`
}

// UncheckedOf are the reasons of a check, those of most profiles first.
func UncheckedOf(found *fit.Report) []CheckReason {
	all := []CheckReason{}
	for reason, n := range found.Reasons {
		all = append(all, CheckReason{reason, n})
	}
	slices.SortFunc(all, func(a, b CheckReason) int {
		return cmp.Or(cmp.Compare(b.Profiles, a.Profiles), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}
