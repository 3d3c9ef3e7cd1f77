package fit

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A State is the result of checking a profile.
type State string

// The states.
const (
	Exact     State = "exact"     // the code is the same
	Renamed   State = "renamed"   // the code is the same under another name
	Moved     State = "moved"     // the code has changed, and profile points match
	Stale     State = "stale"     // the code has changed, and nothing matches
	Gone      State = "gone"      // the program lacks the method
	Unchecked State = "unchecked" // the program does not know the method
)

// States returns all states from best to worst, followed by Unchecked.
func States() []State { return []State{Exact, Renamed, Moved, Stale, Gone, Unchecked} }

func (s State) rankOf() int { return slices.Index(States(), s) }

// The verdicts sum up states, for a profile or an archive. Gone and Unchecked are verdicts too.
const (
	Fits    State = "fits"    // compared, and equal: exact
	Changed State = "changed" // compared, and different: renamed, moved or stale
)

// Verdict returns the verdict that a state stands for: Fits, Changed, Gone or Unchecked.
func (s State) Verdict() State {
	switch s {
	case Exact:
		return Fits
	case Renamed, Moved, Stale:
		return Changed
	}
	return s
}

// Code is a program to compare profiles with. [CodeIDs] and [Archived] return implementations. The profarc command has
// others for class paths, live JVMs and the source of Go programs.
type Code interface {
	// Method looks up a method of the program.
	Method(k layout.Key) (methodcode.Answer, error)
}

// A Verdict is the result for one profile.
type Verdict struct {
	Method  reader.Method  `json:"-"`
	Profile reader.Profile `json:"-"`
	State   State          `json:"state"`
	Reason  string         `json:"reason"` // reason for the state, in words
	// Confidence is the share of the weight that is still valid. Exact and renamed profiles have 1, stale and gone ones 0.
	Confidence float64 `json:"confidence"`
	Points     int     `json:"points"`  // number of profile points
	Matched    int     `json:"matched"` // points with a partner in the new code
	Weight     float64 `json:"weight"`  // total of its invocations, backedges and counts
	// To is the present key of the method if it has changed, else zero.
	To layout.Key `json:"renamed_to,omitzero"`
	// Moves lists the profile points of changed code in the old order, followed by points that only the new code has. It
	// is nil if the points of either version are unknown.
	Moves []Move `json:"-"`
}

// A Move is the new position of a profile point of changed code.
type Move struct {
	From, To   int32   // bytecode indices in the old and new code, -1 if missing
	Kind       string  // kind of point in words, such as "virtual call"
	Weight     float64 // total of its counts
	Confidence float64 // confidence of the match, from 0 to 1
	Swapped    bool    // the branch has the opposite sense, so its counts change sides
	Lost       string  // reason why it has no new position, else ""
}

// A Report is the result for an archive.
type Report struct {
	Profiles map[State]int
	Weights  map[State]float64
	Checked  int            // number of profiles in the score
	Methods  int            // number of selected methods, with or without profiles
	Reasons  map[string]int // number of unchecked profiles by reason
	fitting  float64        // total of weights times confidences
	losing   float64        // total of weights times what the confidences lack of 1
	hot      hotPart
	adapted  bool // renamed profiles have their new names in Options.Into
	Points   int  // number of points of moved profiles
	Matched  int  // number of these points with a partner
	// Lost counts the points of changed code that lost some or all of their counts.
	Lost map[string]Loss // losses by reason
	// Found counts the points with a partner, Swapped the branches among them whose counts change sides.
	Found, Swapped Loss
	// Guessed counts the points with counts that an earlier rewrite moved or derived, and their profiles. These counts
	// remain guesses even if the code is the same now.
	Guessed struct{ Points, Profiles int }
	// ByName reports whether methods were found without loader, because one of the archives names none.
	ByName bool
	// Misfits lists profiles that are stale, gone, or moved without full confidence, by descending loss.
	Misfits []Verdict
	// Renames lists the renamed classes and methods in descending order of weight.
	Renames []Rename
	// Rewritten describes the adapted archive, zero without Options.Into.
	Rewritten Rewritten
}

// Score returns the share of everything that fits or can be adapted, from 0 to 1. A moved profile counts by its
// confidence. Shares are weighted by counts, or by profiles if there are no counts. The score is 0 if there is nothing
// to check.
func (r *Report) Score() float64 {
	switch all := r.totalWeight(); {
	case all > 0:
		return r.fitting / all
	case r.totalProfiles() > 0:
		return float64(r.Profiles[Exact]+r.Profiles[Renamed]+r.Profiles[Moved]) / float64(r.totalProfiles())
	}
	return 0
}

// LostShare returns the share of everything that has changed or is gone, from 0 to 1. What was renamed is lost, unless
// Options.Into has received it under its new name.
func (r *Report) LostShare() float64 {
	lost := r.shareOf(Stale) + r.shareOf(Gone)
	if all := r.totalWeight(); all > 0 {
		lost = r.losing / all
	}
	if !r.adapted {
		lost += r.shareOf(Renamed)
	}
	return min(max(lost, 0), 1)
}

// Share returns the share of everything with a verdict, from 0 to 1, with the weights of Score.
func (r *Report) Share(verdict State) (share float64) {
	for _, s := range States() {
		if s.Verdict() == verdict {
			share += r.shareOf(s)
		}
	}
	return share
}

func (r *Report) shareOf(s State) float64 {
	switch all := r.totalWeight(); {
	case all > 0:
		return r.Weights[s] / all
	case r.totalProfiles() > 0:
		return float64(r.Profiles[s]) / float64(r.totalProfiles())
	}
	return 0
}

