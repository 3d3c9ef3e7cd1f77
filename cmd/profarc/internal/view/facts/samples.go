package facts

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A SampleUnit is the unit of samples. It is also the value of SampleReport.By. Named returns other units than the
// constants, such as alloc_space/bytes.
type SampleUnit string

// Units of samples. Nanoseconds are processor time.
const (
	Samples     SampleUnit = "samples"
	Nanoseconds SampleUnit = "nanoseconds"
)

// Text formats a total, such as "3 samples" or "50 ms". count formats numbers.
func (u SampleUnit) Text(n uint64, count func(uint64) string) string {
	text := u.Short(n, count)
	switch {
	case u == Nanoseconds:
		return text
	case n == 1 && u == Samples:
		return text + " sample"
	}
	return text + " " + string(u)
}

// Named returns the type of the samples of an archive if they are not samples/count, and u otherwise.
func (u SampleUnit) Named(s *reader.Store) SampleUnit {
	types, err := entries.SampleTypes(s)
	if u != Samples || err != nil || types.Samples == "" || types.Samples == schema.TypeSamples {
		return u
	}
	return SampleUnit(types.Samples)
}

// Short formats a total without the word samples.
func (u SampleUnit) Short(n uint64, count func(uint64) string) string {
	if u == Nanoseconds {
		return TimeText(n)
	}
	return count(n)
}

