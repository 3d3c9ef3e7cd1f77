package sketch

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/jvm/bytecode"
)

// Opcodes that end a block.
const (
	iReturn = 172
	aThrow  = 191
)

// A block is a run of instructions that is entered at its first and left behind
// its last.
type block struct {
	first, end int   // instructions
	to         []int // blocks that it leads to; of a branch the one behind it comes last
	from       int   // number of edges that lead to it
	handler    bool  // nothing leads to it
}

// A graph is the control flow of a method.
type graph struct {
	code    []bytecode.Instruction
	names   []uint64 // by instruction: hash of what it names
	effects []string // by instruction: what it takes from the stack and puts on it
	blocks  []block
}

// newGraph cuts code into blocks. ok is false if it goes where no bytecode is, or
// runs over its end, or has subroutines.
func newGraph(code []bytecode.Instruction) (g *graph, ok bool) {
	g = &graph{code: code}
	starts, ok := leaders(code)
	if !ok {
		return nil, false
	}
	for i := range code {
		if starts[i] {
			g.blocks = append(g.blocks, block{first: i})
		}
		g.blocks[len(g.blocks)-1].end = i + 1
	}
	for b := range g.blocks {
		if !g.link(b) {
			return nil, false
		}
	}
	g.findHandlers()
	g.names, g.effects = make([]uint64, len(code)), make([]string, len(code))
	for i := range code {
		g.names[i], g.effects[i] = nameOf(&code[i]), effectOf(&code[i])
	}
	return g, true
}

// nameOf is a hash of what an instruction names.
func nameOf(in *bytecode.Instruction) uint64 {
	switch {
	case in.Op == bytecode.NewArray:
		return uint64(in.Value)
	case in.Name == bytecode.Name{}:
		return noName
	}
	return mix(xxhash.Sum64String(in.Name.Class), xxhash.Sum64String(in.Name.Name), xxhash.Sum64String(in.Name.Descriptor))
}

// at is the instruction at a bci.
func at(code []bytecode.Instruction, bci int) (i int, ok bool) {
	return slices.BinarySearchFunc(code, bci, func(i bytecode.Instruction, bci int) int { return i.Bci - bci })
}

// leaders are the instructions that begin blocks.
func leaders(code []bytecode.Instruction) (starts []bool, ok bool) {
	starts = make([]bool, len(code)+1)
	starts[0] = true
	for i := range code {
		if code[i].Op == bytecode.Jsr || code[i].Op == bytecode.Ret {
			return nil, false
		}
		for _, bci := range code[i].Targets {
			target, ok := at(code, bci)
			if !ok {
				return nil, false
			}
			starts[target] = true
		}
		if len(code[i].Targets) > 0 || ends(code[i].Op) {
			starts[i+1] = true
		}
	}
	return starts, len(code) > 0
}

// ends reports whether nothing follows a bytecode, its targets aside.
func ends(op byte) bool {
	return op == bytecode.Goto || op == bytecode.TableSwitch || op == bytecode.LookupSwitch || op >= iReturn && op <= bytecode.Return || op == aThrow
}

// blockAt is the block that begins with an instruction.
func (g *graph) blockAt(i int) int {
	b, _ := slices.BinarySearchFunc(g.blocks, i, func(b block, i int) int { return b.first - i })
	return b
}

// link finds out where a block leads to.
func (g *graph) link(b int) (ok bool) {
	from := &g.blocks[b]
	last := &g.code[from.end-1]
	for _, bci := range last.Targets {
		i, _ := at(g.code, bci)
		from.to = append(from.to, g.blockAt(i))
	}
	if !ends(last.Op) {
		from.to = append(from.to, b+1)
		if b+1 == len(g.blocks) {
			return false
		}
	}
	for _, to := range from.to {
		g.blocks[to].from++
	}
	return true
}

// findHandlers marks blocks that nothing leads to.
func (g *graph) findHandlers() {
	reached := make([]bool, len(g.blocks))
	var work []int
	for b := range g.blocks {
		if reached[b] {
			continue
		}
		g.blocks[b].handler = b > 0
		reached[b] = true
		for work = append(work, b); len(work) > 0; {
			top := work[len(work)-1]
			work = work[:len(work)-1]
			for _, to := range g.blocks[top].to {
				if !reached[to] {
					reached[to] = true
					work = append(work, to)
				}
			}
		}
	}
}
