// Package report turns the results of compare and fit into reports with names, which
// marshal to the JSON of profarc diff and profarc check.
package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/facts"
	"github.com/profarc/profarc/compare"
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/naming"
	"github.com/profarc/profarc/internal/parse/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// NoLongerCertain lists the sites that have one outcome in the archive s, and
// several in the archive now of the same code.
func NoLongerCertain(ctx context.Context, s, now *reader.Store, f fit.Options) (*List[Certainty], error) {
	c, err := compare.Stores(ctx, s, now, compare.Options{Top: f.Top, Methods: f.Methods})
	if err != nil {
		return nil, err
	}
	n := &diffNames{a: s, b: now, domain: c.Domain}
	l := listed(c.NoLongerCertain, n.certainty)
	return &l, n.err
}

// A Certainty is a site with one outcome in one archive and several in the other.
type Certainty struct {
	DiffPlace
	Entry   string  `json:"entry"`
	Outcome string  `json:"outcome"` // the kind of outcome: ways, checks or nulls
	Always  string  `json:"always"`  // the one outcome in the archive that is certain
	Times   uint64  `json:"times"`   // the count of Always
	Count   uint64  `json:"count"`   // how often the site was reached in the other archive
	Others  *uint64 `json:"others"`  // of these, with another outcome; null for nulls, which are not counted
	Weight  float64 `json:"weight"`
}

func (n *diffNames) certainty(c compare.Certainty) Certainty {
	d := Certainty{DiffPlace: n.place(c.Place), Entry: c.Tag.String(), Outcome: c.Outcome.String(), Always: alwaysText(c),
		Times: c.Always.Count, Count: c.Count, Weight: c.Weight}
	if c.Outcome != compare.OutcomeNull {
		d.Others = &c.Others
	}
	return d
}

func alwaysText(c compare.Certainty) string {
	switch {
	case c.Outcome == compare.OutcomeNull:
		return "no null"
	case c.Outcome == compare.OutcomeWay:
		return wayText(c.Tag, c.Always)
	case c.Always.Index == 0:
		return "succeeds"
	}
	return "fails"
}

// Where returns the point and the callers behind the method, which is spelled in some way, on one line.
func (p DiffPlace) Where(method string) string {
	text := fmt.Sprintf("%s @%d", method, p.Point)
	for _, frame := range p.Context {
		text += " < " + frame
	}
	return escape.Printable(text)
}

// A Diff is the report of profarc diff: how far two archives agree. Shares are from 0 to 1.
type Diff struct {
	A           string           `json:"a"` // the base
	B           string           `json:"b"`
	DumpedA     string           `json:"dumped_a,omitempty"` // when they were dumped, empty if that is not known
	DumpedB     string           `json:"dumped_b,omitempty"`
	Domain      string           `json:"domain"`
	Score       *float64         `json:"score"`     // the overlap of kind ScoredBy; null without counts
	ScoredBy    *string          `json:"scored_by"` // kind of counts
	Kinds       []DiffKind       `json:"kinds"`
	Methods     DiffTally        `json:"methods"`
	Profiles    DiffTally        `json:"profiles"` // one for each method, code and context
	LeftOut     int              `json:"left_out"` // LLVM's records that were not selected
	MarkedA     int              `json:"marked_a"` // LLVM's records marked hot or warm, without counts
	MarkedB     int              `json:"marked_b"`
	NotCompared []DiffUncompared `json:"not_compared"`
	// NoLoaders is the archive that names no class loaders while the other does, empty if there is none.
	NoLoaders string        `json:"without_loaders,omitempty"`
	Loaders   []LoaderDoubt `json:"loader_doubts"`

	Changed List[DiffMethod] `json:"changed"`
	Came    List[DiffMethod] `json:"came"`
	Went    List[DiffMethod] `json:"went"`
	// Renumbered are methods of hidden classes that have another name in B.
	Renumbered List[DiffRenumbered] `json:"renumbered"`
	HiddenCame int                  `json:"hidden_came"` // of Came: methods of hidden classes
	HiddenWent int                  `json:"hidden_went"`
	Flipped    List[DiffFlip]       `json:"flipped"`
	Sites      List[DiffSite]       `json:"sites"`

	NoLongerCertain List[Certainty] `json:"no_longer_certain"`
	NowCertain      List[Certainty] `json:"now_certain"`

	ContextSensitive bool `json:"-"` // context-sensitive records were asked for
}

