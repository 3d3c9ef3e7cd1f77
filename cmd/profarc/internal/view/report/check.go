package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A CheckRename is a class or method that was renamed.
type CheckRename struct {
	From CheckName `json:"from"`
	// To is the present key of the method, if it was renamed.
	To       CheckName `json:"to"`
	Methods  int       `json:"methods"` // of a class: those whose code is known
	Same     int       `json:"same"`    // of these, those with the same code now
	Profiles int       `json:"profiles"`
	Weight   float64   `json:"weight"`
}

// A CheckName names a class, or a method.
type CheckName struct {
	Class     string `json:"class"`
	Name      string `json:"name,omitempty"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`
}

func checkNameOf(k layout.Key) CheckName { return CheckName{k.Class, k.Name, k.Signature, k.Loader} }

// String returns the name for people.
func (n CheckName) String() string {
	if n.Name == "" {
		return strings.ReplaceAll(n.Class, "/", ".")
	}
	return display.MethodText(layout.DomainHotSpot, layout.Key{Class: n.Class, Name: n.Name, Signature: n.Signature})
}

func renamesOf(found *fit.Report) []CheckRename {
	all := []CheckRename{}
	for i := range found.Renames {
		n := &found.Renames[i]
		all = append(all, CheckRename{checkNameOf(n.From), checkNameOf(n.To), n.Methods, n.Same, n.Profiles, n.Weight})
	}
	return all
}

// A Check is the report of profarc check: how an archive fits a program. Shares
// and confidences are from 0 to 1.
type Check struct {
	Archive  string                `json:"archive"`
	Against  string                `json:"against"`
	Domain   string                `json:"domain"`
	Score    float64               `json:"score"`
	Checked  float64               `json:"checked"` // the share of all events that the score covers
	Verdict  Verdict               `json:"verdict"`
	Missing  []string              `json:"missing,omitempty"`    // elements of the class path that are not there
	Origin   *CheckOrigin          `json:"class_path,omitempty"` // if the archive's own was taken
	States   map[string]CheckState `json:"states"`               // by name
	Reasons  []CheckReason         `json:"unchecked"`            // most profiles first
	ByName   bool                  `json:"by_name"`              // methods were matched without their class loaders
	Loaders  []loaders.Doubt       `json:"loader_doubts"`
	Points   CheckPoints           `json:"moved_points"`
	Misfits  []CheckVerdict        `json:"misfits"` // the heaviest losses first
	Renames  []CheckRename         `json:"renames"` // those with the most counts first
	Verdicts []CheckVerdict        `json:"verdicts,omitempty"`
	// NoLongerCertain lists the sites that are certain in the archive and not in profiles
	// of the code; nil if the code is not given by profiles.
	NoLongerCertain *compare.Ranking[compare.Certainty] `json:"no_longer_certain,omitempty"`

	Rewritten *CheckRewritten `json:"rewritten,omitempty"`
}

// A Verdict is what a check says about an archive as a whole.
type Verdict string

// The verdicts.
const (
	VerdictFits      Verdict = "fits"
	VerdictMisfits   Verdict = "misfits"   // its score is lower than was asked for
	VerdictUnchecked Verdict = "unchecked" // too little was checked for the score to say anything
)

// Judge sets the verdict, by the least score, and the least share of all events that must be checked.
func (r *Check) Judge(score, checked float64) {
	switch r.Verdict = VerdictFits; {
	case r.Score < score:
		r.Verdict = VerdictMisfits
	case r.Checked < checked:
		r.Verdict = VerdictUnchecked
	}
}

// OfChecked returns what follows a score: of how much it is, if not of all.
func (r *Check) OfChecked(percent func(float64) string) string {
	if r.Checked == 1 {
		return ""
	}
	return " of " + percent(r.Checked) + " checked"
}

// A CheckState counts the profiles in one state.
type CheckState struct {
	Profiles int     `json:"profiles"`
	Weight   float64 `json:"weight"` // the sum of their counts
	Share    float64 `json:"share"`  // of the weight of all profiles
}

// CheckPoints says what became of the profile points of moved profiles.
type CheckPoints struct {
	Old     int `json:"old"`
	Matched int `json:"matched"`
	// Guessed are points of the archive, in changed and unchanged code, whose counts were moved
	// or derived by an earlier rewrite; GuessedProfiles are the profiles with any.
	Guessed         int `json:"guessed"`
	GuessedProfiles int `json:"guessed_profiles"`
	// Found, Swapped and Dropped cover the points with counts in changed code.
	// Swapped are the found branches whose counts change sides.
	Found   CheckLost   `json:"found"`
	Swapped CheckLost   `json:"swapped"`
	Dropped []CheckLost `json:"dropped"` // most counts first
}

