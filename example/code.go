// Package example is a small stack VM that keeps its profiles in an archive, to be read
// and copied by authors of VMs.
//
// The VM begins with slow instructions: an addition looks its operator up by the classes of
// the operands, a send looks the method up by name. Each keeps a profile of the classes that
// it met, and each branch counts where it went. An instruction that has run often enough is
// replaced by a quick one, which expects the classes in its profile: it is quickened.
//
// With the archive of an earlier run, a function is quickened at its first call, and goes on counting in the
// archive, mapped into memory.
//
//	code.go        programs: instructions, functions, classes
//	interpret.go   the interpreter, and how it gets faster
//	learn.go       the archive: start with what earlier runs learned, dump what this one did
//	generate.go    a program of 5,008 functions
package example

import (
	"github.com/profarc/profarc"
)

// An Op is what an instruction does.
type opcode uint8

// The instructions. Those with a site have a profile.
const (
	opPush   opcode = iota // push the integer A
	opLoad                 // push local A
	opStore                // pop local A
	opField                // push the field of local 0, an object
	opNew                  // pop an integer, and push an object of class A with that field
	opAdd                  // pop two values, push their sum; has a site
	opLess                 // pop two values, push 1 if the first is less, else 0; has a site
	opUnless               // pop a value and jump to A if it is 0; has a site
	opJump                 // jump to A
	opSend                 // pop an object, call its method of name A; has a site
	opReturn               // pop the result

	// Quickened instructions, which never stand in the code of a program.
	addInt
	lessInt
	sendCached
)

// An Instr is an instruction. Site is the number of its site within its function, -1 if it has none.
type instr struct {
	Op      opcode
	A, Site int32
}

// A value has a class, and bits whose meaning the class decides.
type value struct {
	Class *class
	Bits  uint64
}

// integer returns an integer.
func integer(n int64) value { return value{intClass, uint64(n)} }

// A Class has methods by name.
type class struct {
	Name    string
	Methods map[string]*Function
	Super   *class
}

// The classes of numbers.
var (
	intClass   = &class{Name: "int"}
	floatClass = &class{Name: "float"}
)

// find looks a method up, as slow as VMs do it that have not learnt anything yet.
func (c *class) find(name string) *Function {
	for ; c != nil; c = c.Super {
		if f := c.Methods[name]; f != nil {
			return f
		}
	}
	return nil
}

// A Function is a function of a module or a method of a class. It belongs to one VM, which quickens its code.
type Function struct {
	Owner, Name string // Owner is the module or class
	Locals      int    // parameters included
	Code        []instr

	id     uint64 // of the code, before any of it was quickened
	getter bool   // it returns the field of its receiver

	calls *profarc.Word // nil until the first call
	sites []site
	count int // of sites
}

// A Program is what a VM runs.
type Program struct {
	Names     []string
	Classes   []*class
	Functions []*Function
}

// finish numbers the sites of a function, and sums its code.
func (f *Function) finish() *Function {
	var code []byte
	for i := range f.Code {
		in := &f.Code[i]
		in.Site = -1
		if in.Op == opAdd || in.Op == opLess || in.Op == opUnless || in.Op == opSend {
			in.Site = int32(f.count)
			f.count++
		}
		code = append(code, byte(in.Op), byte(in.A), byte(in.A>>8), byte(in.A>>16), byte(in.A>>24))
	}
	f.id = profarc.CodeID(code)
	f.getter = len(f.Code) == 2 && f.Code[0].Op == opField && f.Code[1].Op == opReturn
	return f
}
