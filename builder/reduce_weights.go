package builder

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Weights says how the counts of an archive are spread over its methods. The
// weight of a method is the sum of its invocations and of all counts of its
// data entries, over all contexts and versions of its code; type checks that
// failed, which are counted down, are no part of it. Sums stop at 2^64-1.
//
// LLVM calls functions hot or warm that it has no counts of: these have no
// weight.
type Weights struct {
	methods []weighed // that have a weight: the heaviest first, equal ones by key
	marked  []layout.Narrow
	total   wide
}

type weighed struct {
	method layout.Narrow
	weight uint64
}

// WeighMethods weighs all methods of an archive.
func WeighMethods(s *reader.Store) (*Weights, error) { return weighMethods(s, nil) }

// weighMethods weighs the methods that may stay, all if that is nil.
func weighMethods(s *reader.Store, may func(layout.Key) bool) (*Weights, error) {
	w := &Weights{}
	scale := scaleOf(s.Header())
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		if stays, err := allowed(m, may); !stays {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := w.add(scale, m); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(w.methods, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	return w, nil
}

func (w *Weights) add(scale scale, m reader.Method) error {
	n, marked := uint64(0), false
	for p, err := range m.Profiles() {
		if err != nil {
			return err
		}
		n = layout.SaturatingAdd(n, scale.weight(p))
		marked = marked || scale.marks(p)
	}
	if n > 0 {
		w.methods = append(w.methods, weighed{m.Ref(), n})
		w.total = w.total.plus(n)
	}
	if marked {
		w.marked = append(w.marked, m.Ref())
	}
	return nil
}

func allowed(m reader.Method, may func(layout.Key) bool) (bool, error) {
	if may == nil {
		return true, nil
	}
	k, err := m.Key()
	return err == nil && may(k), err
}

// A scale weighs the profiles of an archive.
type scale struct {
	shape layout.Shape
	llvm  bool
}

func scaleOf(h *layout.Header) scale { return scale{h.Params.Shape(), h.Domain.LLVM()} }

// weight is what a profile adds to the weight of its method.
func (s scale) weight(p reader.Profile) (sum uint64) {
	if s.marks(p) {
		return 0
	}
	if n, ok := p.Invocations(); ok {
		sum = n.Trained()
	}
	for e := range p.Entries() {
		raw := e.Raw()
		signed := raw.SignedCounts()
		s.shape.Counts(raw, func(cell int) bool {
			if n := raw.Cell(cell); !signed || int64(n) > 0 {
				sum = layout.SaturatingAdd(sum, n)
			}
			return true
		})
	}
	return sum
}

// marks reports whether the first counter of LLVM stands for hot or warm.
func (s scale) marks(p reader.Profile) bool {
	if !s.llvm {
		return false
	}
	for e := range p.Entries() {
		if e.Tag() == layout.TagCounters {
			return e.Cells() > 0 && e.Raw().Cell(0) > llvmMax
		}
	}
	return false
}

// Methods is the number of methods that have a weight.
func (w *Weights) Methods() int { return len(w.methods) }

// Needed is the number of methods that together have a part of all counts, of
// which One is all; it takes the heaviest and no more than needed. Least is the
// weight of the last of them, 0 if none is needed.
func (w *Weights) Needed(part Weight) (methods int, least uint64) {
	methods = needed(len(w.methods), func(i int) uint64 { return w.methods[i].weight }, w.total, part)
	if methods > 0 {
		least = w.methods[methods-1].weight
	}
	return methods, least
}

// needed is how many of n weights, the heaviest first, make a part of a total.
func needed(n int, weight func(i int) uint64, total wide, part Weight) (taken int) {
	var sum wide
	for taken < n && sum.times(One).less(total.times(part)) {
		sum = sum.plus(weight(taken))
		taken++
	}
	return taken
}

func (w wide) plus(n uint64) wide {
	low, carry := bits.Add64(w.low, n, 0)
	return wide{w.high + carry, low}
}

// times is the product with a weight of at most One, which fits as long as the
// sum is one of fewer than 2^34 numbers: more records no archive can hold.
func (w wide) times(by Weight) wide {
	high, low := bits.Mul64(w.low, uint64(by))
	return wide{w.high*uint64(by) + high, low}
}

func (w wide) less(v wide) bool { return w.high < v.high || w.high == v.high && w.low < v.low }
