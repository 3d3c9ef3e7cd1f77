package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/internal/sampling"
	"github.com/profarc/profarc/layout"
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
	// ScoreInterval contains the overlap without sampling error, with a confidence of 95%. It is nil unless both archives
	// are samples. SamplesA and SamplesB are the effective numbers of samples.
	ScoreInterval *sampling.Interval `json:"score_interval,omitempty"`
	SamplesA      float64            `json:"samples_a,omitempty"`
	SamplesB      float64            `json:"samples_b,omitempty"`
	SizeA         SampleSize         `json:"-"`
	SizeB         SampleSize         `json:"-"`
	Lines         *sampling.Pair     `json:"-"` // samples by line, nil like ScoreInterval
	// Primary is the kind that compares methods and scores archives. It is the first kind that both archives count, else
	// the first that either counts.
	Primary string `json:"-"`
	// ComparedA and ComparedB are the shares of the counts of the kind Primary outside of Options.Except.
	ComparedA float64 `json:"-"`
	ComparedB float64 `json:"-"`
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
	// OnlyA and OnlyB count neither Matched nor Mismatch: for profiles, b is the total of Matched, Mismatch and OnlyB.
	OnlyA int `json:"only_a"`
	OnlyB int `json:"only_b"`
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
	// Change contains ShareB - ShareA without sampling error: all intervals of a report do, with a confidence of 95%. It
	// is nil unless both archives are samples.
	Change *sampling.Interval `json:"change,omitempty"`
	Noise  bool               `json:"noise,omitempty"` // the sampling error explains the difference
	Hidden bool               `json:"hidden"`          // the class is hidden, and only one archive has it by name
	// NameB is the name in b of a renumbered method.
	NameB *analyze.MethodName `json:"name_b,omitempty"`

	A reader.Method `json:"-"` // zero if the archive lacks it
	B reader.Method `json:"-"`

	lines [][2]float64 // shares of lines in a and in b, of sampled archives
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

func (c *comparison) finishReport() (*Report, error) {
	r := &c.report
	r.A, r.B, r.DumpedA, r.DumpedB = c.a.Mapping().Name(), c.b.Mapping().Name(), dumpTimeText(c.a), dumpTimeText(c.b)
	r.Domain, r.Primary = c.a.Header().Domain.String(), c.primary.String()
	r.ComparedA = 1 - shareOfSum(c.of[0].except[c.primary], c.of[0].except[c.primary]+c.sumA[c.primary])
	r.ComparedB = 1 - shareOfSum(c.of[1].except[c.primary], c.of[1].except[c.primary]+c.sumB[c.primary])
	for k := range numKinds {
		if c.sumA[k] <= 0 && c.sumB[k] <= 0 {
			continue
		}
		r.Kinds = append(r.Kinds, Overlap{k.String(), c.overlap[k], c.mismatch[k], c.onlyB[k], c.sumA[k], c.sumB[k],
			c.of[0].untyped[k], c.of[1].untyped[k]})
		if k == c.primary {
			r.Score = &c.overlap[k]
			r.ScoredBy = &r.Primary
		}
	}
	n := &namer{a: c.a, b: c.b}
	c.reportSampling()
	setNoise := c.setNoise()
	describe := func(m *Method) {
		n.nameMethod(m)
		setNoise(m)
	}
	r.Changed = makeRanking(&c.changed, describe)
	r.Came = makeRanking(&c.came, describe)
	r.Went = makeRanking(&c.went, describe)
	r.Renumbered = makeRanking(&c.renumbered, n.nameRenumbered)
	r.Flips = makeRanking(&c.flips, func(f *Flip) { n.namePlace(&f.Place) })
	r.Sites = makeRanking(&c.sites, n.nameSiteChange)
	r.NoLongerCertain = makeRanking(&c.doubts, func(f *Certainty) { n.namePlace(&f.Place) })
	r.NowCertain = makeRanking(&c.certainties, func(f *Certainty) { n.namePlace(&f.Place) })
	return r, cmp.Or(n.err, c.compareLoaders())
}

func dumpTimeText(s *reader.Store) string {
	if t := s.Header().Time(); !t.IsZero() {
		return t.UTC().Format(time.RFC3339)
	}
	return ""
}

