// Package vm is a small stack VM that keeps its profiles in an archive. Authors of VMs can read and copy it.
//
// The VM starts with slow instructions. An addition looks its operator up by the classes of the operands, and a send
// looks its method up by name. Each records a profile of the classes, and each branch counts its outcomes. After enough
// executions, the VM replaces a slow instruction by a quick one, which expects the classes in the profile. This is
// called quickening.
//
// With the archive of an earlier run, the VM quickens a function at its first call, and continues to count in the
// mapped archive.
//
//	code.go        instructions, functions and classes of programs
//	interpret.go   the interpreter and its quickening
//	learn.go       opening and writing archives
//	generate.go    a program of 5,008 functions
package vm

import (
	"github.com/profarc/profarc"
)

// An opcode selects the operation of an instruction.
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

	// Quickened instructions, which Generate never emits.
	addInt
	lessInt
	sendCached
)

// An instr is an instruction. Site is the number of its site within its function, or -1 if it has no profile.
type instr struct {
	Op      opcode
	A, Site int32
}

// A value has a class, which determines the meaning of its bits.
type value struct {
	Class *class
	Bits  uint64
}

func integer(n int64) value { return value{intClass, uint64(n)} }

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

// find looks a method up by name in the class and its superclasses. It is deliberately slow.
func (c *class) find(name string) *Function {
	for ; c != nil; c = c.Super {
		if f := c.Methods[name]; f != nil {
			return f
		}
	}
	return nil
}

// A Function is a function of a module or a method of a class. It belongs to one VM, which quickens its code. Generate
// creates functions.
type Function struct {
	Owner, Name string // Owner is the module or class
	Locals      int    // number of locals, including parameters
	Code        []instr

	id     uint64 // hash of the code before quickening
	getter bool   // it returns the field of its receiver

	calls *profarc.Word // nil until the first call
	sites []site
	count int // number of sites
}

// A Program has the code for a VM. The zero value has no functions.
type Program struct {
	Names     []string
	Classes   []*class
	Functions []*Function
}

// finish numbers the sites of a function, and hashes its code.
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
