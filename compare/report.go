package compare

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Report describes how far two archives agree. Shares are from 0 to 1.
type Report struct {
	Domain layout.Domain
	// Primary is the kind by which methods are compared and the archives scored:
	// the first kind that both have counts of, otherwise the first that one has.
	Primary Kind
	// Kinds are the kinds that one of the archives has counts of.
	Kinds []Overlap

	Methods  Tally
	Profiles Tally // by method, code and context
	// LeftOut counts the profiles of both archives that Options.ContextSensitive excludes.
	LeftOut int
	// MarkedA and MarkedB count LLVM's profiles that are marked as hot or warm. The mark
	// replaces the counters and is no count.
	MarkedA, MarkedB int
	// NotCompared are the tables of measurements in either archive, such as samples, by
	// kind. They have no part in any score.
	NotCompared []Uncompared

	Changed Ranking[Method] // methods of both, by their difference
	Came    Ranking[Method] // methods with counts that only b has
	Went    Ranking[Method] // methods with counts that only a has
	// Renumbered are methods of hidden classes whose name only a has, with the method of the
	// same code in a hidden class of the same origin whose name only b has. They are in
	// neither Came nor Went, and their counts have no part in the overlap.
	Renumbered Ranking[Method]
	// HiddenCame and HiddenWent count the other methods of hidden classes in Came and Went.
	HiddenCame, HiddenWent int
	Flips                  Ranking[Flip]       // branches whose majority changed
	Sites                  Ranking[SiteChange] // sites that turned polymorphic or monomorphic, or see another type

	NoLongerCertain Ranking[Certainty] // branches and type checks with one outcome in a, and several in b
	NowCertain      Ranking[Certainty] // the other way round
}

// Score returns the overlap of the primary kind; ok is false if neither archive has
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
	// UntypedA and UntypedB are counts of receivers and checked types without a recorded
	// type, which have no part in the overlap.
	UntypedA, UntypedB float64
}

// A Tally counts methods or profiles with and without a partner.
type Tally struct {
	A, B     int // all
	Matched  int // in both
	Mismatch int // in b, of methods that a has with other code
	OnlyA    int
	OnlyB    int
}

// A Ranking lists the heaviest items, the heaviest first.
type Ranking[T any] struct {
	Total int // including those that are not listed
	List  []T
}

// A Method is a method with counts and how far its profiles differ.
type Method struct {
	A, B reader.Method // the zero Method if the archive lacks it
	// Overlap compares the method's own counts: 1 if their proportions are the same.
	Overlap        float64
	ShareA, ShareB float64 // of all counts of the archive
	// Difference is the part of the missing overlap that the method causes.
	Difference float64
	Hidden     bool // it is of a hidden class, which the VM has named; not told of matched methods
	Mismatch   bool // a profile in b has no partner with the same code
}

// A Place is a profile point.
type Place struct {
	A, B  reader.Profile
	Point int32
}

// A Flip is a branch or switch whose most frequent way has changed.
type Flip struct {
	Place
	Tag  layout.Tag // of the entry in a
	A, B Way
	// Weight is the change of the shares of the ways, times the mean of the branch's shares in both archives.
	Weight float64
}

