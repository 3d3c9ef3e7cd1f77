package live

import (
	"strings"

	"github.com/profarc/profarc/internal/names/entries"
)

// A VM exports the numbers of its trap reasons as constants:
//
//	Deoptimization::Reason_unstable_if  23
//
// MethodData counts those from 0 on by number. The VM's messages, Deoptimization::_trap_reason_name, use the same
// words, but JDK 25 does not export them.
const (
	reasonPrefix  = "Deoptimization::Reason_"
	tenuredReason = reasonPrefix + "tenured" // first reason that is not counted by number
	maxReasons    = 256
	maxReason     = 64 // length of a name
	reasonLetters = "abcdefghijklmnopqrstuvwxyz0123456789_"
)

// trapReasons returns the names of all reasons by number, separated by commas; "" if the VM does not export them. The
// constants lack the second names that JVMCI adds to some.
func (vm *VM) trapReasons() string {
	n := vm.tables.constants[tenuredReason]
	if n < 1 || n > maxReasons {
		return ""
	}
	_, jvmci := vm.flags["EnableJVMCI"]
	names := make([]string, n)
	for constant, number := range vm.tables.constants {
		name, ok := strings.CutPrefix(constant, reasonPrefix)
		if !ok || number < 0 || number >= n || len(name) > maxReason || strings.Trim(name, reasonLetters) != "" {
			continue
		}
		if jvmci {
			name = entries.ReasonWithJVMCI(name)
		}
		names[number] = max(names[number], name) // a VM has only one
	}
	return strings.Join(names, ",")
}