// A CheckLost counts points with counts; dropped ones have a reason. Some counts
// of found points may be dropped too.
type CheckLost struct {
	Reason string  `json:"reason,omitempty"`
	Points int     `json:"points"`
	Counts float64 `json:"counts"`
}

// pointsOf returns what became of the points of changed code.
func pointsOf(f *fit.Report) CheckPoints {
	p := CheckPoints{Old: f.Points, Matched: f.Matched, Dropped: []CheckLost{}, Guessed: f.Guessed.Points,
		GuessedProfiles: f.Guessed.Profiles}
	p.Found = CheckLost{"", f.Found.Points, f.Found.Counts}
	p.Swapped = CheckLost{"", f.Swapped.Points, f.Swapped.Counts}
	for why, l := range f.Lost {
		p.Dropped = append(p.Dropped, CheckLost{why, l.Points, l.Counts})
	}
	slices.SortFunc(p.Dropped, func(a, b CheckLost) int {
		return cmp.Or(cmp.Compare(b.Counts, a.Counts), cmp.Compare(a.Reason, b.Reason))
	})
	return p
}

// Counts returns the counts of all points, found and dropped.
func (p *CheckPoints) Counts() (all float64) {
	all = p.Found.Counts
	for _, l := range p.Dropped {
		all += l.Counts
	}
	return all
}

// A CheckVerdict says how one profile fits.
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

// A CheckRewritten describes the adapted archive.
type CheckRewritten struct {
	Archive string        `json:"archive"`
	Bytes   int64         `json:"bytes"`
	Counts  layout.Counts `json:"counts"`
	RewrittenCounts
}

// RewrittenCounts counts what went into the adapted archive, and what did not.
type RewrittenCounts struct {
	Profiles      int     `json:"profiles"`
	Dropped       int     `json:"dropped"`
	Points        int     `json:"points"`         // of moved profiles, matched and written
	Filled        int     `json:"filled"`         // new points whose counts follow from counts of others
	PointsDropped int     `json:"points_dropped"` // with counts, and no place in the new code
	CountsDropped float64 `json:"counts_dropped"`
	Swapped       int     `json:"swapped"` // branches whose counts changed sides
	Traps         int     `json:"traps"`   // written, at bytecodes without a profile point
	TrapsDropped  int     `json:"traps_dropped"`
}

// Fill adds the result of fit.Check.
func (r *Check) Fill(s *reader.Store, f *fit.Report) error {
	r.Score, r.Checked, r.Points = f.Score(), f.CheckedShare(), pointsOf(f)
	r.States, r.Misfits, r.Reasons = map[string]CheckState{}, []CheckVerdict{}, UncheckedOf(f)
	all := 0.0
	for _, w := range f.Weights {
		all += w
	}
	for _, state := range fit.States() {
		r.States[string(state)] = CheckState{f.Profiles[state], f.Weights[state], f.Weights[state] / max(all, 1)}
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

// CompareLoaders lists the class loaders of the archive whose matching is uncertain in
// the run whose loaders inRun returns. inRun may be nil.
func (r *Check) CompareLoaders(s *reader.Store, inRun func() ([]string, error)) error {
	r.Loaders = []loaders.Doubt{}
	if r.ByName || inRun == nil || s.Header().Domain != layout.DomainHotSpot {
		return nil
	}
	of, err := loaders.List(s)
	if err != nil {
		return err
	}
	there, err := inRun()
	r.Loaders = loaders.Doubts(of, there)
	return err
}

// AddVerdict appends to the list of all verdicts.
func (r *Check) AddVerdict(s *reader.Store, v *fit.Verdict) error {
	shown, err := verdictOf(s, v)
	r.Verdicts = append(r.Verdicts, shown)
	return err
}

func verdictOf(s *reader.Store, v *fit.Verdict) (CheckVerdict, error) {
	name, err := analyze.NameOf(s, v.Method)
	c := CheckVerdict{name, string(v.State), v.Reason, v.Confidence, v.Points, v.Matched, v.Weight, nil}
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

// UncheckedOf returns why profiles could not be checked, the reasons of most profiles first.
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
