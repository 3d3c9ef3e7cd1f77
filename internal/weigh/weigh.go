// Package weigh computes how the counts of an archive are spread over its methods,
// for reducing archives and for their summaries.
package weigh

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"sort"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Weights says how the counts of an archive are spread over its methods, unit by
// unit. The weight of a method is the sum of its invocations and of all counts
// of its data entries, over all contexts and versions of its code; type checks
// that failed, which are counted down, are no part of it. Sums stop at 2^64-1.
// Of inclusive counts that stand beside one another, which are of several methods
// whose names were cut to one, the highest counts.
//
// LLVM calls functions hot or warm that it has no counts of: these have no
// weight.
type Weights struct {
	units   [layout.NumCountUnits]unitWeights
	methods int          // that have a weight in any unit
	marked  []layout.Ref // see Marked
}

// unitWeights are the weights in one unit.
type unitWeights struct {
	methods []weighed // that have a weight: the heaviest first, equal ones by key
	total   Wide
}

type weighed struct {
	method layout.Ref
	weight uint64
}

// Methods weighs all methods of an archive. The error is the reader's, or
// that of ctx.
func Methods(ctx context.Context, s *reader.Store) (*Weights, error) {
	return Selected(ctx, s, nil)
}

// Selected weighs the methods that may stay, all if that is nil.
func Selected(ctx context.Context, s *reader.Store, may func(layout.Key) bool) (*Weights, error) {
	w, steps := &Weights{}, poll.New(ctx)
	scale := ScaleOf(s.Header())
	for m, err := range s.Methods() {
		if err = cmp.Or(err, steps.Err()); err != nil {
			return nil, err
		}
		if stays, err := Allowed(m, may); !stays {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := w.add(steps, scale, m); err != nil {
			return nil, err
		}
	}
	for u := range w.units {
		err := poll.SortStable(ctx, w.units[u].methods, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *Weights) add(steps *poll.Poll, scale Scale, m reader.Method) error {
	var n Counts
	marked := false
	for p, err := range m.Profiles() {
		if err = cmp.Or(err, steps.Err()); err != nil {
			return err
		}
		n.Add(scale.Weight(p))
		marked = marked || scale.Marks(p)
	}
	if n != (Counts{}) {
		w.methods++
	}
	for u, weight := range n {
		if weight > 0 {
			of := &w.units[u]
			of.methods = append(of.methods, weighed{m.Ref(), weight})
			of.total = of.total.Plus(weight)
		}
	}
	if marked {
		w.marked = append(w.marked, m.Ref())
	}
	return nil
}

// Counts is a sum in each unit.
type Counts [layout.NumCountUnits]uint64

// Add adds the counts of each unit; sums stop at 2^64-1.
func (n *Counts) Add(more Counts) {
	for u := range n {
		n[u] = disk.SaturatingAdd(n[u], more[u])
	}
}

// Allowed reports whether a method may stay; may is nil if all may.
func Allowed(m reader.Method, may func(layout.Key) bool) (bool, error) {
	if may == nil {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && may(k), err
}

// A Scale weighs the profiles of an archive.
type Scale struct {
	shape disk.Shape
	llvm  bool
}

func ScaleOf(h *layout.Header) Scale { return Scale{disk.ShapeOf(&h.Params), h.Domain.LLVM()} }

// Weight is what a profile adds to the weights of its method.
func (s Scale) Weight(p reader.Profile) (sum Counts) {
	if s.Marks(p) {
		return sum
	}
	if n, ok := p.Invocations(); ok {
		sum[layout.UnitExecutions] = n.Trained()
	}
	var inclusive [2]uint64 // the highest: marked as interpreted, and not
	for e := range p.Entries() {
		raw := disk.Entry(e.Bytes())
		signed, unit := raw.SignedCount(), raw.CountUnit()
		if unit.Inclusive() {
			marked := e.Flags() & layout.EntryInterpreted / layout.EntryInterpreted
			inclusive[marked] = max(inclusive[marked], raw.Cell(0))
			sum[unit] = disk.SaturatingAdd(inclusive[0], inclusive[1])
			continue
		}
		for cell := range s.shape.Counts(raw) {
			if n := raw.Cell(cell); !signed || int64(n) > 0 {
				sum[unit] = disk.SaturatingAdd(sum[unit], n)
			}
		}
	}
	return sum
}

// Marks reports whether the first counter of LLVM stands for hot or warm.
func (s Scale) Marks(p reader.Profile) bool {
	if !s.llvm {
		return false
	}
	for e := range p.Entries() {
		if e.Tag() == layout.TagCounters {
			return e.Cells() > 0 && disk.Entry(e.Bytes()).Cell(0) > disk.LLVMMaxCount
		}
	}
	return false
}

// Methods is the number of methods that have a weight in any unit.
func (w *Weights) Methods() int { return w.methods }

// Units are the units that any method has a weight in.
func (w *Weights) Units() (units []layout.CountUnit) {
	for u := range layout.NumCountUnits {
		if len(w.units[u].methods) > 0 {
			units = append(units, u)
		}
	}
	return units
}

// Total is the sum of the weights of all methods in a unit.
func (w *Weights) Total(u layout.CountUnit) Wide { return w.units[u].total }

// Marked are the methods that LLVM calls hot or warm.
func (w *Weights) Marked() []layout.Ref { return w.marked }

// MethodsOf is the number of methods that have a weight in a unit.
func (w *Weights) MethodsOf(u layout.CountUnit) int { return len(w.units[u].methods) }

// Needed is the number of methods that together have a part of all counts of a
// unit, of which One is all; it takes the heaviest and no more than needed. Of an
// inclusive unit it is the number of those of which each has at least the rest
// of layout.WeightOne, as a part of the heaviest: 99% takes all that have 1% of it. Least is
// the weight of the last of them, 0 if none is needed.
func (w *Weights) Needed(u layout.CountUnit, part layout.Weight) (methods int, least uint64) {
	of := &w.units[u]
	weight := func(i int) uint64 { return of.methods[i].weight }
	if u.Inclusive() {
		methods = above(len(of.methods), weight, part)
	} else {
		methods = Needed(len(of.methods), weight, of.total, part)
	}
	if methods > 0 {
		least = weight(methods - 1)
	}
	return methods, least
}

// Kept is the number of methods that are needed in any unit.
func (w *Weights) Kept(part layout.Weight) int {
	if units := w.Units(); len(units) == 1 {
		n, _ := w.Needed(units[0], part)
		return n
	}
	kept := map[layout.Ref]bool{}
	w.EachNeeded(part, func(m layout.Ref) { kept[m] = true })
	return len(kept)
}

// EachNeeded calls yield with the methods that are needed in any unit, once for
// each of these units.
func (w *Weights) EachNeeded(part layout.Weight, yield func(layout.Ref)) {
	for u := range layout.NumCountUnits {
		n, _ := w.Needed(u, part)
		for _, m := range w.units[u].methods[:n] {
			yield(m.method)
		}
	}
}

// above is how many of n weights, the heaviest first, are at least the rest of a
// part, of which One is the first.
func above(n int, weight func(i int) uint64, part layout.Weight) int {
	return sort.Search(n, func(i int) bool {
		return Wide{low: weight(i)}.times(layout.WeightOne).less(Wide{low: weight(0)}.times(layout.WeightOne - part))
	})
}

// Needed is how many of n weights, the heaviest first, make a part of a total.
func Needed(n int, weight func(i int) uint64, total Wide, part layout.Weight) (taken int) {
	var sum Wide
	for taken < n && sum.times(layout.WeightOne).less(total.times(part)) {
		sum = sum.Plus(weight(taken))
		taken++
	}
	return taken
}

// Plus is the sum with a number.
func (w Wide) Plus(n uint64) Wide {
	low, carry := bits.Add64(w.low, n, 0)
	return Wide{w.high + carry, low}
}

// times is the product with a weight of at most layout.WeightOne, which fits as long as the
// sum is one of fewer than 2^34 numbers: more records no archive can hold.
func (w Wide) times(by layout.Weight) Wide {
	high, low := bits.Mul64(w.low, uint64(by))
	return Wide{w.high*uint64(by) + high, low}
}

func (w Wide) less(v Wide) bool { return w.high < v.high || w.high == v.high && w.low < v.low }

// A Wide is a sum that cannot overflow here: of 2^64 numbers at most.
type Wide struct{ high, low uint64 }

// Float is the sum, rounded.
func (w Wide) Float() float64 { return math.Ldexp(float64(w.high), 64) + float64(w.low) }
