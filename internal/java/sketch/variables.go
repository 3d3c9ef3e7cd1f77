package sketch

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/java/bytecode"
)

// The definitions that reach a use identify a local variable, because a compiler may use one local for several
// variables in turn. A node is the value of a local at the start of a block, or a definition.

// maxNodes limits blocks times locals, maxSteps the search for definitions, and maxRounds the passes of data flow.
const (
	maxNodes  = 1 << 20
	maxSteps  = 1 << 22
	maxRounds = 64
)

type variables struct {
	g       *graph
	locals  int
	live    []bool        // whether each local is used before it is set, by block and local
	from    map[int][]int // possible origins of each node at the start of a block
	used    []int         // node that each instruction loads, -1 if it loads no local
	defined []int         // instruction of each definition
	last    []int         // latest definition of each local in textual order
	reached map[int][]int // result of reaching for each node
	steps   int           // total steps of reaching
}

func isLoad(op byte) bool  { return op >= bytecode.ILoad && op <= bytecode.ALoad }
func isStore(op byte) bool { return op >= bytecode.IStore && op <= bytecode.AStore }

func isWideAccess(op byte) bool {
	return op == bytecode.LLoad || op == bytecode.DLoad || op == bytecode.LStore || op == bytecode.DStore
}

func findVariables(g *graph) (v *variables, ok bool) {
	v = &variables{g: g}
	for i := range g.code {
		v.locals = max(v.locals, g.code[i].Local+1)
	}
	if v.locals*len(g.blocks) > maxNodes || !v.findLive() {
		return nil, false
	}
	v.from = map[int][]int{}
	v.reached = map[int][]int{}
	v.used = make([]int, len(g.code))
	v.last = make([]int, v.locals)
	for local := range v.last {
		v.last[local] = local // value at entry of the method
	}
	for b := range g.blocks {
		v.linkNodes(b)
	}
	return v, true
}

// findLive computes live by backward passes over the blocks until nothing changes.
func (v *variables) findLive() bool {
	v.live = make([]bool, v.locals*len(v.g.blocks))
	out := make([]bool, v.locals)
	for range maxRounds {
		changed := false
		for b := len(v.g.blocks) - 1; b >= 0; b-- {
			clear(out)
			for _, to := range v.g.blocks[b].To {
				for local, live := range v.live[to*v.locals:][:v.locals] {
					out[local] = out[local] || live
				}
			}
			for i := v.g.blocks[b].End - 1; i >= v.g.blocks[b].First; i-- {
				switch in := &v.g.code[i]; {
				case isStore(in.Op):
					out[in.Local] = false
				case isLoad(in.Op), in.Op == bytecode.IInc:
					out[in.Local] = true
				}
			}
			for local, live := range out {
				if live && !v.live[b*v.locals+local] {
					v.live[b*v.locals+local], changed = true, true
				}
			}
		}
		if !changed {
			return true
		}
	}
	return false
}

func (v *variables) linkNodes(b int) {
	now := make([]int, v.locals)
	for local := range now {
		now[local] = b*v.locals + local
		if v.g.blocks[b].Handler && v.live[now[local]] {
			v.from[now[local]] = append(v.from[now[local]], v.last[local]) // value in the try block
		}
	}
	for i := v.g.blocks[b].First; i < v.g.blocks[b].End; i++ {
		v.used[i] = -1
		in := &v.g.code[i]
		if isLoad(in.Op) || in.Op == bytecode.IInc {
			v.used[i] = now[in.Local]
		}
		if isStore(in.Op) || in.Op == bytecode.IInc {
			v.defined = append(v.defined, i)
			now[in.Local] = v.firstDefinition() + len(v.defined) - 1
			v.last[in.Local] = now[in.Local]
		}
	}
	for _, to := range v.g.blocks[b].To {
		for local, n := range now {
			if start := to*v.locals + local; v.live[start] && n != start {
				v.from[start] = append(v.from[start], n)
			}
		}
	}
}

func (v *variables) firstDefinition() int { return v.locals * len(v.g.blocks) }

// reaching returns the definitions that reach a node: instructions, or -1-local for a local's value at entry.
func (v *variables) reaching(node int) (all []int) {
	if known, ok := v.reached[node]; ok {
		return known
	}
	seen := map[int]bool{node: true}
	work := []int{node}
	for ; len(work) > 0 && v.steps < maxSteps; v.steps++ {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n >= v.firstDefinition() {
			all = append(all, v.defined[n-v.firstDefinition()])
			continue
		}
		if n < v.locals {
			all = append(all, -1-n)
		}
		for _, from := range v.from[n] {
			if !seen[from] {
				seen[from] = true
				work = append(work, from)
			}
		}
	}
	v.reached[node] = all
	return all
}

