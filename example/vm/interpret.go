package vm

import (
	"math"

	"github.com/profarc/profarc"
)

// A site is the profile of an instruction. Its counters are in the archive or in ordinary memory, which makes no
// difference to the interpreter.
type site struct {
	taken, notTaken *profarc.Word     // counters of a branch
	receivers       profarc.Receivers // type profile of other instructions
	rows            [receiverRows]row // inline cache of receivers
	heat            int               // number of slow executions in this run
}

// receiverRows is the number of classes in the profile of an instruction.
const receiverRows = 2

// A row is an inline cache with a class, its counter and its method.
type row struct {
	class  *class
	count  *profarc.Word
	target *Function // only for sends
}

// quickenAfter is the number of slow executions before an instruction is quickened. A VM waits until its profile is
// reliable, because a wrong guess costs more than a right one gains.
const quickenAfter = 200

// A VM runs a program in one goroutine. NewVM creates it.
type VM struct {
	program   *Program
	operators map[operation]func(a, b uint64) value
	stack     []value
	profiles  *profarc.Run
	classes   map[*profarc.Type]*class

	Quickened int // number of quickened instructions
	Slow      int // number of slow executions
}

type operation struct {
	op          opcode
	left, right *class
}

// NewVM returns a VM for a program, whose code it changes. The VM starts with the archive of earlier runs at path. If
// the error is not nil, it starts without an archive; see profarc.Start.
func NewVM(p *Program, path string) (*VM, error) {
	float := math.Float64frombits
	number := func(x float64) value { return value{floatClass, math.Float64bits(x)} }
	vm := &VM{program: p, stack: make([]value, 1<<12), operators: map[operation]func(a, b uint64) value{
		{opAdd, intClass, intClass}:     func(a, b uint64) value { return value{intClass, a + b} },
		{opAdd, floatClass, floatClass}: func(a, b uint64) value { return number(float(a) + float(b)) },
		{opAdd, floatClass, intClass}:   func(a, b uint64) value { return number(float(a) + float64(int64(b))) },
		{opLess, intClass, intClass}:    func(a, b uint64) value { return truth(int64(a) < int64(b)) },
	}}
	return vm, vm.start(path)
}

func truth(is bool) value {
	if is {
		return integer(1)
	}
	return integer(0)
}

func (vm *VM) call(f *Function, args ...value) value {
	copy(vm.stack, args)
	return vm.run(f, 0)
}

// run runs a function. Its arguments are the first locals, at index base of the stack.
func (vm *VM) run(f *Function, base int) value {
	if f.calls == nil {
		vm.setUp(f)
	}
	f.calls.Count1()
	locals := vm.stack[base : base+f.Locals]
	stack := vm.stack[base+f.Locals:]
	n := 0 // stack depth
	for pc := 0; ; pc++ {
		switch in := &f.Code[pc]; in.Op {
		case opPush:
			stack[n] = integer(int64(in.A))
			n++
		case opLoad:
			stack[n] = locals[in.A]
			n++
		case opStore:
			n--
			locals[in.A] = stack[n]
		case opField:
			stack[n] = value{intClass, locals[0].Bits}
			n++
		case opNew:
			stack[n-1].Class = vm.program.Classes[in.A]
		case addInt:
			a := &stack[n-2]
			b := stack[n-1]
			if a.Class != intClass || b.Class != intClass {
				stack[n-2] = vm.operate(f, in, opAdd, *a, b)
			} else {
				f.sites[in.Site].rows[0].count.Count1()
				a.Bits += b.Bits
			}
			n--
		case lessInt:
			a := stack[n-2]
			b := stack[n-1]
			if a.Class != intClass || b.Class != intClass {
				stack[n-2] = vm.operate(f, in, opLess, a, b)
			} else {
				f.sites[in.Site].rows[0].count.Count1()
				stack[n-2] = truth(int64(a.Bits) < int64(b.Bits))
			}
			n--
		case opAdd, opLess:
			stack[n-2] = vm.operate(f, in, in.Op, stack[n-2], stack[n-1])
			n--
		case opUnless:
			n--
			if stack[n].Bits == 0 {
				f.sites[in.Site].taken.Count1()
				pc = int(in.A) - 1
			} else {
				f.sites[in.Site].notTaken.Count1()
			}
		case opJump:
			pc = int(in.A) - 1
		case sendCached:
			target := f.sites[in.Site].cached(stack[n-1].Class)
			if target == nil {
				target = vm.look(f, in, stack[n-1].Class)
			}
			if target.getter && target.calls != nil {
				target.calls.Count1() // inlined
				stack[n-1].Class = intClass
			} else {
				stack[n-1] = vm.run(target, base+f.Locals+n-1)
			}
		case opSend:
			target := vm.look(f, in, stack[n-1].Class)
			stack[n-1] = vm.run(target, base+f.Locals+n-1)
		case opReturn:
			return stack[n-1]
		}
	}
}

// cached returns the cached method for a class and counts the call, or returns nil.
func (s *site) cached(c *class) *Function {
	for i := range s.rows {
		if r := &s.rows[i]; r.class == c && r.target != nil {
			r.count.Count1()
			return r.target
		}
	}
	return nil
}

// operate executes opAdd or opLess for operands of any class.
func (vm *VM) operate(f *Function, in *instr, op opcode, a, b value) value {
	vm.see(f, in, a.Class)
	return vm.operators[operation{op, a.Class, b.Class}](a.Bits, b.Bits)
}

// look returns the method for an opSend to an object of class c.
func (vm *VM) look(f *Function, in *instr, c *class) *Function {
	vm.see(f, in, c)
	target := c.find(vm.program.Names[in.A])
	s := &f.sites[in.Site]
	for i := range s.rows {
		if r := &s.rows[i]; r.class == c && in.Op == sendCached {
			r.target = target // first object of this class since the quickening
		}
	}
	return target
}

// see records the class of a slow execution, and quickens the instruction after quickenAfter executions.
func (vm *VM) see(f *Function, in *instr, c *class) {
	s := &f.sites[in.Site]
	vm.count(s, c)
	vm.Slow++
	s.heat++
	if s.heat == quickenAfter {
		vm.quicken(in, s)
	}
}

// count counts a class in its row, or in a free row.
func (vm *VM) count(s *site, c *class) {
	for i := range s.rows {
		switch r := &s.rows[i]; r.class {
		case c:
			r.count.Count1()
			return
		case nil:
			if count := s.receivers.Record(vm.profiles.Type(c.Name)); count != nil {
				*r = row{class: c, count: count}
			}
			return
		}
	}
	s.receivers.Record(vm.profiles.Type(c.Name))
}

// quicken replaces an instruction by a quick one for the classes in its profile.
func (vm *VM) quicken(in *instr, s *site) {
	ints := s.rows[0].class == intClass && s.rows[1].class == nil && s.receivers.Others() == 0
	switch {
	case in.Op == opAdd && ints:
		in.Op = addInt
	case in.Op == opLess && ints:
		in.Op = lessInt
	case in.Op == opSend && s.rows[0].class != nil:
		for i := range s.rows {
			if c := s.rows[i].class; c != nil {
				s.rows[i].target = c.find(vm.program.Names[in.A])
			}
		}
		in.Op = sendCached
	default:
		return
	}
	vm.Quickened++
}
