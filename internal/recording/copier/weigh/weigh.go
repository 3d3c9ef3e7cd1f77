// Package weigh computes the distribution of counts over the methods of an archive. Reductions and summaries use it.
package weigh

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"sort"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Weights holds the weight of each method in each unit. The weight of a method is the total of its invocations and of
// all counts of its data entries, over all contexts and code versions. It leaves out failed type checks, which the VM
// counts down. Weights saturate at 2^64-1. If a profile has several inclusive counts, they belong to methods whose
// names were cut to the same string, and only the highest one is used.
//
// Functions with a hot or warm mark of LLVM have no counts and no weight.
type Weights struct {
	units   [disk.NumCountUnits]unitWeights
	methods int          // number of methods with a weight in any unit
	marked  []layout.Ref // see Marked
}

type unitWeights struct {
	methods []weighed // methods with a weight, sorted by falling weight and then by key
	total   Wide
}

type weighed struct {
	method layout.Ref
	weight uint64
}

// Methods computes the weights of all methods in an archive. The error comes from the reader or from ctx.
func Methods(ctx context.Context, s *reader.Store) (*Weights, error) { return Selected(ctx, s, nil) }

// Selected computes the weights of the methods for which may returns true. A nil may selects all.
func Selected(ctx context.Context, s *reader.Store, may func(layout.Key) bool) (*Weights, error) {
	w := &Weights{}
	steps := poll.New(ctx)
	scale := ScaleOf(s)
	err := poll.Each(steps, s.Methods(), func(m reader.Method) error {
		stays, err := Allowed(m, may)
		if !stays {
			return err
		}
		return w.addMethod(steps, scale, m)
	})
	if err != nil {
		return nil, err
	}
	for u := range w.units {
		err := poll.SortStable(ctx, w.units[u].methods, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *Weights) addMethod(steps *poll.Poll, scale Scale, m reader.Method) error {
	var n Counts
	marked := false
	err := poll.Each(steps, m.Profiles(), func(p reader.Profile) error {
		n.Add(scale.Weight(p))
		marked = marked || scale.Marks(p)
		return nil
	})
	if err != nil {
		return err
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

// Counts holds a total for each unit.
type Counts [disk.NumCountUnits]uint64

// Add adds the counts of each unit, saturating at 2^64-1.
func (n *Counts) Add(more Counts) {
	for u := range n {
		n[u] = disk.SaturatingAdd(n[u], more[u])
	}
}

// Allowed reports whether may returns true for a method. A nil may allows all.
func Allowed(m reader.Method, may func(layout.Key) bool) (bool, error) {
	if may == nil {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && may(k), err
}

// A Scale computes the weights of profiles.
type Scale struct {
	shape disk.Shape
	llvm  bool
}

func ScaleOf(s *reader.Store) Scale {
	return Scale{(*mapped.Mapping)(s.Mapping()).Shape(), s.Header().Domain.LLVM()}
}

// Weight returns the share of a profile in the weights of its method.
func (s Scale) Weight(p reader.Profile) (sum Counts) {
	if s.Marks(p) {
		return sum
	}
	if n, ok := p.Invocations(); ok {
		sum[disk.UnitExecutions] = n.Trained()
	}
	var inclusive [2]uint64 // highest count of entries without and with EntryInterpreted
	for e := range p.Entries() {
		raw := disk.Entry(e.Bytes())
		signed := raw.SignedCount()
		unit := s.shape.CountUnit(raw)
		if disk.IsInclusive(unit) {
			marked := e.Flags() & disk.EntryInterpreted / disk.EntryInterpreted
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

// Marks reports whether LLVM marks the function as hot or warm.
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

// Methods returns the number of methods with a weight in any unit.
func (w *Weights) Methods() int { return w.methods }

// Units returns the units in which any method has a weight.
func (w *Weights) Units() (units []layout.CountUnit) {
	for u := range disk.NumCountUnits {
		if len(w.units[u].methods) > 0 {
			units = append(units, u)
		}
	}
	return units
}

// Total returns the total weight of all methods in a unit.
func (w *Weights) Total(u layout.CountUnit) Wide { return w.units[u].total }

// Marked returns the methods that LLVM marks as hot or warm.
func (w *Weights) Marked() []layout.Ref { return w.marked }

// MethodsOf returns the number of methods with a weight in a unit.
func (w *Weights) MethodsOf(u layout.CountUnit) int { return len(w.units[u].methods) }

// Needed returns the smallest number of methods, the heaviest first, that together have a part of all counts in a unit.
// A part of layout.WeightOne means all counts. In an inclusive unit, a part of 99% selects all methods with at least 1%
// of the weight of the heaviest. least is the weight of the last selected method, or 0 without any.
func (w *Weights) Needed(u layout.CountUnit, part layout.Weight) (methods int, least uint64) {
	of := &w.units[u]
	weight := func(i int) uint64 { return of.methods[i].weight }
	if disk.IsInclusive(u) {
		methods = above(len(of.methods), weight, part)
	} else {
		methods = Needed(len(of.methods), weight, of.total, part)
	}
	if methods > 0 {
		least = weight(methods - 1)
	}
	return methods, least
}

// Kept returns the number of methods that Needed selects in any unit.
func (w *Weights) Kept(part layout.Weight) int {
	if units := w.Units(); len(units) == 1 {
		n, _ := w.Needed(units[0], part)
		return n
	}
	kept := map[layout.Ref]bool{}
	w.EachNeeded(part, func(m layout.Ref) { kept[m] = true })
	return len(kept)
}

func (w *Weights) EachNeeded(part layout.Weight, yield func(layout.Ref)) {
	for u := range disk.NumCountUnits {
		n, _ := w.Needed(u, part)
		for _, m := range w.units[u].methods[:n] {
			yield(m.method)
		}
	}
}

// above returns the number of weights that are at least 1-part of the first weight. The n weights must descend.
func above(n int, weight func(i int) uint64, part layout.Weight) int {
	return sort.Search(n, func(i int) bool {
		return Wide{low: weight(i)}.times(layout.WeightOne).less(Wide{low: weight(0)}.times(layout.WeightOne - part))
	})
}

// Needed returns the number of weights, from the first on, that together reach a part of total. The n weights must
// descend.
func Needed(n int, weight func(i int) uint64, total Wide, part layout.Weight) (taken int) {
	var sum Wide
	for taken < n && sum.times(layout.WeightOne).less(total.times(part)) {
		sum = sum.Plus(weight(taken))
		taken++
	}
	return taken
}

func (w Wide) Plus(n uint64) Wide {
	low, carry := bits.Add64(w.low, n, 0)
	return Wide{w.high + carry, low}
}

// times returns the product with a weight of at most layout.WeightOne. It cannot overflow for a total of fewer than
// 2^34 numbers, which is more than the records of an archive.
func (w Wide) times(by layout.Weight) Wide {
	high, low := bits.Mul64(w.low, uint64(by))
	return Wide{w.high*uint64(by) + high, low}
}

func (w Wide) less(v Wide) bool { return w.high < v.high || w.high == v.high && w.low < v.low }

// A Wide is a 128-bit total of at most 2^64 numbers, which cannot overflow.
type Wide struct{ high, low uint64 }

// Float returns w, rounded to a float64.
func (w Wide) Float() float64 { return math.Ldexp(float64(w.high), 64) + float64(w.low) }
