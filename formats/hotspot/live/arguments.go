package live

import (
	"bytes"
	"strings"
)

// Limits of what is read of a VM's arguments, which may be anything.
const (
	maxCommandText = 1 << 16
	maxVMArguments = 1 << 12
	maxVMText      = 1 << 20 // of all of them
)

// vmArguments are the VM's own record of its arguments.
type vmArguments struct {
	command string   // main class, module or jar, and its arguments, with a blank between each
	options []string // of the VM, from wherever it took them; not the class path
}

// arguments reads the VM's record of its arguments. What it does not export, or
// what cannot be read, is empty.
func (vm *VM) arguments(mem source) (a vmArguments) {
	if at, ok := vm.staticWord(mem, "Arguments::_java_command"); ok && at != 0 {
		a.command = textUpTo(mem, at, maxCommandText)
	}
	array, ok := vm.staticWord(mem, "Arguments::_jvm_args_array")
	count, err := int32At(mem, vm.tables.fields["Arguments::_num_jvm_args"].addr)
	if !ok || err != nil || count < 0 {
		return a
	}
	left := maxVMText
	for i := range min(uint64(count), maxVMArguments) {
		at, err := word(mem, array+8*i)
		if err != nil || left <= 0 {
			break
		}
		option := textUpTo(mem, at, min(left, maxCommandText))
		left -= len(option) + 1
		a.options = append(a.options, option)
	}
	return a
}

// textUpTo returns the bytes before the NUL byte at addr or after it, cut at the
// limit or where nothing can be read.
func textUpTo(s source, addr uint64, limit int) string {
	var out []byte
	for len(out) < limit {
		n := min(limit-len(out), int(pageSize-addr%pageSize))
		b, err := s.bytes(addr, n)
		if err != nil {
			break
		}
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(append(out, b[:end]...))
		}
		out, addr = append(out, b...), addr+uint64(n)
	}
	return string(out)
}

func untilNUL(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte{0})
	return string(text)
}

// mainOf is the main class, module or jar: the word of the process's command line
// from which on the VM's record has them all, else what the record has before its
// first blank.
func mainOf(command string, argv []string) string {
	rest := strings.Join(argv, " ")
	for _, arg := range argv {
		if rest == command {
			return arg
		}
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, arg), " ")
	}
	first, _, _ := strings.Cut(command, " ")
	return first
}
