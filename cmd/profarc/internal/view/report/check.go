package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// RenameText names a class, or a method if k has a name.
func RenameText(k layout.Key) string {
	if k.Name == "" {
		return strings.ReplaceAll(k.Class, "/", ".")
	}
	return display.MethodText(layout.DomainHotSpot, k)
}

// A Check is the report of profarc check. Shares and confidences are from 0 to 1.
type Check struct {
	Archive string  `json:"archive"`
	Against string  `json:"against"`
	Domain  string  `json:"domain"`
	Score   float64 `json:"score"`   // share of all events that fits, of moved profiles by their confidence
	Lost    float64 `json:"lost"`    // share of all events that has changed or is gone
	Checked float64 `json:"checked"` // share of all events that was compared
	// HotChecked is the share of the events of the hot part that was compared, see fit.Report.HotCheckedShare.
	HotChecked float64               `json:"hot_checked"`
	Verdict    fit.State             `json:"verdict"`
	Shares     map[fit.State]float64 `json:"shares"`               // shares of all events by verdict
	Missing    []string              `json:"missing,omitempty"`    // missing elements of the class path
	Origin     *CheckOrigin          `json:"class_path,omitempty"` // set if the class path comes from the archive
	States     map[string]CheckState `json:"states"`               // totals by name of the state
	// OwnMethods are methods with counts that the code has, without those of the JDK unless it is nothing else. OwnShare
	// is their share of all counts.
	OwnMethods int             `json:"-"`
	OwnShare   float64         `json:"-"`
	Reasons    []CheckReason   `json:"unchecked"` // most profiles first
	ByName     bool            `json:"by_name"`   // whether methods were matched without class loaders
	Loaders    []loaders.Doubt `json:"loader_doubts"`
	Points     CheckPoints     `json:"moved_points"`
	Misfits    []CheckVerdict  `json:"misfits"` // the heaviest losses first
	Renames    []fit.Rename    `json:"renames"` // those with the most counts first
	Verdicts   []CheckVerdict  `json:"verdicts,omitempty"`
	// NoLongerCertain lists the sites that are certain in the archive and not in the profiles
	// of the code. It is nil for other kinds of code.
	NoLongerCertain *compare.Ranking[compare.Certainty] `json:"no_longer_certain,omitempty"`

	Rewritten *CheckRewritten `json:"rewritten,omitempty"`
}

// verdicts lists all verdicts from best to worst, followed by unchecked.
var verdicts = []fit.State{fit.Fits, fit.Changed, fit.Gone, fit.Unchecked}

// ComparedAny reports whether any profile was compared.
func (r *Check) ComparedAny() bool {
	for state, n := range r.States {
		if state != string(fit.Unchecked) && n.Profiles > 0 {
			return true
		}
	}
	return false
}

// AdviceToNameCode says what code to name with --against for profiles of a domain.
func AdviceToNameCode(d layout.Domain) string {
	switch {
	case d == layout.DomainHotSpot:
		return "name the program with its libraries and JDK: --against app.jar --against 'lib/*' --against \"$JAVA_HOME\""
	case d == layout.DomainGraal:
		return "name the class path of the program: --against app.jar"
	case d == layout.DomainSampled:
		return "name the folder of the Go program's main package, the program that go build wrote, or one of " +
			"clang -fpseudo-probe-for-profiling: --against ./cmd/app"
	case d.LLVM():
		return "name the program, built as for training, or a raw profile of it: --against PROGRAM"
	}
	return fmt.Sprintf("profiles of domain %s identify no code", d)
}

// SharesText returns the shares of all verdicts that some events have, as "fits 93.10%, unchecked 6.90% of all events".
func (r *Check) SharesText() string {
	var parts []string
	for _, w := range verdicts {
		if share := r.Shares[w]; share > 0 {
			parts = append(parts, string(w)+" "+cli.FormatShare(share, 2))
		}
	}
	if len(parts) == 0 {
		return "no events"
	}
	return strings.Join(parts, ", ") + " of all events"
}

// A CheckState totals the profiles in one state.
type CheckState struct {
	Profiles int     `json:"profiles"`
	Weight   float64 `json:"weight"` // total of their counts
	Share    float64 `json:"share"`  // share of the weight of all profiles
}