// TimeText formats nanoseconds, such as "50 ms".
func TimeText(n uint64) string {
	number, unit, _ := strings.Cut(cli.FormatDuration(time.Duration(min(n, math.MaxInt64))), " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// Choose returns the argument that has the unit.
func (u SampleUnit) Choose(samples, nanoseconds uint64) uint64 {
	if u == Nanoseconds {
		return nanoseconds
	}
	return samples
}

// UnitOfSamples returns Nanoseconds if all stacks with samples have a time, and Samples otherwise.
func UnitOfSamples(s *reader.Store) (SampleUnit, error) {
	unit := Samples
	if s.Header().Domain != layout.DomainSampled {
		return unit, nil
	}
	timed, untimed := false, false
	err := stacks.Leaves(s, func(l stacks.Leaf) error {
		timed = timed || l.Time > 0
		untimed = untimed || l.Time == 0
		return nil
	})
	if timed && !untimed {
		unit = Nanoseconds
	}
	return unit, err
}

type SampleTally struct {
	Unit    SampleUnit
	Stacks  int     // number of stacks
	Sum     uint64  // total of all stacks
	whole   float64 // total of all stacks, which does not saturate
	methods map[layout.Ref]*StackCounts
	lines   map[sampledPoint]*StackCounts // nil unless from TallyLines
	calls   map[sampledCall]*StackCounts  // nil unless from TallyLines

	// Lines and calls with samples, by method; nil unless from TallyLines.
	linesOf              map[layout.Ref][]SampledLine
	callersOf, calleesOf map[layout.Ref][]SampledCall
}

// StackCounts holds the samples or allocated bytes of the stacks with a method.
type StackCounts struct {
	Self  uint64 // total of stacks with the method as the leaf
	Total uint64 // total of stacks with the method; recursion counts once
	seen  int    // number of the last stack added
}

// TallySamples totals the samples of every method in time linear in the size of the archive.
func TallySamples(s *reader.Store, unit SampleUnit) (*SampleTally, error) {
	t := &SampleTally{Unit: unit, methods: map[layout.Ref]*StackCounts{}}
	return t, t.addSamples(s)
}

func (t *SampleTally) addSamples(s *reader.Store) (err error) {
	if s.Header().Domain == layout.DomainSampled {
		return t.addContexts(s)
	}
	for stack := range poll.Values(stacks.Sampled(s), &err) {
		t.addStack(stack)
	}
	return err
}

func (t *SampleTally) addStack(stack stacks.Stack) {
	n := t.Unit.Choose(stack.Count, stack.Time)
	t.Stacks++
	t.Sum = schema.AddCounts(t.Sum, n)
	t.whole += float64(n)
	for i, f := range stack.Frames {
		if !f.Method.Valid() {
			continue
		}
		entryOf(t.methods, f.Method.Ref()).addStack(n, i == 0, t.Stacks)
		if t.lines != nil {
			entryOf(t.lines, sampledPoint{f.Method.Ref(), f.Point}).addStack(n, i == 0, t.Stacks)
		}
		if t.lines != nil && i > 0 {
			entryOf(t.calls, sampledCall{f.Method.Ref(), stack.Frames[i-1].Method.Ref()}).addStack(n, false, t.Stacks)
		}
	}
}

// entryOf returns the value of a key, which it adds if it is not there.
func entryOf[K comparable, V any](values map[K]*V, key K) *V {
	if values[key] == nil {
		values[key] = new(V)
	}
	return values[key]
}

// addStack adds n for the stack with a number from 1.
func (m *StackCounts) addStack(n uint64, leaf bool, stack int) {
	if leaf {
		m.Self = schema.AddCounts(m.Self, n)
	}
	if m.seen != stack {
		m.seen, m.Total = stack, schema.AddCounts(m.Total, n)
	}
}

func (t *SampleTally) OfMethod(m reader.Method) StackCounts {
	if found := t.methods[m.Ref()]; found != nil {
		return *found
	}
	return StackCounts{}
}

func CountSamples(s *reader.Store) (stackCount int, samples uint64, err error) {
	if s.Header().Domain == layout.DomainSampled {
		err = stacks.Leaves(s, func(l stacks.Leaf) error {
			stackCount += l.Stacks
			samples = schema.AddCounts(samples, l.Count)
			return nil
		})
		return stackCount, samples, err
	}
	for stack := range poll.Values(stacks.Sampled(s), &err) {
		stackCount++
		samples = schema.AddCounts(samples, stack.Count)
	}
	return stackCount, samples, err
}

type SampleReport struct {
	Archive string          `json:"archive"`
	By      SampleUnit      `json:"by"` // unit of all totals
	Stacks  int             `json:"stacks"`
	Total   uint64          `json:"total"`
	Of      int             `json:"of"` // number of selected methods on any stack
	Methods []StackedMethod `json:"methods"`
}

// A StackedMethod is a method with the samples or bytes of the stacks that contain it.
type StackedMethod struct {
	analyze.MethodName
	Self       uint64  `json:"self"` // total of stacks with the method as the leaf
	SelfShare  float64 `json:"self_share"`
	Total      uint64  `json:"total"` // total of stacks with the method
	TotalShare float64 `json:"total_share"`
}

func stackedMethod(name analyze.MethodName, n StackCounts, whole float64) StackedMethod {
	whole = max(whole, 1)
	return StackedMethod{name, n.Self, float64(n.Self) / whole, n.Total, float64(n.Total) / whole}
}

func SamplesOnly(s *reader.Store) bool {
	if s.Header().Domain == layout.DomainSampled {
		return true
	}
	_, err := s.Table(schema.TableSamples)
	return !errors.Is(err, reader.ErrNotFound) && s.Header().Summary == layout.Summary{}
}

// MostSampled ranks the selected methods by samples or their time. Shares relate to all samples of the archive.
func MostSampled(ctx context.Context, s *reader.Store, unit SampleUnit, o analyze.RankOptions) (*SampleReport, error) {
	tally, err := TallySamples(s, unit)
	if err != nil {
		return nil, err
	}
	var found []reader.Method
	for m := range poll.Values(selectedMethods(ctx, s, o), &err) {
		if tally.OfMethod(m).Total >= max(o.Min, 1) {
			found = append(found, m)
		}
	}
	slices.SortStableFunc(found, func(a, b reader.Method) int {
		x := tally.OfMethod(a)
		y := tally.OfMethod(b)
		return cmp.Or(cmp.Compare(y.Self, x.Self), cmp.Compare(y.Total, x.Total))
	})
	r := &SampleReport{Archive: s.Mapping().Name(), By: unit.Named(s), Stacks: tally.Stacks, Total: tally.Sum,
		Of: len(found), Methods: []StackedMethod{}}
	for _, m := range found[:o.RowCount(len(found))] {
		name, err := analyze.NameOf(s, m)
		if err != nil {
			return nil, err
		}
		r.Methods = append(r.Methods, stackedMethod(name, tally.OfMethod(m), tally.whole))
	}
	return r, err
}

// A sampledPoint is a point of a method on sampled stacks, a sampledCall a method with one that it called.
type (
	sampledPoint struct {
		method layout.Ref
		point  int32
	}
	sampledCall struct{ caller, callee layout.Ref }
)

func TallyLines(s *reader.Store, unit SampleUnit) (*SampleTally, error) {
	t := &SampleTally{Unit: unit, methods: map[layout.Ref]*StackCounts{}, lines: map[sampledPoint]*StackCounts{},
		calls: map[sampledCall]*StackCounts{}}
	err := t.addSamples(s)
	t.groupByMethod()
	return t, err
}

// groupByMethod sorts the lines and calls of each method, so that listing all methods takes linear time.
func (t *SampleTally) groupByMethod() {
	t.linesOf = map[layout.Ref][]SampledLine{}
	t.callersOf, t.calleesOf = map[layout.Ref][]SampledCall{}, map[layout.Ref][]SampledCall{}
	for at, n := range t.lines {
		if n.Total > 0 {
			t.linesOf[at.method] = append(t.linesOf[at.method], SampledLine{at.point, *n})
		}
	}
	for at, n := range t.calls {
		if n.Total > 0 {
			t.callersOf[at.callee] = append(t.callersOf[at.callee], SampledCall{at.caller, n.Total})
			t.calleesOf[at.caller] = append(t.calleesOf[at.caller], SampledCall{at.callee, n.Total})
		}
	}
	for _, list := range t.linesOf {
		slices.SortFunc(list, func(a, b SampledLine) int { return cmp.Compare(a.Point, b.Point) })
	}
	for _, lists := range []map[layout.Ref][]SampledCall{t.callersOf, t.calleesOf} {
		for _, list := range lists {
			slices.SortFunc(list, func(a, b SampledCall) int {
				return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Other, b.Other))
			})
		}
	}
}

