package vm

import (
	"fmt"
	"math/rand/v2"
)

// The sizes of the generated program.
const (
	shapes  = 24           // classes, of two methods each
	modules = 62           // each with 80 functions
	workers = modules * 80 // functions that do the work
)

// The names that a Send may have.
const (
	nameSize = iota // returns the field
	nameArea        // returns twice the field
)

// Generate returns a program, always the same. Each worker has a loop that sends to objects of one or two classes and
// adds up the results.
func Generate() *Program {
	r := rand.New(rand.NewPCG(20, 26))
	p := &Program{Names: []string{"size", "area"}}
	for i := range shapes {
		c := &class{Name: fmt.Sprintf("Shape%02d", i)}
		size := &Function{Owner: c.Name, Name: "size", Locals: 1, Code: []instr{{Op: opField}, {Op: opReturn}}}
		area := &Function{Owner: c.Name, Name: "area", Locals: 1,
			Code: []instr{{Op: opField}, {Op: opField}, {Op: opAdd}, {Op: opReturn}}}
		c.Methods = map[string]*Function{"size": size.finish(), "area": area.finish()}
		p.Classes = append(p.Classes, c)
		p.Functions = append(p.Functions, size, area)
	}
	for i := range workers {
		p.Functions = append(p.Functions, worker(r, i))
	}
	return p
}

// worker returns the function
//
//	work(n)
//		s, i := 0, 0
//		for i < n {
//			s = s + New(i).size()
//			if i < t {
//				s = s + New(i).area()
//			}
//			i = i + 1
//		}
//		return s
func worker(r *rand.Rand, i int) *Function {
	const n, s, at = 0, 1, 2
	first := int32(r.IntN(shapes))
	second := int32(r.IntN(shapes))
	t := int32(r.IntN(12))
	code := []instr{{Op: opPush}, {Op: opStore, A: s}, {Op: opPush}, {Op: opStore, A: at}}
	loop := int32(len(code))
	code = append(code, instr{Op: opLoad, A: at}, instr{Op: opLoad, A: n}, instr{Op: opLess})
	leave := len(code)
	code = append(code, instr{Op: opUnless},
		instr{Op: opLoad, A: s}, instr{Op: opLoad, A: at}, instr{Op: opNew, A: first}, instr{Op: opSend, A: nameSize},
		instr{Op: opAdd}, instr{Op: opStore, A: s})
	if i%3 == 0 {
		code = append(code, instr{Op: opLoad, A: at}, instr{Op: opPush, A: t}, instr{Op: opLess})
		skip := len(code)
		code = append(code, instr{Op: opUnless},
			instr{Op: opLoad, A: s}, instr{Op: opLoad, A: at}, instr{Op: opNew, A: second}, instr{Op: opSend, A: nameArea},
			instr{Op: opAdd}, instr{Op: opStore, A: s})
		code[skip].A = int32(len(code))
	}
	code = append(code, instr{Op: opLoad, A: at}, instr{Op: opPush, A: 1}, instr{Op: opAdd}, instr{Op: opStore, A: at},
		instr{Op: opJump, A: loop})
	code[leave].A = int32(len(code))
	code = append(code, instr{Op: opLoad, A: s}, instr{Op: opReturn})
	f := &Function{Owner: fmt.Sprintf("module%02d", i/80), Name: fmt.Sprintf("work%02d", i%80), Locals: 3, Code: code}
	return f.finish()
}

// Order returns the first n functions in the order of their first call, one module after another, so that a short run
// uses only some modules. The methods of the shapes come last.
func (p *Program) Order(n int) (order []*Function) {
	for i := range min(n, workers) {
		order = append(order, p.Functions[2*shapes+called(i)])
	}
	return append(order, p.Functions[:max(n-workers, 0)]...)
}

func called(i int) int { return i/80*29%modules*80 + i%80 }

// Round calls the first n workers and adds up their results. Half of the workers have up to 8 iterations, some have
// dozens and some hundreds.
func (p *Program) Round(vm *VM, n int) (sum uint64) {
	for i := range min(n, workers) {
		sum += vm.call(p.Functions[2*shapes+called(i)], integer(loops(called(i)))).Bits
	}
	return sum
}

// loops returns the number of a worker's iterations in a round.
func loops(worker int) int64 {
	switch x := int64(worker * 7919 % 1000); {
	case x < 500:
		return 2 + x%7
	case x < 850:
		return 20 + x%40
	default:
		return 100 + x%200
	}
}
