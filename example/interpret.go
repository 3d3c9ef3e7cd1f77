package example

import (
	"math"
	"sync/atomic"
)

// A site is the profile of an instruction. Its words are the VM's own until the function
// is adopted, and then lie in the archive: the interpreter does not see the difference.
type site struct {
	taken, notTaken *atomic.Uint64 // of a branch
	rows            [receiverRows]row
	other           *atomic.Uint64 // classes that found no row
	heat            int            // how often the slow instruction was run
	adopted         bool           // it counts in the archive
}

// receiverRows is how many classes an instruction remembers.
const receiverRows = 2

// A row is an inline cache: a class, how often it came, and its method.
type row struct {
	class  *class
	count  *atomic.Uint64
	target *Function // of a send
}

// quickenAfter is how often a slow instruction runs before it is quickened. VMs wait as long,
// and longer, to be sure of what they have seen: each wrong guess costs more than it gains.
const quickenAfter = 200

// A VM runs a program, in one goroutine.
type VM struct {
	program   *Program
	operators map[operation]func(a, b uint64) Value
	stack     []Value
	archive   archived

	Quickened int // instructions that were quickened
	Slow      int // slow instructions that were run
}

type operation struct {
	op          opcode
	left, right *class
}

// NewVM makes a VM for a program, which it changes.
func NewVM(p *Program) *VM {
	float := math.Float64frombits
	number := func(x float64) Value { return Value{floatClass, math.Float64bits(x)} }
	return &VM{program: p, stack: make([]Value, 1<<12), operators: map[operation]func(a, b uint64) Value{
		{opAdd, intClass, intClass}:     func(a, b uint64) Value { return Value{intClass, a + b} },
		{opAdd, floatClass, floatClass}: func(a, b uint64) Value { return number(float(a) + float(b)) },
		{opAdd, floatClass, intClass}:   func(a, b uint64) Value { return number(float(a) + float64(int64(b))) },
		{opLess, intClass, intClass}:    func(a, b uint64) Value { return truth(int64(a) < int64(b)) },
	}}
}

func truth(is bool) Value {
	if is {
		return Int(1)
	}
	return Int(0)
}

// Call runs a function.
func (vm *VM) Call(f *Function, args ...Value) Value {
	copy(vm.stack, args)
	return vm.run(f, 0)
}

// run runs a function whose arguments, its first locals, lie on the stack from base on.
func (vm *VM) run(f *Function, base int) Value {
	if f.calls == nil {
		f.makeOwn()
	}
	f.calls.Add(1)
	locals := vm.stack[base : base+f.Locals]
	stack := vm.stack[base+f.Locals:]
	n := 0 // values on the stack
	for pc := 0; ; pc++ {
		switch in := &f.Code[pc]; in.Op {
		case opPush:
			stack[n] = Int(int64(in.A))
			n++
		case opLoad:
			stack[n] = locals[in.A]
			n++
		case opStore:
			n--
			locals[in.A] = stack[n]
		case opField:
			stack[n] = Value{intClass, locals[0].Bits}
			n++
		case opNew:
			stack[n-1].Class = vm.program.Classes[in.A]
		case addInt:
			a, b := &stack[n-2], stack[n-1]
			if a.Class != intClass || b.Class != intClass {
				stack[n-2] = vm.operate(f, in, opAdd, *a, b)
			} else {
				f.sites[in.Site].rows[0].count.Add(1)
				a.Bits += b.Bits
			}
			n--
		case lessInt:
			a, b := stack[n-2], stack[n-1]
			if a.Class != intClass || b.Class != intClass {
				stack[n-2] = vm.operate(f, in, opLess, a, b)
			} else {
				f.sites[in.Site].rows[0].count.Add(1)
				stack[n-2] = truth(int64(a.Bits) < int64(b.Bits))
			}
			n--
		case opAdd, opLess:
			stack[n-2] = vm.operate(f, in, in.Op, stack[n-2], stack[n-1])
			n--
		case opUnless:
			n--
			if stack[n].Bits == 0 {
				f.sites[in.Site].taken.Add(1)
				pc = int(in.A) - 1
			} else {
				f.sites[in.Site].notTaken.Add(1)
			}
		case opJump:
			pc = int(in.A) - 1
		case sendCached:
			target := f.sites[in.Site].cached(stack[n-1].Class)
			if target == nil {
				target = vm.look(f, in, stack[n-1].Class)
			}
			if target.getter && target.calls != nil {
				target.calls.Add(1) // inlined
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

// cached returns the method of a class that has a row, and counts it; nil if it has none.
func (s *site) cached(c *class) *Function {
	for i := range s.rows {
		if r := &s.rows[i]; r.class == c && r.target != nil {
			r.count.Add(1)
			return r.target
		}
	}
	return nil
}

// operate implements Add and Less for any two values.
func (vm *VM) operate(f *Function, in *instr, op opcode, a, b Value) Value {
	vm.see(f, in, a.Class)
	return vm.operators[operation{op, a.Class, b.Class}](a.Bits, b.Bits)
}

// look implements Send to an object of any class.
func (vm *VM) look(f *Function, in *instr, c *class) *Function {
	vm.see(f, in, c)
	target, s := c.find(vm.program.Names[in.A]), &f.sites[in.Site]
	for i := range s.rows {
		if r := &s.rows[i]; r.class == c && in.Op == sendCached {
			r.target = target // a class that came after the instruction was quickened
		}
	}
	return target
}

// see notes the class that a slow instruction met. Whoever is slow often enough gets
// faster: the function by the archive, the instruction by the classes that it has met.
func (vm *VM) see(f *Function, in *instr, c *class) {
	s := &f.sites[in.Site]
	vm.count(f, in, c)
	vm.Slow++
	f.heat++
	s.heat++
	if f.heat%adoptAfter == 0 {
		vm.warm(f)
	}
	if s.heat == quickenAfter {
		vm.quicken(in, s)
	}
}

// count counts a class, in its row or a free one.
func (vm *VM) count(f *Function, in *instr, c *class) {
	s := &f.sites[in.Site]
	for i := range s.rows {
		switch r := &s.rows[i]; r.class {
		case c:
			r.count.Add(1)
			return
		case nil:
			if s.adopted {
				vm.recordNew(f, in, c)
				return
			}
			r.class = c
			r.count.Add(1)
			return
		}
	}
	s.other.Add(1)
}

// quicken replaces an instruction by one that expects the classes in its profile.
func (vm *VM) quicken(in *instr, s *site) {
	ints := s.rows[0].class == intClass && s.rows[1].class == nil && s.other.Load() == 0
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

// makeOwn makes the counters of a function that was never called before.
func (f *Function) makeOwn() {
	sites := 0
	for _, in := range f.Code {
		sites = max(sites, int(in.Site)+1)
	}
	words := make([]atomic.Uint64, 1+sites*(receiverRows+1))
	f.calls, words = &words[0], words[1:]
	f.sites = make([]site, sites)
	for i := range f.sites {
		s := &f.sites[i]
		s.taken, s.notTaken, s.other = &words[0], &words[1], &words[receiverRows]
		for j := range s.rows {
			s.rows[j].count = &words[j]
		}
		words = words[receiverRows+1:]
	}
}