// A Way is the most frequent way of a branch.
type Way struct {
	// Index is 0 if a branch is taken and 1 if not. The default of a switch is 0, and its
	// cases follow. If the successors of a branch are listed, it is the successor's index.
	Index  uint32
	Target int32 // if the successors are listed, otherwise 0
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

// A SiteChange is a call, type check or indirect call with other types or targets than before.
type SiteChange struct {
	Place
	Kind   Kind // KindReceivers, kindTypeChecks or KindIndirectCalls
	Change Change
	A, B   Seen
	// Gone are the types or targets that only a saw there, New those that only b did: the
	// most frequent first, at most maxTargets of them.
	Gone, New []Target
	// Weight is the share of the site's counts of other types, times the mean of the
	// site's shares in both archives.
	Weight float64
}

// A Target is a type or target that a site saw.
type Target struct {
	Type  reader.Type // the zero Type for values, and for types without a row
	Value uint64      // if the site has values
	Share float64     // of the counts of the site
}

// Seen summarizes the types or targets of a site.
type Seen struct {
	Targets int // types or targets; those without a row count as one
	Count   uint64
	Untyped uint64 // in addition to Count: executions without a recorded type
	// Top is the most frequent type, Value the most frequent value if the site has values.
	Top      reader.Type
	Value    uint64
	TopShare float64
}

// A Kind is a kind of counts with one unit.
type Kind uint8

// The kinds. Archives are scored by the first that both count.
const (
	KindEdges         Kind = iota // calls of methods, branches, calls: LLVM's counters
	kindBytecodes                 // Jamaica: bytecodes executed
	kindCalls                     // calls by callee
	kindCycles                    // processor cycles
	kindSamples                   // samples taken
	KindReceivers                 // receiver types of calls
	kindTypeChecks                // types that are checked
	KindIndirectCalls             // LLVM: targets of indirect calls
	KindMemOps                    // LLVM: sizes of memory operations
	KindVTables                   // LLVM: vtables at virtual calls
	kindNativeCalls               // Jamaica: calls of native methods
	kindArrays                    // Jamaica: arrays created
	kindNanoseconds               // processor time of samples
	numKinds
)

var kindNames = [numKinds]string{"edges", "bytecodes", "calls", "cycles", "samples", "receivers", "type_checks",
	"indirect_calls", "mem_ops", "vtables", "native_calls", "new_arrays", "nanoseconds"}

func (k Kind) String() string { return kindNames[k] }

// unitKinds are the kinds of counts by unit, if nothing else is known of them.
var unitKinds = [disk.NumCountUnits]Kind{
	layout.UnitExecutions: KindEdges, layout.UnitBytecodes: kindBytecodes, layout.UnitCycles: kindCycles,
	layout.UnitNativeCalls: kindNativeCalls, layout.UnitArrays: kindArrays, layout.UnitPointSamples: kindSamples,
	layout.UnitNanoseconds: kindNanoseconds,
}

// valueKinds are the kinds of ValueSite entries by their Sub.
var valueKinds = map[layout.Sub]Kind{
	layout.SubIndirectCall: KindIndirectCalls, layout.SubMemOpSize: KindMemOps, layout.SubVTable: KindVTables,
}

// perKind is an amount of each kind.
type perKind [numKinds]float64

// addShares adds the shares of part in sum.
func (p *perKind) addShares(part, sum *perKind) {
	for k := range numKinds {
		p[k] += share(part[k], sum[k])
	}
}

// eachKind calls yield with the kinds whose amount is not 0 in a or b.
func eachKind(a, b *perKind, yield func(Kind)) {
	for k := range numKinds {
		if a[k] > 0 || b[k] > 0 {
			yield(k)
		}
	}
}

// A top keeps the n heaviest of the items that are added to it.
type top[T any] struct {
	n     int
	total int
	list  []weighted[T]
	least float64 // weight of the last item after a trim
}

type weighted[T any] struct {
	item   T
	weight float64
}

// add adds an item. Of items of one weight the first added is the heavier.
func (t *top[T]) add(item *T, weight float64) {
	t.total++
	if t.n == 0 || weight < t.least {
		return
	}
	if t.list = append(t.list, weighted[T]{*item, weight}); len(t.list) >= 2*t.n+1000 {
		t.trim()
		t.least = t.list[t.n-1].weight
	}
}

// trim sorts the items and keeps the n heaviest.
func (t *top[T]) trim() {
	slices.SortStableFunc(t.list, func(a, b weighted[T]) int { return cmp.Compare(b.weight, a.weight) })
	t.list = t.list[:min(t.n, len(t.list))]
}

// ranking returns the heaviest items, the heaviest first.
func (t *top[T]) ranking() Ranking[T] {
	t.trim()
	r := Ranking[T]{Total: t.total}
	for _, w := range t.list {
		r.List = append(r.List, w.item)
	}
	return r
}
