package sketch

import "github.com/profarc/profarc/internal/java/bytecode"

// A Block is a sequence of bytecodes that is entered at the first and left after the last.
type Block struct {
	First, End int // instructions
	// To are the blocks after it: of a branch the target and then the next, of a switch the
	// default and the cases. A block that leaves the method has none.
	To []int
	// Throws is whether it ends with athrow, Handler whether no block leads to it.
	Throws, Handler bool
}

// Blocks returns the control flow of code, without exceptions; ok is false if it is not sound.
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