// identifyVariables computes an identity for the value that each use of a local variable loads. It combines the
// expressions of the definitions that reach the use, and the index of a parameter. Variables in these expressions are
// expanded once, without further variables.
func identifyVariables(g *graph, v *variables) (identity func(node int) uint64, ok bool) {
	identity = func(int) uint64 { return 0 }
	for range 2 {
		r := newRun(g, v, identity)
		if !r.runBlocks() {
			return nil, false
		}
		known := map[int]uint64{}
		identity = func(node int) uint64 {
			id, ok := known[node]
			if !ok {
				id = v.byDefinitions(node, r.sets)
				known[node] = id
			}
			return id
		}
	}
	return identity, v.steps < maxSteps
}

func (v *variables) byDefinitions(node int, sets map[int]value) uint64 {
	var all []uint64
	for _, i := range v.reaching(node) {
		if i < 0 {
			all = append(all, uint64(-i))
		} else {
			all = append(all, sets[i].full)
		}
	}
	return inNoOrder(all)
}

// A value is an expression on the operand stack, as hashes of its normal form.
type value struct {
	root     uint64 // hash of operator and name
	shape    uint64 // hash of the expression without identities of local variables
	full     uint64 // hash of the whole expression
	wide     bool   // long or double, which takes two slots
	constant *int64 // value of an integral constant
	compared *comparison
	// unstable reports whether the value depends on names or numbers that the compiler invents.
	unstable bool
	// passing reports whether the value may change later, because it comes from the heap or from a call.
	passing bool
}

type comparison struct {
	op          byte
	left, right value
}

// seed is the initial value of hashes.
const seed = 0x9e3779b97f4a7c15

func hashStep(h, n uint64) uint64 {
	h = (h ^ n) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>29) * 0x94d049bb133111eb
	return h ^ h>>32
}

func hashNumbers(numbers ...uint64) uint64 {
	h := uint64(seed)
	for _, n := range numbers {
		h = hashStep(h, n)
	}
	return h
}

func operatorValue(op byte, name uint64, operands ...value) value {
	v := value{root: hashNumbers(uint64(op), name)}
	v.shape, v.full = hashStep(seed, v.root), hashStep(seed, v.root)
	for i := range operands {
		v.shape, v.full = hashStep(v.shape, operands[i].shape), hashStep(v.full, operands[i].full)
		v.unstable = v.unstable || operands[i].unstable
		v.passing = v.passing || operands[i].passing
	}
	return v
}

const noName = 0

func constantValue(text string) value { return operatorValue(bytecode.Ldc, xxhash.Sum64String(text)) }

func unorderedValue(op byte, a, b value) value {
	root := hashNumbers(uint64(op))
	return value{root: root, shape: hashNumbers(root, min(a.shape, b.shape), max(a.shape, b.shape)),
		full: hashNumbers(root, min(a.full, b.full), max(a.full, b.full)), unstable: a.unstable || b.unstable,
		passing: a.passing || b.passing}
}

type arm struct {
	value
	under control
}

type control struct{ shape, full uint64 }

func joinValues(arms []arm) value {
	if !slices.ContainsFunc(arms, func(a arm) bool { return a.full != arms[0].full }) {
		return arms[0].value
	}
	v := value{root: hashNumbers(uint64(len(arms))), wide: arms[0].wide}
	var shapes, fulls []uint64
	for _, a := range arms {
		shapes = append(shapes, hashNumbers(a.shape, a.under.shape))
		fulls = append(fulls, hashNumbers(a.full, a.under.full))
		v.unstable = v.unstable || a.unstable
		v.passing = v.passing || a.passing
	}
	v.shape, v.full = inNoOrder(shapes), inNoOrder(fulls)
	return v
}

func inNoOrder(numbers []uint64) uint64 {
	slices.Sort(numbers)
	return hashNumbers(numbers...)
}

type condition struct {
	shape, full uint64
	inverse     bool // branch is taken if the relation does not hold
	unknown     bool // indistinguishable from its opposite
	unstable    bool
}

// Relations.
const (
	equal = 1
	less  = 2
)

func equality(a, b value, inverse bool) condition {
	e := unorderedValue(equal, a, b)
	return condition{shape: e.shape, full: e.full, inverse: inverse, unstable: e.unstable}
}

func lessThan(nan byte, a, b value, inverse bool) condition {
	if nan == integral && a.constant != nil && b.constant == nil && *a.constant < 1<<62 {
		a, b, inverse = b, integerValue(*a.constant+1, a.wide), !inverse // c < x equals !(x < c+1)
	}
	c := condition{
		shape: hashNumbers(less, uint64(nan), a.shape, b.shape), full: hashNumbers(less, uint64(nan), a.full, b.full),
		inverse: inverse, unstable: a.unstable || b.unstable, unknown: a.full == b.full}
	if a.shape == b.shape { // the shape would not distinguish a < b from b < a
		c.shape = c.full
	}
	return c
}

func (c condition) controlOf(taken bool) control {
	side := uint64(cmp.Compare(oneIfTrue(taken != c.inverse), 0))
	return control{hashNumbers(c.shape, side), hashNumbers(c.full, side)}
}

func oneIfTrue(b bool) int {
	if b {
		return 1
	}
	return 0
}