// A DiffKind says how far counts of one kind agree.
type DiffKind struct {
	Kind     string  `json:"kind"`
	Overlap  float64 `json:"overlap"`
	Mismatch float64 `json:"mismatch"` // share in b of profiles that a has with other code, counters or sites
	OnlyB    float64 `json:"only_b"`   // share in b of methods that a lacks
	SumA     float64 `json:"sum_a"`
	SumB     float64 `json:"sum_b"`
	UntypedA float64 `json:"untyped_a"` // counts whose types were not recorded; they are in no sum
	UntypedB float64 `json:"untyped_b"`
}

// A DiffTally counts methods or profiles.
type DiffTally struct {
	A        int `json:"a"`
	B        int `json:"b"`
	Matched  int `json:"matched"`
	Mismatch int `json:"mismatch"` // in b, of methods that a has with other code
	OnlyA    int `json:"only_a"`
	OnlyB    int `json:"only_b"`
}

// A DiffUncompared is a measurement that is not compared: samples, or the rows of a table.
type DiffUncompared struct {
	What string `json:"what"`
	A    uint64 `json:"a"`
	B    uint64 `json:"b"`
}

// A List holds the heaviest of Total.
type List[T any] struct {
	Total int `json:"total"`
	List  []T `json:"list"`
}

// A DiffMethod is a method that changed, came or went.
type DiffMethod struct {
	analyze.MethodName
	Overlap    float64 `json:"overlap"`    // overlap of the method's own counts
	ShareA     float64 `json:"share_a"`    // of all counts of a
	ShareB     float64 `json:"share_b"`    // of all counts of b
	Difference float64 `json:"difference"` // the part of the missing score that the method causes
	Mismatch   bool    `json:"mismatch"`   // b has a profile of code that a lacks
	Hidden     bool    `json:"hidden"`     // of a hidden class; not told of methods of both
}

// A DiffRenumbered is a method of a hidden class that has another name in B.
type DiffRenumbered struct {
	DiffMethod
	NameB analyze.MethodName `json:"name_b"`
}

// A DiffPlace is a profile point.
type DiffPlace struct {
	analyze.MethodName
	Context []string `json:"context,omitempty"` // frames, the direct caller first
	Point   int32    `json:"point"`
}

// A DiffFlip is a branch or switch whose most frequent way has changed.
type DiffFlip struct {
	DiffPlace
	Entry  string  `json:"entry"`
	A      DiffWay `json:"a"`
	B      DiffWay `json:"b"`
	Weight float64 `json:"weight"`
}

// A DiffWay is the most frequent way of a branch.
type DiffWay struct {
	Way   string  `json:"way"`
	Share float64 `json:"share"`
	Count uint64  `json:"count"` // of all ways
}

// A DiffSite is a site with other types or targets than before.
type DiffSite struct {
	DiffPlace
	Kind   string   `json:"kind"`
	Change string   `json:"change"`
	A      DiffSeen `json:"a"`
	B      DiffSeen `json:"b"`
	// Gone and New are the most frequent types or targets that only A saw, and only B.
	Gone   []DiffTarget `json:"gone"`
	New    []DiffTarget `json:"new"`
	Weight float64      `json:"weight"`
}

// A DiffTarget is a type or target that a site saw in one of the archives.
type DiffTarget struct {
	Target string  `json:"target"`
	Share  float64 `json:"share"` // of the counts of the site in that archive
}