// A SampledLine holds the samples at a point of a method. A point is a line relative to the start of a Go function, or
// a bci.
type SampledLine struct {
	Point int32
	StackCounts
}

// LinesOf returns the points of a method with samples, in order. The tally comes from TallyLines.
func (t *SampleTally) LinesOf(m reader.Method) []SampledLine { return t.linesOf[m.Ref()] }

type SampledCall struct {
	Other layout.Ref // caller or callee; 0 if unknown
	Total uint64     // total of stacks with the call; recursion counts once
}

// CallsOf returns the callers and callees of a method, the most samples first. The tally comes from TallyLines.
func (t *SampleTally) CallsOf(m reader.Method) (callers, callees []SampledCall) {
	return t.callersOf[m.Ref()], t.calleesOf[m.Ref()]
}

type sampleTree struct {
	leaf  layout.Ref
	nodes []sampleNode // parents precede children; the first is the leaf itself
	at    map[layout.Ref]int32
	// Number of occurrences on the path to the visited node.
	onPath       map[layout.Ref]int
	pointsOnPath map[sampledPoint]int
	callsOnPath  map[sampledCall]int
	leaves       map[int32][]stacks.LeafPoint // points by node; nil unless lines are tallied
}

type sampleNode struct {
	caller       layout.Ref
	point        int32 // point of the call
	parent       int32
	child, other int32 // first child, and next sibling, after sumSubtrees; 0 for none
	stacks       int
	sum          uint64
}

