package compare

import (
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Report says how far two archives agree. Shares are from 0 to 1.
type Report struct {
	Domain layout.Domain
	// Primary is the kind by which methods are compared and the archives scored:
	// the first kind that both have counts of, otherwise the first that one has.
	Primary Kind
	// Kinds are the kinds that one of the archives has counts of.
	Kinds []Overlap

	Methods  Tally // of methods
	Profiles Tally // of profiles: one a method, code and context
	// LeftOut is how many profiles of both archives were not compared because they
	// are context-sensitive, or because they are not.
	LeftOut int
	// MarkedA and MarkedB are profiles of LLVM's that are marked as hot or warm.
	// Such a mark stands in the place of counters and is no count.
	MarkedA, MarkedB int
	// NotCompared are tables of either archive, by kind: what they measure, as
	// samples, has no part in any score.
	NotCompared []Uncompared

	Changed Ranking[Method]     // methods of both, by their difference
	Came    Ranking[Method]     // methods with counts that only b has
	Went    Ranking[Method]     // methods with counts that only a has
	Flips   Ranking[Flip]       // branches whose majority changed
	Sites   Ranking[SiteChange] // sites that turned polymorphic or monomorphic, or see another type

	NoLongerCertain Ranking[Certainty] // branches and type checks with one outcome in a, and several in b
	NowCertain      Ranking[Certainty] // the other way round
}

// Score is the overlap of the primary kind; ok is false if neither archive has
// counts, so that there is nothing to compare.
func (r *Report) Score() (score float64, ok bool) {
	for _, k := range r.Kinds {
		if k.Kind == r.Primary {
			return k.Overlap, true
		}
	}
	return 0, false
}

// An Overlap says how far counts of one kind agree.
type Overlap struct {
	Kind     Kind
	Overlap  float64 // see the package comment
	Mismatch float64 // share in b of methods that a has, with other code
	OnlyB    float64 // share in b of methods that a does not have
	SumA     float64 // of all counts
	SumB     float64
	// UntypedA and UntypedB are counts of receivers and checked types that have no
	// part in this: which types they are of was not recorded.
	UntypedA, UntypedB float64
}

// A Tally counts what belongs together and what does not.
type Tally struct {
	A, B     int // all
	Matched  int // of both
	Mismatch int // of b, where a has the method, but other code
	OnlyA    int
	OnlyB    int
}

// A Ranking is the heaviest of something, the first the heaviest.
type Ranking[T any] struct {
	Total int // also those that are not listed
	List  []T
}

// A Method is a method with counts, and how far it is from being the same.
type Method struct {
	A, B reader.Method // the zero Method where an archive does not have it
	// Overlap is that of the method's own counts: 1 if they stand in the same
	// proportions.
	Overlap        float64
	ShareA, ShareB float64 // of all counts of the archive
	// Difference is what the method takes off the archives' overlap.
	Difference float64
	Mismatch   bool // a profile of it in b has no partner of the same code
}

// A Place is a profile point.
type Place struct {
	A, B  reader.Profile
	Point int32
}

// A Flip is a branch or switch that mostly went one way and now mostly goes
// another.
type Flip struct {
	Place
	Tag  layout.Tag // of the entry in a
	A, B Way
	// Weight is by how much the shares of the ways changed, times the mean of
	// the branch's shares in both archives.
	Weight float64
}

// A Way is the way that a branch mostly takes.
type Way struct {
	// Index is 0 where a branch is taken and 1 where it is not; of a switch the
	// default is 0, and its cases follow. Of a branch whose successors are listed
	// it is the successor's index.
	Index  uint32
	Target int32 // of a branch whose successors are listed, otherwise 0
	Share  float64
	Count  uint64 // of all ways of the site together
}

// A Change says how a site changed.
type Change uint8

// The changes of a site.
const (
	ChangePolymorphic Change = iota // one type or target before, several now
	ChangeMonomorphic               // several before, one now
	ChangeRetargeted                // one before, and mostly another one now
)

var changeNames = [...]string{"polymorphic", "monomorphic", "retargeted"}

func (c Change) String() string { return changeNames[c] }

// A SiteChange is a call, type check or indirect call that now sees other types
// or targets.
type SiteChange struct {
	Place
	Kind   Kind // KindReceivers, KindTypeChecks or KindIndirectCalls
	Change Change
	A, B   Seen
	// Weight is the share of the site's counts that went to other types, times
	// the mean of the site's shares in both archives.
	Weight float64
}

// Seen is what a site has seen.
type Seen struct {
	Targets int // types or targets; those that found no row count as one
	Count   uint64
	Untyped uint64 // beside Count: met with a type that was not recorded
	// Top is the most frequent: its type, or its value where the site has values.
	Top      reader.Type
	Value    uint64
	TopShare float64
}
