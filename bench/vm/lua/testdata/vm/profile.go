//go:build go1.26

package lua

import (
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/layout"
)

// A protoProfile is what the VM executes and counts of one function.
type protoProfile struct {
	ops       []op          // indexed by program counter
	calls     *profarc.Word // nil if the function does not count
	backedges *profarc.Word // nil if the function does not count
	callee    *profarc.Type // the function as a callee
	cold      []*site       // indexed by program counter; nil for instructions without a type profile
	function  *profarc.Function
}

// An op is an instruction with its handler and its counters. A branch counts in taken and count (not taken). An operation
// with a type profile has an inline cache, which is the type that arrived last and the counter of its row.
type op struct {
	handler instFunc
	inst    uint32
	cached  *profarc.Type
	count   *profarc.Word
	taken   *profarc.Word
	target  *FunctionProto // callee that a quickened call expects
}

// A site has the type profile of an operation, and the rows that its inline cache had before.
type site struct {
	receivers profarc.Receivers
	earlier   []cacheRow
}

type cacheRow struct {
	of    *profarc.Type
	count *profarc.Word
}

// A Profiler connects the VM to a run of profarc.
type Profiler struct {
	Run     *profarc.Run
	Count   bool // functions count unless Advised says that they need not
	Advised bool // hot functions are quickened and mature ones do not count
	// Counted and Quickened are the numbers of functions set up so.
	Counted, Quickened int
	// Reasons has the advice of each function.
	Reasons []string

	kinds   [9][9]*profarc.Type
	targets map[string]*FunctionProto // functions by the name of their type; empty unless Advised

	mu    sync.Mutex
	users map[*profarc.Function]int // numbers of prototypes with equal code
}

// Types that arrive most often.
var (
	builtinType *profarc.Type // functions in Go
	numbersType *profarc.Type // numbers on both sides
	indexedType *profarc.Type // a table and a number
	tableType   *profarc.Type // a table and the name of a field
)

// profiler is the VM's profiler. Without one, functions neither count nor are quickened.
var profiler *Profiler

// Use makes p the profiler of functions that are compiled from now on.
func (p *Profiler) Use() {
	for left := range p.kinds {
		for right := range p.kinds[left] {
			p.kinds[left][right] = p.Run.Type(LValueType(left).String() + "," + LValueType(right).String())
		}
	}
	numbersType = p.kinds[LTNumber][LTNumber]
	indexedType = p.kinds[LTTable][LTNumber]
	tableType = p.kinds[LTTable][LTString]
	builtinType = p.Run.Type("builtin")
	p.targets = map[string]*FunctionProto{}
	p.users = map[*profarc.Function]int{}
	profiler = p
}

// profileChunk sets up the functions of a chunk that was just compiled.
func profileChunk(chunk *FunctionProto) {
	if profiler == nil {
		chunk.prepareTree()
		return
	}
	profiler.setUpTree(chunk, layout.Key{Class: chunk.SourceName, Name: "main"})
}

func (fp *FunctionProto) prepareTree() {
	fp.prepare()
	for _, inner := range fp.FunctionPrototypes {
		inner.prepareTree()
	}
}

// setUpTree sets up a function after the functions inside it, so that their types are loaded.
func (p *Profiler) setUpTree(fp *FunctionProto, key layout.Key) {
	ordinal := 0
	names := innerNames(fp)
	for i, inner := range fp.FunctionPrototypes {
		k := layout.Key{Class: key.Class, Name: names[i]}
		if names[i] == "" {
			k = profarc.AnonymousKey(key, ordinal)
			ordinal++
		}
		p.setUpTree(inner, k)
	}
	p.setUp(fp, key)
}

// prepare sets the plain handlers.
func (fp *FunctionProto) prepare() {
	fp.profile.ops = make([]op, len(fp.Code))
	for pc, inst := range fp.Code {
		fp.profile.ops[pc] = op{inst: inst, handler: jumpTable[OP_NOP]}
	}
	for pc := range fp.instructions {
		fp.profile.ops[pc].handler = jumpTable[fp.Code[pc]>>26]
	}
}

// instructions iterates over the instructions and skips words that are operands of the one before.
func (fp *FunctionProto) instructions(yield func(pc int, code int) bool) {
	for pc := 0; pc < len(fp.Code); pc++ {
		inst := fp.Code[pc]
		code := int(inst >> 26)
		if !yield(pc, code) {
			return
		}
		switch {
		case code == OP_CLOSURE:
			pc += int(fp.FunctionPrototypes[inst&0x3ffff].NumUpvalues)
		case code == OP_SETLIST && inst>>9&0x1ff == 0:
			pc++
		}
	}
}

// innerNames returns the names of the functions inside a function by the variables or fields to which it assigns them.
func innerNames(fp *FunctionProto) []string {
	names := make([]string, len(fp.FunctionPrototypes))
	for pc, code := range fp.instructions {
		if code == OP_CLOSURE {
			inner := int(fp.Code[pc] & 0x3ffff)
			names[inner] = fp.assigned(pc+1+int(fp.FunctionPrototypes[inner].NumUpvalues), fp.Code[pc]>>18&0xff)
		}
	}
	return names
}

// assigned returns the name of the variable or field to which the instruction at pc assigns a register, or "".
func (fp *FunctionProto) assigned(pc int, register uint32) string {
	if pc >= len(fp.Code) {
		return ""
	}
	inst := fp.Code[pc]
	switch code := int(inst >> 26); {
	case code == OP_SETGLOBAL && inst>>18&0xff == register:
		return fp.stringConstants[inst&0x3ffff]
	case code == OP_SETTABLEKS && inst>>9&0x1ff == register && inst&0x1ff&opBitRk != 0:
		return fp.localIn(inst>>18&0xff, pc) + "." + fp.stringConstants[inst&0x1ff&^opBitRk]
	}
	return fp.localIn(register, pc+1)
}

// localIn returns the name of the local variable in a register, or "".
func (fp *FunctionProto) localIn(register uint32, pc int) string {
	for _, local := range fp.DbgLocals {
		if local.StartPc < pc && pc < local.EndPc {
			if register == 0 {
				return local.Name
			}
			register--
		}
	}
	return ""
}

func codeOf(fp *FunctionProto) uint64 {
	var bytes []byte
	for _, inst := range fp.Code {
		bytes = binary.LittleEndian.AppendUint32(bytes, inst)
	}
	return profarc.CodeID(bytes)
}

// acquire returns a function, which several prototypes share if evals compile the same text.
func (p *Profiler) acquire(key layout.Key, code uint64) *profarc.Function {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.Run.Function(key, code)
	p.users[f]++
	return f
}

// release releases a function after its last prototype.
func (p *Profiler) release(f *profarc.Function) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users[f]--
	if p.users[f] == 0 {
		delete(p.users, f)
		f.Release()
	}
}

// setUp decides whether a function counts or is quickened.
func (p *Profiler) setUp(fp *FunctionProto, key layout.Key) {
	fp.prepare()
	f := p.acquire(key, codeOf(fp))
	fp.profile.function = f
	fp.profile.callee = p.Run.Type("function " + key.Class + " " + key.Name)
	if p.Advised {
		p.targets[fp.profile.callee.Name()] = fp
	}
	runtime.AddCleanup(fp, p.release, f)
	count := p.Count
	if p.Advised {
		advice := f.Advice()
		p.Reasons = append(p.Reasons, key.Name+": "+advice.Reason)
		count = count && advice.Count
		if advice.Compile && !advice.Count {
			p.Quickened++
			p.quicken(fp)
		}
	}
	if count {
		p.Counted++
		p.count(fp)
	}
}
