package pages

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/sampling"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// commonStacks returns the sources of stacks in both archives, as in A.
func commonStacks(s *Site) []stackSource {
	inB := stackSources(s.Other)
	return slices.DeleteFunc(stackSources(s.Archive), func(a stackSource) bool {
		return !slices.ContainsFunc(inB, func(b stackSource) bool { return a.name == b.name && a.unit == b.unit })
	})
}

// A stackPair has the stacks of both archives. Frames are numbered from 1.
type stackPair struct {
	*flame.Pair
	methods []reader.Method            // method by frame, taken from B if A lacks it; the zero Method for unknown frames
	frames  map[uint32]*[2]flame.Count // counts by frame in all stacks of A and of B
	sampled bool                       // the counts have a sampling error
	samples sampling.Pair              // of the boxes
	level   float64                    // significance of changes
}

func buildStackPair(r *request) (any, error) {
	sources := commonStacks(r.site)
	source := r.askedSource(sources)
	t, err := resultOf(r, source.what+" of both", func(ctx context.Context, s *Site, p *Progress) (*stackPair, error) {
		return pairStacks(ctx, s, source, p)
	})
	if err != nil {
		return nil, err
	}
	at, err := nodeAsked(r, t.Tree)
	if err != nil {
		return nil, err
	}
	p := &flamePage{What: source.what, Unit: source.unit, Cut: t.Cut, Total: 1, Whole: 1}
	b := newFlameGraph(r, t.Tree, at, p)
	b.methods = func(frame uint32) (reader.Method, error) { return t.methods[frame], nil }
	b.told = func(at flame.Box) (class, title string) { return t.describeBox(at, source.unit) }
	p.Zoomed = b.zoomPath()
	for _, s := range sources {
		if s.name != source.name {
			p.Others = append(p.Others, linkToPage(s.what, nameOfStackPair, newQuery("of", s.name)))
		}
	}
	b.drawBoxes()
	p.Methods = t.changesTable(b, source.unit)
	return p, nil
}

func (t *stackPair) changesTable(b *flameGraph, unit string) *table {
	counts := func(key, name string) column { return amountColumn(key, name, unit) }
	list := newTable(b.request, "frames", "Methods whose own share changed most", textColumn("method", "Method"),
		changeColumn, counts("self_a", "Own in A"), counts("self_b", "Own in B"),
		counts("total_a", "Total in A"), counts("total_b", "Total in B"))
	change := func(frame uint32) float64 {
		n := t.frames[frame]
		return cli.Share(n[1].Self, t.Sides[flame.Root][1]) - cli.Share(n[0].Self, t.Sides[flame.Root][0])
	}
	order := slices.SortedFunc(maps.Keys(t.frames), func(x, y uint32) int {
		return cmp.Or(cmp.Compare(math.Abs(change(y)), math.Abs(change(x))), cmp.Compare(x, y))
	})
	for _, frame := range order[:min(len(order), changesListed)] {
		n := t.frames[frame]
		cells := []cell{textCell(b.nameOfFrame(frame).full), changeCell(change(frame), t.isNoise(n[0].Self, n[1].Self))}
		if m := t.methods[frame]; m.Valid() {
			inA, inB := m, m
			if m.Store() == b.request.site.Archive {
				inB, _ = counterpart(m, b.request.site.Other) // may be the zero Method
			} else {
				inA = reader.Method{}
			}
			q, _ := pairQuery(inA, inB)
			cells[0] = linkCell(linkToPage(b.nameOfFrame(frame).full, nameOfPair, q))
		}
		for _, c := range []uint64{n[0].Self, n[1].Self, n[0].Total, n[1].Total} {
			cells = append(cells, amountCell(c, unit+"s"))
		}
		list.addTableRow(cells...)
	}
	return list.finishRows()
}

var changeColumn = column{Key: "change", Name: "Change", Unit: "percentage points", Number: true}

// changeCell returns a cell of changeColumn. A change within the sampling error has no colour.
func changeCell(change float64, noise bool) cell {
	c := numberCell(changeSign(change)+strings.TrimSuffix(finePercent(math.Abs(change)), "%"), change)
	if !noise {
		c.Class = changeClass(change)
	}
	return c
}