// A CheckPoints totals the points of moved profiles.
type CheckPoints struct {
	Old     int `json:"old"`
	Matched int `json:"matched"`
	// Guessed are points of the archive whose counts were moved
	// or derived by an earlier rewrite; GuessedProfiles are the profiles with any.
	Guessed         int `json:"guessed"`
	GuessedProfiles int `json:"guessed_profiles"`
	// Found, Swapped and Dropped cover the points with counts in changed code.
	// Swapped are the found branches whose counts change sides.
	Found   fit.Loss   `json:"found"`
	Swapped fit.Loss   `json:"swapped"`
	Dropped []fit.Loss `json:"dropped"` // most counts first
}

func pointsOf(f *fit.Report) CheckPoints {
	p := CheckPoints{Old: f.Points, Matched: f.Matched, Guessed: f.Guessed.Points, GuessedProfiles: f.Guessed.Profiles,
		Found: f.Found, Swapped: f.Swapped, Dropped: slices.AppendSeq([]fit.Loss{}, maps.Values(f.Lost))}
	slices.SortFunc(p.Dropped, func(a, b fit.Loss) int {
		return cmp.Or(cmp.Compare(b.Counts, a.Counts), cmp.Compare(a.Reason, b.Reason))
	})
	return p
}

// TotalCounts returns the counts of all found and dropped points.
func (p *CheckPoints) TotalCounts() (all float64) {
	all = p.Found.Counts
	for _, l := range p.Dropped {
		all += l.Counts
	}
	return all
}

// A CheckVerdict is the result for one profile.
type CheckVerdict struct {
	analyze.MethodName
	fit.Verdict
}

// A CheckRewritten describes the adapted archive.
type CheckRewritten struct {
	Archive string        `json:"archive"`
	Bytes   int64         `json:"bytes"`
	Counts  layout.Counts `json:"counts"`
	fit.Rewritten
}

// SetResult stores the result of fit.Check. The verdict depends on the least share that must not be lost, and on the
// least share of the hot part that must be checked.
func (r *Check) SetResult(s *reader.Store, f *fit.Report, least, checked float64) error {
	r.Score = f.Score()
	r.Lost = f.LostShare()
	r.Checked = 1 - f.Share(fit.Unchecked)
	r.HotChecked = f.HotCheckedShare()
	r.Verdict = f.Verdict(least, checked)
	r.Shares = map[fit.State]float64{}
	for _, w := range verdicts {
		r.Shares[w] = f.Share(w)
	}
	r.Points = pointsOf(f)
	r.Misfits = []CheckVerdict{}
	r.Reasons = UncheckedOf(f)
	r.setStates(f)
	r.Renames = append([]fit.Rename{}, f.Renames...)
	for i := range f.Misfits {
		v, err := verdictOf(s, &f.Misfits[i])
		if err != nil {
			return err
		}
		r.Misfits = append(r.Misfits, v)
	}
	return nil
}

func (r *Check) setStates(f *fit.Report) {
	all := 0.0
	for _, w := range f.Weights {
		all += w
	}
	r.States = map[string]CheckState{}
	for _, state := range fit.States() {
		r.States[string(state)] = CheckState{f.Profiles[state], f.Weights[state], f.Weights[state] / max(all, 1)}
	}
}

// CompareLoaders lists the class loaders of the archive without a certain match in the run. inRun returns the run's
// loaders, and can be nil.
func (r *Check) CompareLoaders(s *reader.Store, inRun func() ([]string, error)) error {
	r.Loaders = []loaders.Doubt{}
	if r.ByName || inRun == nil || s.Header().Domain != layout.DomainHotSpot {
		return nil
	}
	of, err := loaders.ListIdentities(s)
	if err != nil {
		return err
	}
	there, err := inRun()
	r.Loaders = loaders.FindDoubts(of, there)
	return err
}

func (r *Check) AddVerdict(s *reader.Store, v *fit.Verdict) error {
	shown, err := verdictOf(s, v)
	r.Verdicts = append(r.Verdicts, shown)
	return err
}

func verdictOf(s *reader.Store, v *fit.Verdict) (CheckVerdict, error) {
	name, err := analyze.NameOf(s, v.Method)
	return CheckVerdict{name, *v}, err
}

// A CheckReason is a reason why profiles could not be checked.
type CheckReason struct {
	Reason   string `json:"reason"`
	Profiles int    `json:"profiles"`
}

// UncheckedOf returns the reasons for unchecked profiles, the most frequent first.
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