func (t *SampleTally) addContexts(s *reader.Store) error {
	tree := &sampleTree{}
	err := stacks.Leaves(s, func(l stacks.Leaf) (err error) {
		if l.Method.Ref() != tree.leaf {
			t.addLeafTree(tree)
			tree, err = newSampleTree(l.Method, t.lines != nil)
			if err != nil {
				return err
			}
		}
		n := tree.at[l.Context.Ref()]
		of := &tree.nodes[n]
		sum := t.Unit.Choose(l.Count, l.Time)
		of.stacks, of.sum = of.stacks+l.Stacks, schema.AddCounts(of.sum, sum)
		t.whole += float64(sum)
		if tree.leaves != nil {
			tree.leaves[n] = append(tree.leaves[n], l.Points()...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.addLeafTree(tree)
	return nil
}

func newSampleTree(leaf reader.Method, lines bool) (_ *sampleTree, err error) {
	k := &sampleTree{leaf: leaf.Ref(), nodes: make([]sampleNode, 1), at: map[layout.Ref]int32{},
		onPath: map[layout.Ref]int{}}
	if lines {
		k.pointsOnPath = map[sampledPoint]int{}
		k.callsOnPath = map[sampledCall]int{}
		k.leaves = map[int32][]stacks.LeafPoint{}
	}
	for c := range poll.Values(leaf.Contexts(), &err) { // parents precede their children
		f, err := c.Caller()
		if err != nil {
			return nil, err
		}
		k.at[c.Ref()] = int32(len(k.nodes))
		k.nodes = append(k.nodes, sampleNode{caller: f.Caller.Ref(), point: f.Point, parent: k.at[c.Inner()]})
	}
	return k, err
}

func (t *SampleTally) addLeafTree(k *sampleTree) {
	if len(k.nodes) == 0 {
		return
	}
	k.sumSubtrees()
	all := k.nodes[0]
	leaf := entryOf(t.methods, k.leaf)
	t.Stacks, t.Sum = t.Stacks+all.stacks, schema.AddCounts(t.Sum, all.sum)
	leaf.Self, leaf.Total = schema.AddCounts(leaf.Self, all.sum), schema.AddCounts(leaf.Total, all.sum)
	k.onPath[k.leaf]++
	t.addLeafPoints(k, 0)
	k.visitNodes(func(n int32) {
		at := &k.nodes[n]
		addUnlessRecursive(t.methods, k.onPath, at.caller, at.sum)
		if k.leaves == nil {
			return
		}
		addUnlessRecursive(t.lines, k.pointsOnPath, sampledPoint{at.caller, at.point}, at.sum)
		addUnlessRecursive(t.calls, k.callsOnPath, k.callAt(at), at.sum)
		t.addLeafPoints(k, n)
	}, func(n int32) {
		at := &k.nodes[n]
		if k.onPath[at.caller]--; k.leaves != nil {
			k.pointsOnPath[sampledPoint{at.caller, at.point}]--
			k.callsOnPath[k.callAt(at)]--
		}
	})
}

func addUnlessRecursive[K comparable](counts map[K]*StackCounts, onPath map[K]int, key K, sum uint64) {
	if onPath[key]++; onPath[key] == 1 {
		of := entryOf(counts, key)
		of.Total = schema.AddCounts(of.Total, sum)
	}
}

func (k *sampleTree) callAt(n *sampleNode) sampledCall {
	if n.parent == 0 {
		return sampledCall{n.caller, k.leaf}
	}
	return sampledCall{n.caller, k.nodes[n.parent].caller}
}

func (t *SampleTally) addLeafPoints(k *sampleTree, n int32) {
	for _, p := range k.leaves[n] {
		key := sampledPoint{k.leaf, p.Point}
		sum := t.Unit.Choose(p.Count, p.Time)
		of := entryOf(t.lines, key)
		of.Self = schema.AddCounts(of.Self, sum)
		if k.pointsOnPath[key] == 0 { // otherwise a caller at the same point already added it
			of.Total = schema.AddCounts(of.Total, sum)
		}
	}
}

// sumSubtrees adds each node to its parent, and links the nodes with stacks.
func (k *sampleTree) sumSubtrees() {
	for i := len(k.nodes) - 1; i > 0; i-- {
		n := &k.nodes[i]
		to := &k.nodes[n.parent]
		if n.stacks > 0 {
			to.stacks, to.sum = to.stacks+n.stacks, schema.AddCounts(to.sum, n.sum)
			n.other, to.child = to.child, int32(i)
		}
	}
}

// visitNodes calls enter with each node before its children, and leave after them, except for the first node. It does
// not recurse, since samples can be arbitrarily deep.
func (k *sampleTree) visitNodes(enter, leave func(int32)) {
	for n := k.nodes[0].child; n != 0; {
		enter(n)
		if child := k.nodes[n].child; child != 0 {
			n = child
			continue
		}
		for n != 0 {
			leave(n)
			if other := k.nodes[n].other; other != 0 {
				n = other
				break
			}
			n = k.nodes[n].parent
		}
	}
}
