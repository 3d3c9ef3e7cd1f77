package live

import "context"

// A MethodCode is a method of a loaded class with its bytecodes, as the VM has
// rewritten them.
type MethodCode struct {
	Class, Loader, Name, Signature string
	Code                           []byte // empty of native and abstract methods
}

// Methods calls yield with every method of every class that is loaded, whether
// it has a profile or not. Methods whose names cannot be read are left out.
func (vm *VM) Methods(ctx context.Context, yield func(MethodCode) error) error {
	mem := newPageCache(vm.p)
	methodArray := func(addr uint64) ([]uint64, error) { return vm.schema.methodArray(mem, addr) }
	w := &walker{s: vm.schema, src: mem, methodArray: methodArray, bare: true, out: &snapshot{klasses: map[uint64]klassData{}}}
	snap, err := w.walk()
	if err != nil {
		return vm.p.ended(err)
	}
	names := &namer{vm.schema, mem, map[uint64]string{}}
	loaders := names.loaderNames(snap)
	for i := range snap.methods {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		m, err := names.method(snap.methods[i].constMethod)
		if err != nil {
			continue
		}
		k := snap.klasses[snap.methods[i].klass]
		class, err := names.symbol(k.name)
		if err != nil {
			continue
		}
		if err := yield(MethodCode{class, loaders[k.loader], m.name, m.signature, m.code}); err != nil {
			return err
		}
	}
	if !vm.p.alive() { // what was read last may have been read of nothing
		return vm.p.named(ErrGone)
	}
	return nil
}