func (t DiffTarget) String() string {
	return escape.Printable(fmt.Sprintf("%s %.1f%%", t.Target, 100*t.Share))
}

// A DiffSeen summarizes the types or targets of a site.
type DiffSeen struct {
	Targets int     `json:"targets"` // number of types or targets
	Top     string  `json:"top"`     // the most frequent
	Share   float64 `json:"top_share"`
	Count   uint64  `json:"count"`
	Untyped uint64  `json:"untyped"` // in addition to Count: those without a recorded type
}

// NewDiff returns the report with the names of methods, types and targets.
func NewDiff(a, b *reader.Store, c *compare.Report) (*Diff, error) {
	n := &diffNames{a: a, b: b, domain: c.Domain}
	r := &Diff{
		A: a.Mapping().Name(), B: b.Mapping().Name(), DumpedA: timeText(a), DumpedB: timeText(b), Domain: c.Domain.String(),
		Kinds: []DiffKind{}, NotCompared: []DiffUncompared{},
		Methods: DiffTally(c.Methods), Profiles: DiffTally(c.Profiles), LeftOut: c.LeftOut, MarkedA: c.MarkedA,
		MarkedB: c.MarkedB,
		Changed: listed(c.Changed, n.method), Came: listed(c.Came, n.method), Went: listed(c.Went, n.method),
		Renumbered: listed(c.Renumbered, n.renumbered), HiddenCame: c.HiddenCame, HiddenWent: c.HiddenWent,
		Flipped: listed(c.Flips, n.flip), Sites: listed(c.Sites, n.site),
		NoLongerCertain: listed(c.NoLongerCertain, n.certainty), NowCertain: listed(c.NowCertain, n.certainty),
	}
	for _, k := range c.Kinds {
		r.Kinds = append(r.Kinds, DiffKind{k.Kind.String(), k.Overlap, k.Mismatch, k.OnlyB, k.SumA, k.SumB, k.UntypedA,
			k.UntypedB})
	}
	if score, ok := c.Score(); ok {
		by := c.Primary.String()
		r.Score, r.ScoredBy = &score, &by
	}
	for _, u := range c.NotCompared {
		uncompared, err := uncomparedOf(a, b, u)
		n.failed(err)
		r.NotCompared = append(r.NotCompared, uncompared)
	}
	return r, n.err
}

// timeText returns when an archive was dumped, empty if that is not known.
func timeText(s *reader.Store) string {
	if t := s.Header().Time(); !t.IsZero() {
		return t.UTC().Format(time.RFC3339)
	}
	return ""
}

// uncomparedOf returns the samples of both archives, or for other tables their rows.
func uncomparedOf(a, b *reader.Store, u compare.Uncompared) (DiffUncompared, error) {
	if u.Table != disk.TableSamples {
		return DiffUncompared{"rows of " + facts.TableTitle(u.Table), uint64(u.RowsA), uint64(u.RowsB)}, nil
	}
	_, inA, errA := facts.CountSamples(a)
	_, inB, errB := facts.CountSamples(b)
	return DiffUncompared{"samples", inA, inB}, errors.Join(errA, errB)
}

// listed converts a ranking.
func listed[T, U any](r compare.Ranking[T], show func(T) U) List[U] {
	l := List[U]{Total: r.Total, List: []U{}}
	for _, x := range r.List {
		l.List = append(l.List, show(x))
	}
	return l
}

// diffNames reads names for a report. It keeps the first error.
type diffNames struct {
	a, b   *reader.Store
	domain layout.Domain
	err    error
}

func (n *diffNames) failed(err error) { n.err = cmp.Or(n.err, err) }

func (n *diffNames) of(s *reader.Store, m reader.Method) analyze.MethodName {
	name, err := analyze.NameOf(s, m)
	n.failed(err)
	return name
}

