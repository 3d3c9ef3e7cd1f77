package fit

import (
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A State says how a profile fits.
type State uint8

// The states.
const (
	Exact     State = iota // the code is the same
	Renamed                // the code is the same, under another name
	Moved                  // the code has changed, profile points were matched
	Stale                  // the code has changed, and cannot be matched
	Gone                   // the method is no longer there
	Unchecked              // nothing can be said
	numStates
)

var stateNames = [numStates]string{"exact", "renamed", "moved", "stale", "gone", "unchecked"}

func (s State) String() string { return stateNames[s] }

// States are all states.
func States() []State { return []State{Exact, Renamed, Moved, Stale, Gone, Unchecked} }

// A Verdict says how one profile fits, and why.
type Verdict struct {
	Method  reader.Method
	Profile reader.Profile
	State   State
	Reason  string  // for people
	Weight  float64 // all that the profile has counted
	// Confidence is how much of its weight is worth anything: 1 if it is exact or
	// renamed, 0 if it is stale or gone.
	Confidence      float64
	Points, Matched int // of its profile points
	// To is the key of the method now, if it is another one; else the zero value.
	To layout.Key
}

// A Report says how an archive fits.
type Report struct {
	Profiles [numStates]int     // by state
	Weights  [numStates]float64 // by state
	Methods  int                // that were selected, also those without a profile
	Reasons  map[string]int     // why profiles are unchecked, and how many
	fitting  float64            // weights times confidences
	Points   int                // of profiles that have moved
	Matched  int                // of these
	// Lost says what became of the points of code that has changed and have no
	// place in the new code, or only for a part of their counts.
	Lost map[Loss]Lost
	// Found are those that have one, Swapped the branches among them whose sense is
	// the opposite: their counts change sides.
	Found, Swapped Lost
	// Misfits are profiles that are stale, gone, or have moved with less than full
	// confidence, the heaviest loss first.
	Misfits []Verdict
	// Renames are the classes and methods that have other names now, those with the
	// most counts first.
	Renames []Rename
	// Rewritten says what the adapted archive holds, if one was made.
	Rewritten Rewritten
}

// Score is how well the archive fits, from 0 to 1, weighted by counts; where
// there are none, by profiles. It is 1 if there is nothing to check.
func (r *Report) Score() float64 {
	weight := 0.0
	for s := Exact; s < Unchecked; s++ {
		weight += r.Weights[s]
	}
	switch {
	case weight > 0:
		return r.fitting / weight
	case r.Checked() > 0:
		return float64(r.Profiles[Exact]+r.Profiles[Renamed]+r.Profiles[Moved]) / float64(r.Checked())
	}
	return 1
}

// Checked is how many profiles the score is of.
func (r *Report) Checked() (n int) {
	for s := Exact; s < Unchecked; s++ {
		n += r.Profiles[s]
	}
	return n
}

func (r *Report) add(v *Verdict) {
	r.Profiles[v.State]++
	r.Weights[v.State] += v.Weight
	if v.State == Unchecked {
		r.Reasons[v.Reason]++
	} else {
		r.fitting += v.Weight * v.Confidence
	}
	if v.State == Moved {
		r.Points += v.Points
		r.Matched += v.Matched
	}
}

// note counts a point of code that has changed, or counts of one.
func (r *Report) note(why Loss, counts float64, swapped bool) {
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

// perfect is the confidence from which on a profile that has moved is no misfit.
const perfect = 0.9995

// misfits reports whether there is anything to say of a profile.
func (v *Verdict) misfits() bool {
	return v.State == Stale || v.State == Gone || v.State == Moved && v.Confidence < perfect
}

// loss is the weight that a profile is not worth.
func (v *Verdict) loss() float64 { return v.Weight * (1 - v.Confidence) }

// Rewritten counts what an adapted archive holds of the profiles that have
// moved, and what it does not.
type Rewritten struct {
	Profiles      int     // in it
	Dropped       int     // stale, gone, or of a version that became the same as another
	Points        int     // of moved profiles, taken over
	PointsDropped int     // of moved profiles, with counts, that have no place any more
	CountsDropped float64 // counts of these, and of receivers and cases that the new code cannot meet
	Swapped       int     // branches whose counts changed sides
	Traps         int     // taken over, at bytecodes without a profile point
	TrapsDropped  int
}
