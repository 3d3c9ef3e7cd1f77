package sketch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/java/bytecode"
)

type run struct {
	g        *graph
	v        *variables
	identity func(node int) uint64 // identity of the value that a use of a local variable loads

	entries  [][]arrival // edges into each block
	controls []control   // condition of each block
	stack    []value
	bad      bool

	sets   map[int]value            // expression that each instruction stores in a variable
	points func(i int, point Point) // callback for points
}

func newRun(g *graph, v *variables, identity func(node int) uint64) *run {
	return &run{g: g, v: v, sets: map[int]value{}, identity: identity}
}

type arrival struct {
	stack []value
	under control
}

// maxStack is the maximum number of values on the stack at the end of a block.
const maxStack = 256

func (r *run) runBlocks() (ok bool) {
	r.entries = make([][]arrival, len(r.g.blocks))
	r.controls = make([]control, len(r.g.blocks))
	for b := range r.g.blocks {
		r.enterBlock(b)
		at := &r.g.blocks[b]
		for i := at.First; i < at.End && !r.bad; i++ {
			r.runInstruction(b, i)
		}
		if r.bad {
			return false
		}
		if last := &r.g.code[at.End-1]; len(last.Targets) == 0 && !endsBlock(last.Op) {
			r.addArrival(b+1, r.controls[b])
		}
		r.entries[b] = nil
	}
	return true
}

func (r *run) enterBlock(b int) {
	r.stack = r.stack[:0]
	arrivals := r.entries[b]
	if r.g.blocks[b].Handler {
		r.pushValue(operatorValue(aThrow, noName))
	}
	if len(arrivals) == 0 {
		r.controls[b] = control{hashNumbers(uint64(oneIfTrue(b > 0))), hashNumbers(uint64(oneIfTrue(b > 0)))}
		return
	}
	r.controls[b] = joinControls(arrivals)
	for place := range arrivals[0].stack {
		var arms []arm
		for _, a := range arrivals {
			if len(a.stack) != len(arrivals[0].stack) {
				r.bad = true
				return
			}
			arms = append(arms, arm{a.stack[place], a.under})
		}
		r.pushValue(joinValues(arms))
	}
}

func joinControls(arrivals []arrival) control {
	if len(arrivals) == 1 {
		return arrivals[0].under
	}
	var shapes, fulls []uint64
	for _, a := range arrivals {
		shapes = append(shapes, a.under.shape)
		fulls = append(fulls, a.under.full)
	}
	return control{inNoOrder(shapes), inNoOrder(fulls)}
}

// addArrival adds an edge to a block. Back edges come too late for its stack, which compilers keep empty at loops.
func (r *run) addArrival(b int, under control) {
	r.bad = r.bad || len(r.stack) > maxStack
	r.entries[b] = append(r.entries[b], arrival{slices.Clone(r.stack), under})
}

func (r *run) pushValue(v value) { r.stack = append(r.stack, v) }

func (r *run) popValue() value {
	if len(r.stack) == 0 {
		r.bad = true
		return value{}
	}
	v := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	return v
}

func (r *run) popSlots(slots int) []value {
	from := len(r.stack)
	for ; slots > 0 && from > 0; from-- {
		slots -= 1 + oneIfTrue(r.stack[from-1].wide)
	}
	if slots != 0 {
		r.bad = true
		return nil
	}
	values := slices.Clone(r.stack[from:])
	r.stack = r.stack[:from]
	return values
}

func (r *run) runInstruction(b, i int) {
	in := &r.g.code[i]
	switch op := in.Op; {
	case isLoad(op):
		r.pushValue(r.localValue(op, i))
	case isStore(op):
		r.sets[i] = r.popValue()
	case op == bytecode.IInc:
		r.sets[i] = value{full: hashNumbers(uint64(op), uint64(in.Value)), passing: true}
	case op == pop, op == pop2:
		r.popSlots(int(op) - pop + 1)
	case op >= dup && op <= dup2X2:
		r.duplicate(int(op) - dup)
	case op == swap:
		a := r.popValue()
		c := r.popValue()
		r.stack = append(r.stack, a, c)
	default:
		r.runOperation(b, i)
	}
}

// duplicate runs dup, dup_x1, dup_x2, dup2, dup2_x1 or dup2_x2.
func (r *run) duplicate(which int) {
	top := r.popSlots(1 + which/3)
	below := r.popSlots(which % 3)
	r.stack = append(r.stack, slices.Concat(top, below, top)...)
}