func (n *diffNames) method(m compare.Method) DiffMethod {
	s, named := n.a, m.A
	if !named.Valid() {
		s, named = n.b, m.B
	}
	return DiffMethod{n.of(s, named), m.Overlap, m.ShareA, m.ShareB, m.Difference, m.Mismatch, m.Hidden}
}

func (n *diffNames) renumbered(m compare.Method) DiffRenumbered {
	return DiffRenumbered{n.method(m), n.of(n.b, m.B)}
}

func (n *diffNames) place(p compare.Place) DiffPlace {
	m, err := p.A.Method()
	n.failed(err)
	shown := DiffPlace{MethodName: n.of(n.a, m), Point: p.Point}
	context, ok, err := p.A.Context()
	n.failed(err)
	if !ok {
		return shown
	}
	frames, err := context.Frames()
	n.failed(err)
	for _, f := range frames {
		shown.Context = append(shown.Context, fmt.Sprintf("%s:%d", n.of(n.a, f.Caller), f.Point))
	}
	return shown
}

func (n *diffNames) flip(f compare.Flip) DiffFlip {
	way := func(w compare.Way) DiffWay { return DiffWay{wayText(f.Tag, w), w.Share, w.Count} }
	return DiffFlip{n.place(f.Place), f.Tag.String(), way(f.A), way(f.B), f.Weight}
}

// wayText returns the name of a way of an entry of that tag.
func wayText(tag layout.Tag, w compare.Way) string {
	switch {
	case tag == layout.TagSuccessors:
		return fmt.Sprintf("to %d, index %d", w.Target, w.Index)
	case tag == layout.TagMultiBranch && w.Index == 0:
		return "default"
	case tag == layout.TagMultiBranch:
		return fmt.Sprintf("case index %d", w.Index-1)
	case w.Index == 0:
		return "taken"
	}
	return "not taken"
}

func (n *diffNames) site(s compare.SiteChange) DiffSite {
	return DiffSite{n.place(s.Place), s.Kind.String(), s.Change.String(), n.seen(n.a, s.Kind, s.A),
		n.seen(n.b, s.Kind, s.B), n.targets(n.a, s.Kind, s.Gone), n.targets(n.b, s.Kind, s.New), s.Weight}
}

func (n *diffNames) targets(s *reader.Store, k compare.Kind, list []compare.Target) []DiffTarget {
	shown := []DiffTarget{}
	for _, t := range list {
		shown = append(shown, DiffTarget{n.targetText(s, k, t.Type, t.Value), t.Share})
	}
	return shown
}

func (n *diffNames) seen(s *reader.Store, k compare.Kind, seen compare.Seen) DiffSeen {
	return DiffSeen{Targets: seen.Targets, Share: seen.TopShare, Count: seen.Count, Untyped: seen.Untyped,
		Top: n.targetText(s, k, seen.Top, seen.Value)}
}

// targetText returns the name of a type, or of the target that a value stands for.
func (n *diffNames) targetText(s *reader.Store, k compare.Kind, t reader.Type, value uint64) string {
	switch {
	case k == compare.KindIndirectCalls:
		return n.target(s, value)
	case !t.Valid():
		return "other types"
	}
	name, err := t.Name()
	n.failed(err)
	if n.domain == layout.DomainHotSpot {
		return strings.ReplaceAll(name.String(), "/", ".")
	}
	return name.String()
}

// target returns the name of the function with an id, or the id.
func (n *diffNames) target(s *reader.Store, id uint64) string {
	if m, err := s.FindID(id); err == nil {
		return n.of(s, m).String()
	}
	return naming.IDText(id)
}

func (w DiffWay) String() string { return fmt.Sprintf("%s %.1f%%", w.Way, 100*w.Share) }

func (s DiffSeen) String() string {
	return escape.Printable(fmt.Sprintf("%d: %s %.1f%%", s.Targets, s.Top, 100*s.Share))
}
