package compare

import (
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/reader"
)

// A Report describes the agreement of two archives. Shares are from 0 to 1. It marshals to the JSON of profarc diff.
type Report struct {
	A       string `json:"a"` // name of the base
	B       string `json:"b"`
	DumpedA string `json:"dumped_a,omitempty"` // dump time in RFC 3339; "" if unknown
	DumpedB string `json:"dumped_b,omitempty"`
	Domain  string `json:"domain"`
	// Score is the overlap of the kind ScoredBy. Both are nil if neither archive has counts.
	Score    *float64 `json:"score"`
	ScoredBy *string  `json:"scored_by"`
	// Primary is the kind that compares methods and scores archives. It is the first kind that both archives count, else
	// the first that either counts.
	Primary string `json:"-"`
	// Kinds lists the kinds that at least one archive counts.
	Kinds []Overlap `json:"kinds"`

	Methods  Tally `json:"methods"`
	Profiles Tally `json:"profiles"` // profiles by method, code and context
	// LeftOut counts the profiles of both archives that Options.ContextSensitive excludes.
	LeftOut int `json:"left_out"`
	// MarkedA and MarkedB count LLVM profiles with a mark for hot or warm, which replaces the counters.
	MarkedA int `json:"marked_a"`
	MarkedB int `json:"marked_b"`
	// NotCompared lists tables of measurements in either archive, such as samples, by kind. They do not affect any score.
	NotCompared []Uncompared `json:"not_compared"`
	// NoLoaders is the name of the archive that names no class loaders if the other one does, else "".
	NoLoaders string          `json:"without_loaders,omitempty"`
	Loaders   []loaders.Doubt `json:"loader_doubts"`

	Changed Ranking[Method] `json:"changed"` // methods in both archives, by difference
	Came    Ranking[Method] `json:"came"`    // methods with counts that only b has
	Went    Ranking[Method] `json:"went"`    // methods with counts that only a has
	// Renumbered lists methods of hidden classes that only a has by name, with a method of the same code and origin that
	// only b has by name. They are missing from Came and Went, and do not count in the overlap.
	Renumbered Ranking[Method] `json:"renumbered"`
	// HiddenCame and HiddenWent count the methods of hidden classes in Came and Went.
	HiddenCame int                 `json:"hidden_came"`
	HiddenWent int                 `json:"hidden_went"`
	Flips      Ranking[Flip]       `json:"flipped"` // branches whose majority changed
	Sites      Ranking[SiteChange] `json:"sites"`   // sites that turned polymorphic or monomorphic, or changed their type

	NoLongerCertain Ranking[Certainty] `json:"no_longer_certain"` // sites with one outcome in a, several in b
	NowCertain      Ranking[Certainty] `json:"now_certain"`       // sites with several outcomes in a, one in b

	ContextSensitive bool `json:"-"` // Options.ContextSensitive
}

// An Overlap is the agreement of counts of one kind.
type Overlap struct {
	Kind     string  `json:"kind"`     // kind of counts, such as edges, calls or receivers
	Overlap  float64 `json:"overlap"`  // overlap as in the package comment, from 0 to 1
	Mismatch float64 `json:"mismatch"` // share in b of methods that a has with other code
	OnlyB    float64 `json:"only_b"`   // share in b of methods that a lacks
	SumA     float64 `json:"sum_a"`    // total of the counts
	SumB     float64 `json:"sum_b"`
	// UntypedA and UntypedB count receivers and checked types without a recorded type. They do not count in the overlap.
	UntypedA float64 `json:"untyped_a"`
	UntypedB float64 `json:"untyped_b"`
}

// A Tally counts methods or profiles with and without a partner.
type Tally struct {
	A        int `json:"a"` // number in a
	B        int `json:"b"`
	Matched  int `json:"matched"`  // number with a partner
	Mismatch int `json:"mismatch"` // number in b that belong to a method of a with other code
	OnlyA    int `json:"only_a"`
	OnlyB    int `json:"only_b"`
}

// An Uncompared is a table of measurements, which does not affect any score.
type Uncompared struct {
	What  string         `json:"what"`
	A     uint64         `json:"a"` // number of rows in a
	B     uint64         `json:"b"`
	Table disk.TableKind `json:"-"`
}

