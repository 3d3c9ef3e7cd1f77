package live

import (
	"context"
	"fmt"
)

// Unprofiled is the flag by which the VM records no profiles, as it stands on a
// command line; it is empty if the VM records them, or has ended. While a VM
// starts, its flags are not set yet.
func (vm *VM) Unprofiled() string {
	mem := newPageCache(vm.p, newMeter(context.Background(), vm.p.held()))
	off := func(name string) bool {
		v, ok := vm.flags[name].value(mem)
		return ok && v == 0
	}
	level, known := vm.flags["TieredStopAtLevel"].value(mem)
	switch {
	case off("UseCompiler") && off("UseLoopCounter"):
		return "-Xint"
	case !off("ProfileInterpreter"):
		return ""
	case known && level <= simpleLevel:
		return fmt.Sprintf("-XX:TieredStopAtLevel=%d", level)
	case !off("TieredCompilation"): // the name of the mode is no number
		return "-XX:CompilationMode=quick-only"
	}
	return "-XX:-ProfileInterpreter"
}

// simpleLevel is the highest level of compilation that needs no profiles: C1
// without counters.
const simpleLevel = 1