func (c *comparison) compareLoaders() error {
	r := &c.report
	r.Loaders = []loaders.Doubt{}
	if c.counterparts.byName != nil {
		r.NoLoaders = c.counterparts.byName.Unnamed.Mapping().Name()
		return nil
	}
	if c.a.Header().Domain != layout.DomainHotSpot {
		return nil
	}
	inA, errA := loaders.ListIdentities(c.a)
	inB, errB := loaders.ListIdentities(c.b)
	r.Loaders = loaders.FindDoubts(inA, inB)
	return errors.Join(errA, errB)
}

// A namer sets the names in rows of the report. It keeps the first error.
type namer struct {
	a, b *reader.Store
	err  error
}

func (n *namer) keepError(err error) { n.err = cmp.Or(n.err, err) }

func (n *namer) methodName(s *reader.Store, m reader.Method) analyze.MethodName {
	name, err := analyze.NameOf(s, m)
	n.keepError(err)
	return name
}

func (n *namer) nameMethod(m *Method) {
	if m.A.Valid() {
		m.MethodName = n.methodName(n.a, m.A)
	} else {
		m.MethodName = n.methodName(n.b, m.B)
	}
}

func (n *namer) nameRenumbered(m *Method) {
	n.nameMethod(m)
	inB := n.methodName(n.b, m.B)
	m.NameB = &inB
}

func (n *namer) namePlace(p *Place) {
	m, err := p.A.Method()
	n.keepError(err)
	p.MethodName = n.methodName(n.a, m)
	context, ok, err := p.A.Context()
	n.keepError(err)
	if !ok {
		return
	}
	frames, err := context.Frames()
	n.keepError(err)
	for _, f := range frames {
		p.Context = append(p.Context, fmt.Sprintf("%s:%d", n.methodName(n.a, f.Caller), f.Point))
	}
}

func (n *namer) nameSiteChange(s *SiteChange) {
	n.namePlace(&s.Place)
	name := func(in *reader.Store, of reader.Type, value uint64, text *string) {
		switch {
		case s.Kind == kindIndirectCalls.String():
			*text = n.functionName(in, value)
		case of.Valid():
			*text = n.typeName(of)
		}
	}
	name(n.a, s.A.Type, s.A.value, &s.A.Top)
	name(n.b, s.B.Type, s.B.value, &s.B.Top)
	for i := range s.Gone {
		name(n.a, s.Gone[i].Type, s.Gone[i].value, &s.Gone[i].Target)
	}
	for i := range s.New {
		name(n.b, s.New[i].Type, s.New[i].value, &s.New[i].Target)
	}
}

func (n *namer) typeName(t reader.Type) string {
	name, err := t.Name()
	n.keepError(err)
	if n.a.Header().Domain == layout.DomainHotSpot {
		return strings.ReplaceAll(name.String(), "/", ".")
	}
	return name.String()
}

// functionName returns the name of the function with an id, or the id if the archive lacks it.
func (n *namer) functionName(s *reader.Store, id uint64) string {
	if m, err := s.FindID(id); err == nil {
		return n.methodName(s, m).String()
	}
	return display.IDText(id)
}

type topList[T any] struct {
	n     int
	total int
	list  []weighted[T]
	least float64 // weight of the last item when the list was last trimmed
}

type weighted[T any] struct {
	item   T
	weight float64
}

// addItem adds an item. An earlier item precedes a later one of equal weight.
func (t *topList[T]) addItem(item *T, weight float64) {
	t.total++
	if t.n == 0 || weight < t.least {
		return
	}
	t.list = append(t.list, weighted[T]{*item, weight})
	if len(t.list) >= 2*t.n+1000 {
		t.trimToHeaviest()
		t.least = t.list[t.n-1].weight
	}
}

func (t *topList[T]) trimToHeaviest() {
	slices.SortStableFunc(t.list, func(a, b weighted[T]) int { return cmp.Compare(b.weight, a.weight) })
	t.list = t.list[:min(t.n, len(t.list))]
}

// makeRanking returns the items in descending order of weight, named by setNames.
func makeRanking[T any](t *topList[T], setNames func(*T)) Ranking[T] {
	t.trimToHeaviest()
	r := Ranking[T]{Total: t.total, List: []T{}}
	for i := range t.list {
		setNames(&t.list[i].item)
		r.List = append(r.List, t.list[i].item)
	}
	return r
}