func (r *Report) totalWeight() (all float64) {
	for _, s := range States() {
		all += r.Weights[s]
	}
	return all
}

func (r *Report) totalProfiles() (all int) {
	for _, n := range r.Profiles {
		all += n
	}
	return all
}

// Verdict returns the verdict on the whole archive. If the share that is left is less than least, it is Changed or
// Gone, whichever lost more, and Gone if both lost the same. Otherwise it is Unchecked if nothing was compared, or
// less of the hot part than checked. least and checked are shares from 0 to 1.
func (r *Report) Verdict(least, checked float64) State {
	switch {
	case r.Checked == 0:
		return Unchecked
	case 1-r.LostShare() < least && r.shareOf(Gone) >= r.LostShare()-r.shareOf(Gone):
		return Gone
	case 1-r.LostShare() < least:
		return Changed
	case r.HotCheckedShare() < checked:
		return Unchecked
	}
	return Fits
}

func (r *Report) addVerdict(v *Verdict) {
	r.Profiles[v.State]++
	r.Weights[v.State] += v.Weight
	if v.State == Unchecked {
		r.Reasons[v.Reason]++
	} else {
		r.Checked++
		r.fitting += v.Weight * v.Confidence
		r.losing += v.Weight * (1 - v.Confidence)
	}
	if v.State == Moved {
		r.Points += v.Points
		r.Matched += v.Matched
	}
}

func (r *Report) countPoint(why string, counts float64, swapped bool) {
	if counts == 0 {
		return
	}
	switch {
	case why != "":
		r.addLoss(why, counts)
	case swapped:
		r.Swapped.addPoint(counts)
		fallthrough
	default:
		r.Found.addPoint(counts)
	}
}

// perfect is the minimum confidence of a moved profile that is not a misfit.
const perfect = 0.9995

func (v *Verdict) isMisfit() bool {
	return v.State == Stale || v.State == Gone || v.State == Moved && v.Confidence < perfect
}

func (v *Verdict) lostWeight() float64 { return v.Weight * (1 - v.Confidence) }

// Rewritten counts what Check wrote to an adapted archive and what it dropped.
type Rewritten struct {
	Profiles      int `json:"profiles"`       // profiles in the archive
	Dropped       int `json:"dropped"`        // stale, gone, or of a version that became equal to another
	Points        int `json:"points"`         // points of moved profiles
	Filled        int `json:"filled"`         // points of moved profiles with derived counts
	PointsDropped int `json:"points_dropped"` // points of moved profiles with counts and without a partner
	// CountsDropped are counts of these points, and of receivers and cases that the new code cannot have.
	CountsDropped float64 `json:"counts_dropped"`
	Swapped       int     `json:"swapped"` // branches whose counts changed sides
	Traps         int     `json:"traps"`   // traps at bytecodes without a profile point
	TrapsDropped  int     `json:"traps_dropped"`
}

// Reasons why counts of a profile point are not moved. Callers can do something about the exported ones.
const (
	LostUnknown     = "it is not known what was tested or called"
	lostOther       = "nothing in the new code tests, calls or checks the same"
	lostAmbiguous   = "several points of the new code resemble it equally"
	lostUnsure      = "the confidence of its match is below the limit"
	lostAround      = "a jump whose surrounding code has changed"
	lostFlow        = "the new code reaches it more or less often"
	LostAssumed     = "it is not known how often the new code reaches it"
	lostSize        = "the method has too many profile points to match"
	lostReceivers   = "receiver types that the new code cannot have there"
	lostLabels      = "a switch whose cases differ, and whose values are unknown"
	lostPlaces      = "an entry that refers to other bytecodes of the old code"
	lostUnencodable = "its bytecode index is too high for an entry"
)

// A Loss counts points of changed code with one fate.
type Loss struct {
	Reason string  `json:"reason,omitempty"` // reason of lost counts
	Points int     `json:"points"`           // points with counts
	Counts float64 `json:"counts"`           // total of their counts
}

func (l *Loss) addPoint(counts float64) {
	l.Points++
	l.Counts += counts
}

func (r *Report) addLoss(why string, counts float64) {
	l := r.Lost[why]
	l.Reason = why
	l.addPoint(counts)
	r.Lost[why] = l
}

// hotShare is the share of all counts in the hot part of an archive: the fewest profiles that have this share.
const hotShare = 0.99

// A hotPart has the profiles with counts. Methods whose names change with each run are left out, since no later run can
// use their profiles.
type hotPart []weighedProfile

type weighedProfile struct {
	weight  float64
	checked bool
}

func (h *hotPart) addProfile(v *Verdict) {
	if v.Weight > 0 {
		*h = append(*h, weighedProfile{v.Weight, v.State != Unchecked})
	}
}

// HotCheckedShare returns the share of the counts of the hot part that were compared, from 0 to 1. The hot part is the
// fewest profiles with 99% of the counts, apart from methods whose names change with each run. Without counts it is the
// compared share of profiles. It is 0 if only methods whose names change with each run have counts.
func (r *Report) HotCheckedShare() float64 {
	if r.totalWeight() == 0 {
		return 1 - r.Share(Unchecked)
	}
	slices.SortFunc(r.hot, func(a, b weighedProfile) int { return cmp.Compare(b.weight, a.weight) })
	all := 0.0
	for _, p := range r.hot {
		all += p.weight
	}
	weight := 0.0
	checked := 0.0
	for i, p := range r.hot {
		isCold := weight >= hotShare*all && p.weight < r.hot[max(i-1, 0)].weight
		if isCold {
			break
		}
		weight += p.weight
		if p.checked {
			checked += p.weight
		}
	}
	return checked / cmp.Or(weight, 1)
}