// localValue returns the expression in a local variable's only definition if its value is unchanged, else an identity.
func (r *run) localValue(op byte, i int) value {
	if all := r.v.reaching(r.v.used[i]); len(all) == 1 && all[0] >= 0 {
		if set, ok := r.sets[all[0]]; ok && !set.passing && set.wide == isWideAccess(op) {
			return set
		}
	}
	v := operatorValue(op, noName)
	v.wide = isWideAccess(op)
	v.full = hashNumbers(v.full, r.identity(r.v.used[i]))
	return v
}

func (r *run) runOperation(b, i int) {
	in := &r.g.code[i]
	effect := r.g.effects[i]
	takes, puts, ok := strings.Cut(effect, ">")
	if !ok || len(takes) > len(r.stack) {
		r.bad = true
		return
	}
	operands := r.stack[len(r.stack)-len(takes):] // valid until the next push
	r.stack = r.stack[:len(r.stack)-len(takes)]
	for k := range operands {
		r.bad = r.bad || operands[k].wide != isWideKind(takes[k])
	}
	if r.bad {
		return
	}
	if len(in.Targets) > 0 {
		r.leaveBlock(b, i, operands)
		return
	}
	r.noteOperands(i, operands)
	if puts != "" {
		v := r.resultOf(i, operands)
		v.wide = isWideKind(puts[0])
		r.pushValue(v)
	}
}

func isWideKind(kind byte) bool { return kind == 'J' || kind == 'D' }

func (r *run) leaveBlock(b, i int, operands []value) {
	targets := r.g.blocks[b].To
	switch in := &r.g.code[i]; {
	case in.Op == bytecode.Goto:
		r.addArrival(targets[0], r.controls[b])
	case in.Op == bytecode.TableSwitch, in.Op == bytecode.LookupSwitch:
		r.emitPoint(i, switchPoint(in, operands[0]))
		for k, to := range targets {
			label := uint64(1) << 32 // default
			if k > 0 {
				label = uint64(uint32(in.Labels[k-1]))
			}
			v := operatorValue(in.Op, label, operands[0])
			r.addArrival(to, control{v.shape, v.full})
		}
	default:
		c := conditionOf(in.Op, operands)
		r.emitPoint(i, branchPoint(c))
		r.addArrival(targets[0], c.controlOf(true))
		r.addArrival(targets[1], c.controlOf(false))
	}
}

// isInvented reports whether a compiler invented a name, which may mean something else in the next version. Such names
// are maps from enum constants to cases of a switch, synthetic accessors, and methods that find the case of a switch
// over patterns.
func isInvented(name string) bool {
	return strings.HasPrefix(name, "$SwitchMap$") || strings.HasPrefix(name, "access$") || name == "typeSwitch" ||
		name == "enumSwitch"
}

func (r *run) resultOf(i int, operands []value) value {
	in := &r.g.code[i]
	switch op := in.Op; {
	case op == bytecode.SiPush, op == bytecode.LConst0:
		return integerValue(in.Value, op == bytecode.LConst0)
	case op == bytecode.FConst0, op == bytecode.DConst0:
		return constantValue(bytecode.DecimalText(float64(in.Value)))
	case op == bytecode.Ldc, op == bytecode.LdcW, op == bytecode.Ldc2W:
		if n, err := strconv.ParseInt(in.Name.Name, 10, 64); err == nil {
			return integerValue(n, op == bytecode.Ldc2W)
		}
		return constantValue(in.Name.Name)
	case len(operands) == 2 && (op >= iAdd && op <= dMul && (op < sub || op >= firstDiv) || op >= iAnd && op <= lXor):
		return unorderedValue(op, operands[0], operands[1])
	case op >= lCmp && op <= dCmpG:
		v := operatorValue(op, noName, operands...)
		v.compared = &comparison{op, operands[0], operands[1]}
		return v
	}
	v := operatorValue(in.Op, r.g.names[i], operands...)
	v.unstable, v.passing = v.unstable || isInvented(in.Name.Name), v.passing || r.g.mayChange(in.Op)
	return v
}

func integerValue(n int64, wide bool) value {
	v := operatorValue(bytecode.Ldc, uint64(n))
	v.constant, v.wide = &n, wide
	return v
}
