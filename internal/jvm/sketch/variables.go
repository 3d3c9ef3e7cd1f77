package sketch

import (
	"github.com/profarc/profarc/internal/jvm/bytecode"
)

// Variables are webs of definitions and uses of local variables that data flow
// connects: what a compiler keeps in one number in turn are several variables.
// A node is the value that a number has at the start of a block, or a definition;
// nodes of one variable are united.

// maxNodes bounds blocks times local variables, maxRounds the passes of data flow:
// methods that a compiler makes are far below.
const (
	maxNodes  = 1 << 20
	maxRounds = 64
)

// variables are the variables of a method.
type variables struct {
	g       *graph
	locals  int
	live    []bool  // by block and local: used before it is set
	parent  []int   // of nodes; a root is its own
	used    []int   // by instruction: the node that it loads, -1 for none
	defined []int   // by instruction: the node that it defines, -1 for none
	last    []int   // by local: the definition before an instruction, in textual order
	first   []int32 // by root: the first instruction that defines it, -1-local of what enters the method
}

func loads(op byte) bool  { return op >= bytecode.ILoad && op <= bytecode.ALoad }
func stores(op byte) bool { return op >= bytecode.IStore && op <= bytecode.AStore }

// wide reports whether a load or store is of a long or double.
func wide(op byte) bool {
	return op == bytecode.LLoad || op == bytecode.DLoad || op == bytecode.LStore || op == bytecode.DStore
}

// findVariables finds the variables of a method. ok is false if it has too many.
func findVariables(g *graph) (v *variables, ok bool) {
	v = &variables{g: g}
	for i := range g.code {
		v.locals = max(v.locals, g.code[i].Local+1)
	}
	if v.locals*len(g.blocks) > maxNodes || !v.findLive() {
		return nil, false
	}
	v.parent = make([]int, v.locals*len(g.blocks))
	for n := range v.parent {
		v.parent[n] = n
	}
	v.used, v.defined, v.last = make([]int, len(g.code)), make([]int, len(g.code)), make([]int, v.locals)
	for local := range v.last {
		v.last[local] = local // as the method is entered
	}
	for b := range g.blocks {
		v.connect(b)
	}
	v.findFirst()
	return v, true
}

// findLive goes backwards through the blocks until nothing changes.
func (v *variables) findLive() bool {
	v.live = make([]bool, v.locals*len(v.g.blocks))
	out := make([]bool, v.locals)
	for range maxRounds {
		changed := false
		for b := len(v.g.blocks) - 1; b >= 0; b-- {
			clear(out)
			for _, to := range v.g.blocks[b].to {
				for local, live := range v.live[to*v.locals:][:v.locals] {
					out[local] = out[local] || live
				}
			}
			for i := v.g.blocks[b].end - 1; i >= v.g.blocks[b].first; i-- {
				switch in := &v.g.code[i]; {
				case stores(in.Op):
					out[in.Local] = false
				case loads(in.Op), in.Op == bytecode.IInc:
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

// connect goes through a block, and unites what its end and the starts of the
// blocks behind it have in common.
func (v *variables) connect(b int) {
	now := make([]int, v.locals)
	for local := range now {
		now[local] = b*v.locals + local
		if v.g.blocks[b].handler && v.live[now[local]] {
			v.unite(now[local], v.last[local]) // the try block had it
		}
	}
	for i := v.g.blocks[b].first; i < v.g.blocks[b].end; i++ {
		v.used[i], v.defined[i] = -1, -1
		in := &v.g.code[i]
		if loads(in.Op) || in.Op == bytecode.IInc {
			v.used[i] = now[in.Local]
		}
		if stores(in.Op) || in.Op == bytecode.IInc {
			v.parent = append(v.parent, len(v.parent))
			v.defined[i] = len(v.parent) - 1
			if in.Op == bytecode.IInc {
				v.unite(v.defined[i], v.used[i])
			}
			now[in.Local], v.last[in.Local] = v.defined[i], v.defined[i]
		}
	}
	for _, to := range v.g.blocks[b].to {
		for local, n := range now {
			if v.live[to*v.locals+local] {
				v.unite(to*v.locals+local, n)
			}
		}
	}
}

func (v *variables) root(n int) int {
	for v.parent[n] != n {
		v.parent[n] = v.parent[v.parent[n]]
		n = v.parent[n]
	}
	return n
}

func (v *variables) unite(a, b int) {
	a, b = v.root(a), v.root(b)
	v.parent[max(a, b)] = min(a, b)
}

// findFirst finds the first definition of each variable.
func (v *variables) findFirst() {
	v.first = make([]int32, len(v.parent))
	for i := len(v.defined) - 1; i >= 0; i-- {
		if v.defined[i] >= 0 {
			v.first[v.root(v.defined[i])] = int32(i)
		}
	}
	for local := range v.locals {
		if v.live[local] { // the number has a value as the method is entered
			v.first[v.root(local)] = int32(-1 - local)
		}
	}
}

// variable is the variable of a node: the number of its root.
func (v *variables) variable(node int) int { return v.root(node) }