// A Ranking lists items in descending order of weight.
type Ranking[T any] struct {
	Total int `json:"total"` // number of items, listed or not
	List  []T `json:"list"`
}

// A Method is a method with counts and the difference of its profiles.
type Method struct {
	analyze.MethodName // name in a, or in b if a lacks it
	// Overlap compares the counts of the method among themselves. It is 1 for equal proportions.
	Overlap float64 `json:"overlap"`
	ShareA  float64 `json:"share_a"` // share in all counts of the archive
	ShareB  float64 `json:"share_b"`
	// Difference is the part of the missing overlap that the method causes.
	Difference float64 `json:"difference"`
	Mismatch   bool    `json:"mismatch"` // a profile in b has no partner with the same code
	Hidden     bool    `json:"hidden"`   // the class is hidden, and only one archive has it by name
	// NameB is the name in b of a renumbered method.
	NameB *analyze.MethodName `json:"name_b,omitempty"`

	A reader.Method `json:"-"` // zero if the archive lacks it
	B reader.Method `json:"-"`
}

// A Place is a profile point.
type Place struct {
	analyze.MethodName
	Context []string `json:"context,omitempty"` // frames, direct caller first
	Point   int32    `json:"point"`

	A reader.Profile `json:"-"`
	B reader.Profile `json:"-"`
}

// A Flip is a branch or switch with another most frequent way in b.
type Flip struct {
	Place
	Entry string `json:"entry"` // tag in a, like analyze.Point.Kind
	A     Way    `json:"a"`
	B     Way    `json:"b"`
	// Weight is the change in the shares of the ways, times the mean of the branch's shares in both archives.
	Weight float64 `json:"weight"`
}

// A Way is the most frequent way of a branch.
type Way struct {
	Way   string  `json:"way"` // taken, not taken, default, case index N, or a successor
	Share float64 `json:"share"`
	Count uint64  `json:"count"` // count over all ways of the site
}

// A SiteChange is a call, type check or indirect call with different types or targets in b.
type SiteChange struct {
	Place
	Kind string `json:"kind"` // receivers, type_checks or indirect_calls
	// Change is polymorphic if only a has one type or target, monomorphic if only b has, retargeted if b has another.
	Change string `json:"change"`
	A      Seen   `json:"a"`
	B      Seen   `json:"b"`
	// Gone and New list at most maxTargets types or targets that only a or only b has, the most frequent first.
	Gone []Target `json:"gone"`
	New  []Target `json:"new"`
	// Weight is the share of the site's counts with different types, times the mean of the site's shares in both archives.
	Weight float64 `json:"weight"`
}

// A Target is a type or target of a site.
type Target struct {
	Target string      `json:"target"`
	Share  float64     `json:"share"` // share in the counts of the site
	Type   reader.Type `json:"-"`     // zero for values, and for types without a row
	value  uint64      // observed value of a site of indirect calls
}

// Seen summarizes the types or targets of a site.
type Seen struct {
	Targets int         `json:"targets"` // number of types or targets; all without a row count as one
	Top     string      `json:"top"`     // most frequent type or target
	Share   float64     `json:"top_share"`
	Count   uint64      `json:"count"`
	Untyped uint64      `json:"untyped"` // executions without a recorded type, not included in Count
	Type    reader.Type `json:"-"`       // type of Top, as in Target
	value   uint64
}

// A Certainty is a site with one outcome in one archive and several in the other. A compiler omits outcomes that never
// occurred, and discards the compiled code when one occurs.
type Certainty struct {
	Place
	Entry   string `json:"entry"`   // tag in a, like analyze.Point.Kind
	Outcome string `json:"outcome"` // "ways" for a branch or switch, "checks" or "nulls" for a type check
	// Always is the only outcome in the archive where the site is certain. It is a way as in Way, "succeeds", "fails" or
	// "no null". Times is its count.
	Always string `json:"always"`
	Times  uint64 `json:"times"`
	// Count is the number of executions in the other archive. Others is the least number with another outcome there, nil
	// for nulls, which are not counted.
	Count  uint64  `json:"count"`
	Others *uint64 `json:"others"`
	// Weight is the mean of the site's shares in both archives. It ignores the frequency of the other outcomes, because
	// every execution pays for the check once a compiler can no longer assume one outcome.
	Weight float64 `json:"weight"`
}
