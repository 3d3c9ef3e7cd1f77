package sketch

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/names/javanames"
)

// Opcodes that end a block.
const (
	iReturn = 172
	aThrow  = 191
)

// A Block is a sequence of bytecodes that control enters at the first and leaves after the last.
type Block struct {
	First, End int // range of instructions
	// To lists the successors. A branch has its target and then the next block. A switch has its default and then its
	// cases. A block that leaves the method has none.
	To []int
	// Throws reports whether the block ends with athrow, Handler whether no block leads to it.
	Throws, Handler bool
}

type graph struct {
	code    []bytecode.Instruction
	names   []uint64 // hash of the name in each instruction
	effects []string // values that each instruction pops and pushes
	blocks  []Block
	stores  bool // method writes elements of arrays
	puts    bool // method writes fields
}

// newGraph splits code into blocks. ok is false for a target inside a bytecode, an open end, or subroutines.
func newGraph(code []bytecode.Instruction) (g *graph, ok bool) {
	g = &graph{code: code}
	starts, ok := blockStarts(code)
	if !ok {
		return nil, false
	}
	for i := range code {
		if starts[i] {
			g.blocks = append(g.blocks, Block{First: i})
		}
		g.blocks[len(g.blocks)-1].End = i + 1
	}
	for b := range g.blocks {
		if !g.linkBlock(b) {
			return nil, false
		}
	}
	g.findHandlers()
	g.names = make([]uint64, len(code))
	g.effects = make([]string, len(code))
	for i := range code {
		g.names[i], g.effects[i] = nameHash(&code[i]), effectOf(&code[i])
		g.stores = g.stores || code[i].Op > aStore3 && code[i].Op <= saStore
		g.puts = g.puts || code[i].Op == bytecode.PutField || code[i].Op == bytecode.PutStatic
	}
	return g, true
}

// mayChange reports whether a second execution of a bytecode with the same operands can have another result. It ignores
// that a call may write what the method reads.
func (g *graph) mayChange(op byte) bool {
	switch {
	case op >= iALoad && op <= saLoad:
		return g.stores
	case op == bytecode.GetField, op == bytecode.GetStatic:
		return g.puts
	}
	return op >= bytecode.InvokeVirtual && op <= bytecode.InvokeDynamic || op >= bytecode.New && op < arrayLength ||
		op == bytecode.MultiANewArray
}

func nameHash(in *bytecode.Instruction) uint64 {
	switch {
	case in.Op == bytecode.NewArray:
		return uint64(in.Value)
	case in.Name == bytecode.Name{}:
		return noName
	}
	return hashNumbers(xxhash.Sum64String(in.Name.Class), xxhash.Sum64String(in.Name.Name),
		xxhash.Sum64String(in.Name.Descriptor))
}

func instructionAt(code []bytecode.Instruction, bci int) (i int, ok bool) {
	return slices.BinarySearchFunc(code, bci, func(i bytecode.Instruction, bci int) int { return i.Bci - bci })
}

func blockStarts(code []bytecode.Instruction) (starts []bool, ok bool) {
	starts = make([]bool, len(code)+1)
	starts[0] = true
	for i := range code {
		if code[i].Op == bytecode.Jsr || code[i].Op == bytecode.Ret {
			return nil, false
		}
		for _, bci := range code[i].Targets {
			target, ok := instructionAt(code, bci)
			if !ok {
				return nil, false
			}
			starts[target] = true
		}
		if len(code[i].Targets) > 0 || endsBlock(code[i].Op) {
			starts[i+1] = true
		}
	}
	return starts, len(code) > 0
}

func endsBlock(op byte) bool {
	return op == bytecode.Goto || op == bytecode.TableSwitch || op == bytecode.LookupSwitch ||
		op >= iReturn && op <= bytecode.Return || op == aThrow
}

func (g *graph) blockAt(i int) int {
	b, _ := slices.BinarySearchFunc(g.blocks, i, func(b Block, i int) int { return b.First - i })
	return b
}

func (g *graph) linkBlock(b int) (ok bool) {
	from := &g.blocks[b]
	last := &g.code[from.End-1]
	from.Throws = last.Op == aThrow
	for _, bci := range last.Targets {
		i, _ := instructionAt(g.code, bci)
		from.To = append(from.To, g.blockAt(i))
	}
	if !endsBlock(last.Op) {
		from.To = append(from.To, b+1)
		if b+1 == len(g.blocks) {
			return false
		}
	}
	return true
}

func (g *graph) findHandlers() {
	reached := make([]bool, len(g.blocks))
	var work []int
	for b := range g.blocks {
		if reached[b] {
			continue
		}
		g.blocks[b].Handler = b > 0
		reached[b] = true
		for work = append(work, b); len(work) > 0; {
			top := work[len(work)-1]
			work = work[:len(work)-1]
			for _, to := range g.blocks[top].To {
				if !reached[to] {
					reached[to] = true
					work = append(work, to)
				}
			}
		}
	}
}

