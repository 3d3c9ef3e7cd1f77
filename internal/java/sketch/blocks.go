package sketch

import "github.com/profarc/profarc/internal/java/bytecode"

// A Block is a sequence of bytecodes that control enters at the first and leaves after the last.
type Block struct {
	First, End int // range of instructions
	// To lists the successors. A branch has its target and then the next block. A switch has its default and then its
	// cases. A block that leaves the method has none.
	To []int
	// Throws reports whether the block ends with athrow, Handler whether no block leads to it.
	Throws, Handler bool
}

// Blocks returns the control flow of code without exceptions; ok is false if the code is malformed.
func Blocks(code []bytecode.Instruction) (blocks []Block, ok bool) {
	g, ok := newGraph(code)
	if !ok {
		return nil, false
	}
	for _, b := range g.blocks {
		blocks = append(blocks, Block{First: b.first, End: b.end, To: b.to, Throws: code[b.end-1].Op == aThrow,
			Handler: b.handler})
	}
	return blocks, true
}
