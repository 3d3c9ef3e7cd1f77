package listing

import (
	"math"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/schema"
)

type arrivals struct {
	count   uint64
	unknown bool // true if a branch to it has no count
}

type flow struct {
	code    []byte
	list    []Instruction
	arrived map[int]arrivals // branches by bci of their targets
	// late is set if the points of a profile begin to count after the first runs of the code, as in HotSpot.
	late bool
}

func (f *flow) deriveCounts(entered uint64, known bool) {
	f.arrived = map[int]arrivals{0: {entered, !known}}
	for i := range f.list {
		f.addArrivals(&f.list[i])
	}
	n, known := uint64(0), false
	block, seen := 0, false // start of the block, and whether it had a point yet
	for at := range f.list {
		i := &f.list[at]
		if came, is := f.arrived[i.Bci]; is {
			known = !came.unknown && (known || at == 0 || f.neverFallsThrough(at-1))
			n = schema.AddCounts(n, came.count)
			block = at
			seen = false
		}
		own, counted := executedCount(i)
		if f.late && known && n > 0 && own == 0 && !seen {
			counted = false // it ran before its points counted
		}
		if counted {
			if !seen {
				f.setBlockCounts(block, at, own)
			}
			n, known, seen = own, true, true
			i.Basis = Counted
		} else if known {
			i.Basis = Derived
		}
		if known {
			i.Count = n
		}
		n, known = f.fallThroughCount(at, n, known)
		if f.neverFallsThrough(at) || len(i.Targets) > 0 {
			block = at + 1
			seen = false
		}
	}
}

// setBlockCounts sets the counts before the first point of a block. The point is more accurate than the branches to the
// block.
func (f *flow) setBlockCounts(from, to int, n uint64) {
	for k := from; k < to; k++ {
		f.list[k].Count, f.list[k].Basis = n, Derived
	}
}

// executedCount returns the number of executions according to the points of a bytecode. ok is false if they do not
// count it. Profiles of several contexts have one point each.
func executedCount(i *Instruction) (n uint64, ok bool) {
	for _, p := range i.Points {
		if p.Executed {
			n = schema.AddCounts(n, p.Count)
			ok = true
		}
	}
	return n, ok
}

func (f *flow) neverFallsThrough(at int) bool {
	i := &f.list[at]
	switch op := f.code[i.Bci]; {
	case op >= ireturn && op <= bytecode.Return, op == athrow:
		return true
	}
	d, _ := bytecode.DecodeAt(f.code, i.Bci)
	switch d.Kind() {
	case methodcode.Jump, methodcode.Switch, methodcode.Ret:
		return true
	}
	return false
}

// Bytecodes that leave the method.
const (
	ireturn = 172
	athrow  = 191
)

func (f *flow) addArrivals(i *Instruction) {
	for k, target := range i.Targets {
		n, ok := f.sentToTarget(i, k)
		came := f.arrived[target]
		came.count = schema.AddCounts(came.count, n)
		came.unknown = came.unknown || !ok
		f.arrived[target] = came
	}
}

func (f *flow) sentToTarget(i *Instruction, k int) (n uint64, ok bool) {
	for _, p := range i.Points {
		for _, o := range p.Outcomes {
			switch {
			case o.Kind == analyze.Taken, o.Kind == analyze.Default && k == 0, o.Kind == analyze.Case && o.Index == k-1,
				o.Kind == analyze.To && *o.Target == i.Targets[k]:
				n = schema.AddCounts(n, o.Count)
			}
		}
		ok = ok || p.Executed
	}
	return n, ok
}

func (f *flow) fallThroughCount(at int, n uint64, known bool) (uint64, bool) {
	i := &f.list[at]
	switch {
	case f.neverFallsThrough(at):
		return 0, false
	case len(i.Targets) == 0:
		return n, known
	}
	n, known = 0, false
	for _, p := range i.Points {
		known = known || p.Executed
		for _, o := range p.Outcomes {
			if o.Kind == analyze.NotTaken || o.Kind == analyze.To && *o.Target != i.Targets[0] {
				n = schema.AddCounts(n, o.Count)
			}
		}
	}
	return n, known
}

// setHeat sets the heat of each element of a list. of returns the count and the heat of an element.
func setHeat[T any](list []T, of func(*T) (count uint64, heat *float64)) {
	highest := uint64(0)
	for i := range list {
		count, _ := of(&list[i])
		highest = max(highest, count)
	}
	for i := range list {
		count, heat := of(&list[i])
		*heat = Heat(count, highest)
	}
}

// Heat returns the heat of a count, from 0 for no executions to 1 for the highest count. It is logarithmic, so that
// code executed a tenth as often is still visible.
func Heat(count, highest uint64) float64 {
	if count == 0 || highest == 0 {
		return 0
	}
	return min(math.Log2(1+float64(count))/math.Log2(1+float64(highest)), 1)
}