func pairStacks(ctx context.Context, s *Site, source stackSource, p *Progress) (*stackPair, error) {
	a, errA := source.read(ctx, s.Archive, p)
	b, errB := source.read(ctx, s.Other, p)
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err
	}
	sizeA, errA := compare.SampleSizeOf(ctx, s.Archive)
	sizeB, errB := compare.SampleSizeOf(ctx, s.Other)
	if err := cmp.Or(errA, errB); err != nil {
		return nil, err
	}
	f := &frameNumbers{stores: [2]*reader.Store{s.Archive, s.Other}, methods: make([]reader.Method, 1)}
	pair := &stackPair{Pair: flame.NewPair(a, b, f.numberInPair), methods: f.methods, frames: map[uint32]*[2]flame.Count{}}
	for side, t := range []*flame.Tree{a, b} {
		for _, c := range t.Frames(flame.Root) {
			number := f.numberInPair(side, c.Frame)
			if pair.frames[number] == nil {
				pair.frames[number] = new([2]flame.Count)
			}
			pair.frames[number][side] = c
		}
	}
	pair.addSamples(sizeA, sizeB)
	return pair, f.err
}

// addSamples prepares isNoise.
func (t *stackPair) addSamples(a, b compare.SampleSize) {
	t.sampled = a.Samples > 0 && b.Samples > 0
	if !t.sampled {
		return
	}
	t.samples = sampling.Pair{N: a.Samples, M: b.Samples}
	for i, n := range t.Sides {
		if i != flame.Root {
			t.samples.Add(t.shares(n[0], n[1]))
		}
	}
	t.level = t.samples.Level()
}

func (t *stackPair) shares(a, b uint64) (ofA, ofB float64) {
	whole := t.Sides[flame.Root]
	return cli.Share(a, whole[0]), cli.Share(b, whole[1])
}

// isNoise reports whether the sampling error explains the difference of two counts.
func (t *stackPair) isNoise(a, b uint64) bool {
	ofA, ofB := t.shares(a, b)
	return t.sampled && t.samples.Change(ofA, ofB, t.level).HasZero()
}

func (t *stackPair) describeBox(at flame.Box, unit string) (class, title string) {
	if at.Merged > 0 {
		return "", "too narrow to be told apart"
	}
	n := t.Sides[at.Node]
	whole := t.Sides[flame.Root]
	change := t.Change(at.Node)
	title = fmt.Sprintf("A: %s, %s\nB: %s, %s\n%s%.2f percentage points", amountText(n[0], unit),
		percentText(cli.Share(n[0], whole[0])), amountText(n[1], unit), percentText(cli.Share(n[1], whole[1])),
		changeSign(change), 100*math.Abs(change))
	step := 0
	for _, least := range []float64{1e-3, 1e-2, 3e-2, 0.1} {
		if math.Abs(change) >= least {
			step++
		}
	}
	if step > 0 && t.isNoise(n[0], n[1]) {
		return "grew by-0", title + ", within the sampling error"
	}
	if change < 0 {
		return fmt.Sprintf("shrank by-%d", step), title
	}
	return fmt.Sprintf("grew by-%d", step), title
}

// A frameNumbers numbers the methods of both archives. Methods with the same key have the same number. It keeps the
// first error.
type frameNumbers struct {
	stores  [2]*reader.Store
	methods []reader.Method
	known   [2]map[uint32]uint32 // number by side and frame
	err     error
}

func (f *frameNumbers) numberInPair(side int, frame uint32) uint32 {
	if f.known[side] == nil {
		f.known[side] = map[uint32]uint32{}
	}
	number, ok := f.known[side][frame]
	if !ok {
		number = f.numberNamed(side, frame)
		f.known[side][frame] = number
	}
	return number
}

func (f *frameNumbers) numberNamed(side int, frame uint32) uint32 {
	var m reader.Method
	if frame != noMethod {
		var err error
		m, err = f.stores[side].MethodAt(layout.Ref(frame))
		f.err = cmp.Or(f.err, err)
	}
	if side == 1 {
		if !m.Valid() {
			return f.numberInPair(0, noMethod)
		}
		if inA, err := counterpart(m, f.stores[0]); err == nil {
			return f.numberInPair(0, frameOfMethod(inA))
		}
	}
	f.methods = append(f.methods, m)
	return uint32(len(f.methods) - 1)
}