// Further opcodes.
const (
	iALoad, aALoad     = 46, 50
	saLoad             = 53
	aStore3, saStore   = 78, 86
	pop, pop2          = 87, 88
	dup, dup2X2        = 89, 94
	swap               = 95
	iAdd, dMul         = 96, 107
	sub, firstDiv      = 100, 104
	iAnd, lXor         = 126, 131
	lCmp               = 148
	fCmpL, fCmpG       = 149, 150
	dCmpL, dCmpG       = 151, 152
	ifICmpEq, ifACmpNe = 159, 166
	arrayLength        = 190
)

// effects has the values that bytecodes pop and push, by opcode. J and D take two slots.
var effects = func() (table [202]string) {
	set := func(from int, list ...string) { copy(table[from:], list) }
	set(0, ">", ">A")
	set(bytecode.LConst0, ">J", ">J", ">F", ">F", ">F", ">D", ">D")
	set(bytecode.SiPush, ">I")
	set(iALoad, "AI>I", "AI>J", "AI>F", "AI>D", "AI>A", "AI>I", "AI>I", "AI>I")
	set(79, "AII>", "AIJ>", "AIF>", "AID>", "AIA>", "AII>", "AII>", "AII>")
	for op := iAdd; op < 116; op += 4 {
		set(op, "II>I", "JJ>J", "FF>F", "DD>D")
	}
	set(116, "I>I", "J>J", "F>F", "D>D")
	set(120, "II>I", "JI>J", "II>I", "JI>J", "II>I", "JI>J", "II>I", "JJ>J", "II>I", "JJ>J", "II>I", "JJ>J")
	set(133, "I>J", "I>F", "I>D", "J>I", "J>F", "J>D", "F>I", "F>J", "F>D", "D>I", "D>J", "D>F", "I>I", "I>I", "I>I")
	set(lCmp, "JJ>I", "FF>I", "FF>I", "DD>I", "DD>I")
	set(bytecode.IfEq, "I>", "I>", "I>", "I>", "I>", "I>", "II>", "II>", "II>", "II>", "II>", "II>", "AA>", "AA>", ">")
	set(bytecode.TableSwitch, "I>", "I>", "I>", "J>", "F>", "D>", "A>", ">")
	set(bytecode.New, ">A", "I>A", "I>A", "A>I", "A>", "A>A", "A>I", "A>", "A>")
	set(bytecode.IfNull, "A>", "A>")
	return table
}()

// effectOf returns the values that a bytecode pops and pushes, "" for bytecodes that only move values.
func effectOf(in *bytecode.Instruction) string {
	descriptor := in.Name.Descriptor
	switch op := in.Op; {
	case op == bytecode.GetStatic:
		return ">" + valueKind(descriptor)
	case op == bytecode.PutStatic:
		return valueKind(descriptor) + ">"
	case op == bytecode.GetField:
		return "A>" + valueKind(descriptor)
	case op == bytecode.PutField:
		return "A" + valueKind(descriptor) + ">"
	case op == bytecode.InvokeStatic, op == bytecode.InvokeDynamic:
		return callEffect(descriptor)
	case op >= bytecode.InvokeVirtual && op <= bytecode.InvokeInterface:
		return "A" + callEffect(descriptor)
	case op == bytecode.MultiANewArray:
		return strings.Repeat("I", int(in.Value)) + ">A"
	case op == bytecode.Ldc, op == bytecode.LdcW:
		return ">A"
	case op == bytecode.Ldc2W:
		return ">J"
	case int(op) < len(effects):
		return effects[op]
	}
	return ""
}

func valueKind(descriptor string) string {
	switch {
	case descriptor == "" || descriptor[0] == 'V':
		return ""
	case javanames.IsReference(descriptor):
		return "A"
	case strings.IndexByte("JDF", descriptor[0]) >= 0:
		return descriptor[:1]
	}
	return "I"
}

// maxArguments is the maximum number of arguments of a call.
const maxArguments = 255

func callEffect(descriptor string) string {
	var b strings.Builder
	rest := strings.TrimPrefix(descriptor, "(")
	for rest != "" && rest[0] != ')' {
		if b.Len() > maxArguments {
			return ""
		}
		var argument string
		argument, rest = javanames.CutType(rest)
		b.WriteString(valueKind(argument))
	}
	return b.String() + ">" + valueKind(strings.TrimPrefix(rest, ")"))
}

// Blocks returns the control flow of code without exceptions; ok is false if the code is malformed.
func Blocks(code []bytecode.Instruction) (blocks []Block, ok bool) {
	g, ok := newGraph(code)
	if !ok {
		return nil, false
	}
	return g.blocks, true
}
