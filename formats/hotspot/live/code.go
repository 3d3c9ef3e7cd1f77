package live

import (
	"context"

	"github.com/profarc/profarc/internal/compartment"
	"github.com/profarc/profarc/internal/jvm/bytecode"
)

// A MethodCode is a method of a loaded class with its bytecodes, as the VM has
// rewritten them.
type MethodCode struct {
	Class, Loader, Name, Signature string
	Code                           []byte // empty of native and abstract methods
	// Instructions are its bytecodes with what they name; nil if that cannot be
	// read.
	Instructions []bytecode.Instruction
}

// Methods calls yield with every method of every class that is loaded, whether
// it has a profile or not. Methods whose names cannot be read are left out.
func (vm *VM) Methods(ctx context.Context, yield func(MethodCode) error) error {
	held := vm.p.held()
	ctx, cancel := timed(ctx, held)
	defer cancel()
	doing := func() string { return "read the methods of a JVM" }
	methods, err := compartment.RunUntil(ctx, doing, func() ([]MethodCode, error) { return vm.methods(newMeter(ctx, held)) })
	if err != nil {
		return vm.p.named(err)
	}
	for _, m := range methods {
		if err := yield(m); err != nil {
			return err
		}
	}
	return nil
}

func (vm *VM) methods(m *meter) (all []MethodCode, err error) {
	mem := newPageCache(vm.p, m)
	w := newWalker(vm.schema, mem, m, func(addr uint64) ([]uint64, error) { return vm.schema.methodArray(mem, addr) })
	w.bare = true
	snap, err := w.walk()
	if err != nil {
		return nil, vm.ended(m, err)
	}
	names := newNamer(vm.schema, mem, m)
	loaders := names.loaderNames(snap)
	for i := range snap.methods {
		if err := m.step(); err != nil {
			return nil, err
		}
		method, err := names.method(snap.methods[i].constMethod)
		if err != nil {
			continue
		}
		k := snap.klasses[snap.methods[i].klass]
		class, err := names.symbol(k.name)
		if err != nil {
			continue
		}
		list, _ := names.instructions(&method)
		all = append(all, MethodCode{class, loaders[k.loader], method.name, method.signature, method.code, list})
	}
	if !vm.p.alive() { // what was read last may have been read of nothing
		return nil, ErrGone
	}
	return all, m.end
}
