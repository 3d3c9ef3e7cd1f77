package fit

import (
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A State says how a profile fits.
type State string

// The states.
const (
	Exact     State = "exact"     // the code is the same
	Renamed   State = "renamed"   // the code is the same, under another name
	Moved     State = "moved"     // the code has changed, profile points were matched
	Stale     State = "stale"     // the code has changed, and cannot be matched
	Gone      State = "gone"      // the method is no longer there
	Unchecked State = "unchecked" // not known
)

// States returns all states, from the best to the worst, and Unchecked.
func States() []State { return []State{Exact, Renamed, Moved, Stale, Gone, Unchecked} }

// rank returns the place of a state among all.
func (s State) rank() int { return slices.Index(States(), s) }

// Code is a program with which profiles are compared: what [Archived] returns, and in the command the class files
// of a class path, a live JVM, or the source of a Go program.
type Code interface {
	// Method looks up a method of the program.
	Method(k layout.Key) (methodcode.Answer, error)
}

// A Verdict says how one profile fits, and why.
type Verdict struct {
	Method  reader.Method
	Profile reader.Profile
	State   State
	Reason  string  // for people
	Weight  float64 // its events: the sum of its invocations, backedges and counts
	// Confidence is the share of the weight that is still valid: 1 if the profile is
	// exact or renamed, 0 if it is stale or gone.
	Confidence      float64
	Points, Matched int // of its profile points
	// To is the present key of the method if it has changed, else the zero value.
	To layout.Key
	// Moves says of changed code where its profile points are now, in the order of the old code and then, of
	// points that only the new code has, in the new order; nil if the points of either are not known.
	Moves []Move
}

// A Move says where a profile point of changed code is in the new code.
type Move struct {
	From, To   int32   // bcis in the old code and in the new; -1 where it has none
	Kind       string  // for people, as "virtual call"
	Weight     float64 // sum of its counts
	Confidence float64 // of the match, from 0 to 1
	Swapped    bool    // a branch of the opposite sense: its counts change sides
	Lost       string  // why it has no place, empty if it has one
}

// A Report says how an archive fits.
type Report struct {
	Profiles map[State]int
	Weights  map[State]float64
	Checked  int            // profiles that the score covers
	Methods  int            // selected ones, with and without profiles
	Reasons  map[string]int // unchecked profiles by reason
	fitting  float64        // weights times confidences
	Points   int            // of profiles that have moved
	Matched  int            // of these
	// Lost counts the points of changed code without a place in the new code, or with a
	// place for a part of their counts only.
	Lost map[string]Loss // by reason
	// Found counts the points with a place, Swapped the branches among them with the
	// opposite sense, whose counts change sides.
	Found, Swapped Loss
	// Guessed counts the points whose counts an earlier rewrite moved or derived, and their
	// profiles: they are guesses, even if the code is the same now.
	Guessed struct{ Points, Profiles int }
	// ByName is whether methods were found by the names of their classes alone, since one of the two archives does
	// not name class loaders.
	ByName bool
	// Misfits are the profiles that are stale, gone, or moved with less than full
	// confidence, the heaviest loss first.
	Misfits []Verdict
	// Renames are the renamed classes and methods, those with the most counts first.
	Renames []Rename
	// Rewritten describes the adapted archive, if one was made.
	Rewritten Rewritten
}

// covered are the states that the score covers.
var covered = States()[:5]

// Score returns how well the archive fits, from 0 to 1, weighted by counts or, if
// there are none, by profiles. It is 1 if there is nothing to check.
func (r *Report) Score() float64 {
	weight := 0.0
	for _, s := range covered {
		weight += r.Weights[s]
	}
	switch {
	case weight > 0:
		return r.fitting / weight
	case r.Checked > 0:
		return float64(r.Profiles[Exact]+r.Profiles[Renamed]+r.Profiles[Moved]) / float64(r.Checked)
	}
	return 1
}

// CheckedShare returns the share of all profiles that the score covers, from 0 to 1, weighted
// as the score is.
func (r *Report) CheckedShare() float64 {
	checked := 0.0
	for _, s := range covered {
		checked += r.Weights[s]
	}
	switch n, rest := r.Checked, r.Weights[Unchecked]; {
	case checked+rest > 0:
		return checked / (checked + rest)
	case n > 0:
		return float64(n) / float64(n+r.Profiles[Unchecked])
	}
	return 0
}

func (r *Report) add(v *Verdict) {
	r.Profiles[v.State]++
	r.Weights[v.State] += v.Weight
	if v.State == Unchecked {
		r.Reasons[v.Reason]++
	} else {
		r.Checked++
		r.fitting += v.Weight * v.Confidence
	}
	if v.State == Moved {
		r.Points += v.Points
		r.Matched += v.Matched
	}
}

// note counts a point of changed code.
func (r *Report) note(why string, counts float64, swapped bool) {
	if counts == 0 {
		return
	}
	switch {
	case why != "":
		r.Lost[why] = r.Lost[why].and(counts)
	case swapped:
		r.Swapped = r.Swapped.and(counts)
		fallthrough
	default:
		r.Found = r.Found.and(counts)
	}
}

// perfect is the confidence from which on a moved profile is no misfit.
const perfect = 0.9995

// misfits reports whether a profile belongs to Report.Misfits.
func (v *Verdict) misfits() bool {
	return v.State == Stale || v.State == Gone || v.State == Moved && v.Confidence < perfect
}

// loss returns the part of the weight that is no longer valid.
func (v *Verdict) loss() float64 { return v.Weight * (1 - v.Confidence) }

// Rewritten counts what was written to an adapted archive, and what was dropped.
type Rewritten struct {
	Profiles      int     // in the archive
	Dropped       int     // stale, gone, or of a version that became the same as another
	Points        int     // of moved profiles, written
	Filled        int     // of moved profiles, with counts that follow from counts of other points
	PointsDropped int     // of moved profiles, with counts, without a place in the new code
	CountsDropped float64 // of these, and of receivers and cases that the new code cannot have
	Swapped       int     // branches whose counts changed sides
	Traps         int     // written, at bytecodes without a profile point
	TrapsDropped  int
}

// Why counts of a profile point are not moved to new code. A caller can do something about those that have a
// name here.
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

// A Loss counts points of changed code: those that were lost for one reason, or found.
type Loss struct {
	Points int     // those with counts
	Counts float64 // sum of their counts
}

// and adds a point.
func (l Loss) and(counts float64) Loss { return Loss{l.Points + 1, l.Counts + counts} }
