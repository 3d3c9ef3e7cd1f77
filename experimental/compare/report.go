package compare

import (
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Report describes how far two archives agree. Shares are from 0 to 1. It marshals to the
// JSON of profarc diff.
type Report struct {
	A       string `json:"a"` // the base
	B       string `json:"b"`
	DumpedA string `json:"dumped_a,omitempty"` // when they were dumped, "" if that is not known
	DumpedB string `json:"dumped_b,omitempty"`
	Domain  string `json:"domain"`
	// Score is the overlap of the kind ScoredBy. They are nil if neither archive has counts, so that there
	// is nothing to compare.
	Score    *float64 `json:"score"`
	ScoredBy *string  `json:"scored_by"`
	// Primary is the kind by which methods are compared and the archives scored:
	// the first kind that both have counts of, otherwise the first that one has.
	Primary string `json:"-"`
	// Kinds are the kinds that one of the archives has counts of.
	Kinds []Overlap `json:"kinds"`

	Methods  Tally `json:"methods"`
	Profiles Tally `json:"profiles"` // by method, code and context
	// LeftOut counts the profiles of both archives that Options.ContextSensitive excludes.
	LeftOut int `json:"left_out"`
	// MarkedA and MarkedB count LLVM's profiles that are marked as hot or warm. The mark
	// replaces the counters and is no count.
	MarkedA int `json:"marked_a"`
	MarkedB int `json:"marked_b"`
	// NotCompared are the tables of measurements in either archive, such as samples, by
	// kind. They have no part in any score.
	NotCompared []Uncompared `json:"not_compared"`
	// NoLoaders is the archive that names no class loaders while the other does, "" if there is none.
	NoLoaders string          `json:"without_loaders,omitempty"`
	Loaders   []loaders.Doubt `json:"loader_doubts"`

	Changed Ranking[Method] `json:"changed"` // methods of both, by their difference
	Came    Ranking[Method] `json:"came"`    // methods with counts that only b has
	Went    Ranking[Method] `json:"went"`    // methods with counts that only a has
	// Renumbered are methods of hidden classes whose name only a has, with the method of the
	// same code in a hidden class of the same origin whose name only b has. They are in
	// neither Came nor Went, and their counts have no part in the overlap.
	Renumbered Ranking[Method] `json:"renumbered"`
	// HiddenCame and HiddenWent count the other methods of hidden classes in Came and Went.
	HiddenCame int                 `json:"hidden_came"`
	HiddenWent int                 `json:"hidden_went"`
	Flips      Ranking[Flip]       `json:"flipped"` // branches whose majority changed
	Sites      Ranking[SiteChange] `json:"sites"`   // sites that turned polymorphic or monomorphic, or see another type

	NoLongerCertain Ranking[Certainty] `json:"no_longer_certain"` // sites with one outcome in a, several in b
	NowCertain      Ranking[Certainty] `json:"now_certain"`       // the other way round

	ContextSensitive bool `json:"-"` // see Options
}

// An Overlap says how far counts of one kind agree.
type Overlap struct {
	Kind     string  `json:"kind"`     // edges, calls, receivers, ...: see the package comment
	Overlap  float64 `json:"overlap"`  // see the package comment
	Mismatch float64 `json:"mismatch"` // share in b of methods that a has, with other code
	OnlyB    float64 `json:"only_b"`   // share in b of methods that a does not have
	SumA     float64 `json:"sum_a"`    // of all counts
	SumB     float64 `json:"sum_b"`
	// UntypedA and UntypedB are counts of receivers and checked types without a recorded
	// type, which have no part in the overlap.
	UntypedA float64 `json:"untyped_a"`
	UntypedB float64 `json:"untyped_b"`
}

// A Tally counts methods or profiles with and without a partner.
type Tally struct {
	A        int `json:"a"` // all
	B        int `json:"b"`
	Matched  int `json:"matched"`  // in both
	Mismatch int `json:"mismatch"` // in b, of methods that a has with other code
	OnlyA    int `json:"only_a"`
	OnlyB    int `json:"only_b"`
}

// An Uncompared is a table of measurements, which has no part in any score.
type Uncompared struct {
	What  string           `json:"what"`
	A     uint64           `json:"a"` // rows
	B     uint64           `json:"b"`
	Table layout.TableKind `json:"-"`
}

// A Ranking lists the heaviest items, the heaviest first.
type Ranking[T any] struct {
	Total int `json:"total"` // including those that are not listed
	List  []T `json:"list"`
}

// A Method is a method with counts and how far its profiles differ.
type Method struct {
	analyze.MethodName // in a if that has it
	// Overlap compares the method's own counts: 1 if their proportions are the same.
	Overlap float64 `json:"overlap"`
	ShareA  float64 `json:"share_a"` // of all counts of the archive
	ShareB  float64 `json:"share_b"`
	// Difference is the part of the missing overlap that the method causes.
	Difference float64 `json:"difference"`
	Mismatch   bool    `json:"mismatch"` // a profile in b has no partner with the same code
	Hidden     bool    `json:"hidden"`   // it is of a hidden class, which the VM has named; not told of matched methods
	// NameB is another name in b, of renumbered methods.
	NameB *analyze.MethodName `json:"name_b,omitempty"`

	A reader.Method `json:"-"` // the zero Method if the archive lacks it
	B reader.Method `json:"-"`
}

// A Place is a profile point.
type Place struct {
	analyze.MethodName
	Context []string `json:"context,omitempty"` // frames, the direct caller first
	Point   int32    `json:"point"`

	A reader.Profile `json:"-"`
	B reader.Profile `json:"-"`
}

// A Flip is a branch or switch whose most frequent way has changed.
type Flip struct {
	Place
	Entry string `json:"entry"` // in a: see analyze.Point.Kind
	A     Way    `json:"a"`
	B     Way    `json:"b"`
	// Weight is the change of the shares of the ways, times the mean of the branch's shares in both archives.
	Weight float64 `json:"weight"`
}

// A Way is the most frequent way of a branch.
type Way struct {
	Way   string  `json:"way"` // taken, not taken, default, case index N, or a successor
	Share float64 `json:"share"`
	Count uint64  `json:"count"` // of all ways of the site together
}

// A SiteChange is a call, type check or indirect call with other types or targets than before.
type SiteChange struct {
	Place
	Kind string `json:"kind"` // receivers, type_checks or indirect_calls
	// Change is polymorphic if there were one type or target before and are several now, monomorphic the other
	// way round, and retargeted if there was one before and mostly is another one now.
	Change string `json:"change"`
	A      Seen   `json:"a"`
	B      Seen   `json:"b"`
	// Gone are the types or targets that only a saw there, New those that only b did: the
	// most frequent first, at most maxTargets of them.
	Gone []Target `json:"gone"`
	New  []Target `json:"new"`
	// Weight is the share of the site's counts of other types, times the mean of the
	// site's shares in both archives.
	Weight float64 `json:"weight"`
}

// A Target is a type or target that a site saw.
type Target struct {
	Target string      `json:"target"`
	Share  float64     `json:"share"` // of the counts of the site
	Type   reader.Type `json:"-"`     // the zero Type for values, and for types without a row
}

// Seen summarizes the types or targets of a site.
type Seen struct {
	Targets int         `json:"targets"` // types or targets; those without a row count as one
	Top     string      `json:"top"`     // the most frequent
	Share   float64     `json:"top_share"`
	Count   uint64      `json:"count"`
	Untyped uint64      `json:"untyped"` // in addition to Count: executions without a recorded type
	Type    reader.Type `json:"-"`       // of Top, as in Target
}

// A Certainty is a site with one outcome in one archive and several in the other. A compiler leaves out
// outcomes that never occurred, so that compiled code is discarded when one does.
type Certainty struct {
	Place
	Entry   string `json:"entry"`   // in a: see analyze.Point.Kind
	Outcome string `json:"outcome"` // ways of a branch or switch; of a type check checks, or nulls
	// Always is the only outcome in the archive in which the site is certain: a way as in
	// Way, succeeds, fails, or no null. Times is its count.
	Always string `json:"always"`
	Times  uint64 `json:"times"`
	// Count is how often the site was reached in the other archive, and Others how often
	// at least it had another outcome there: nil for nulls, which are not counted.
	Count  uint64  `json:"count"`
	Others *uint64 `json:"others"`
	// Weight is the mean of the site's shares in both archives, however rare the other outcomes are: once a
	// compiler can no longer assume one outcome, every execution of the site pays for the check.
	Weight float64 `json:"weight"`
}
