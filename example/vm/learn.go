package vm

import (
	"context"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// thisVM identifies archives of this VM. Its ID must change when the meaning of profile points or keys changes.
var thisVM = profarc.VM{Name: "example VM 2", Rows: receiverRows,
	ID: [16]byte{'p', 'r', 'o', 'f', 'a', 'r', 'c', '-', 'e', 'x', 'a', 'm', 'p', 'l', 'e', 2}}

// start opens the archive of earlier runs. After an error the VM runs without an archive.
func (vm *VM) start(path string) (err error) {
	vm.profiles, err = profarc.Start(path, thisVM)
	vm.classes = map[*profarc.Type]*class{}
	for _, c := range append(vm.program.Classes, intClass, floatClass) {
		vm.classes[vm.profiles.Type(c.Name)] = c
	}
	return err
}

// Dump writes the counts since the last Dump, or since the start, to an archive. Merge it with the initial archive.
func (vm *VM) Dump(ctx context.Context, path string) (merge.Dropped, error) {
	return vm.profiles.Checkpoint(ctx, path)
}

// Close closes the archive. The program must not run afterwards.
func (vm *VM) Close() error { return vm.profiles.Close() }

// Key returns the function's key in the archive.
func (f *Function) Key() layout.Key { return layout.Key{Class: f.Owner, Name: f.Name} }

// setUp prepares the first call of a function. It gets the counters, and quickens instructions by the profiles of
// earlier runs.
func (vm *VM) setUp(f *Function) {
	profile := vm.profiles.Function(f.Key(), f.id)
	f.calls = profile.Calls()
	f.sites = make([]site, f.count)
	for pc := range f.Code {
		in := &f.Code[pc]
		switch {
		case in.Site < 0:
		case in.Op == opUnless:
			f.sites[in.Site].taken, f.sites[in.Site].notTaken = profile.Branch(int32(pc))
		default:
			vm.setUpSite(in, &f.sites[in.Site], profile.Receivers(int32(pc)))
		}
	}
}

// setUpSite fills the inline cache of a site with the classes of earlier runs.
func (vm *VM) setUpSite(in *instr, s *site, receivers profarc.Receivers) {
	s.receivers = receivers
	n := 0
	for t, count := range receivers.All() {
		if n == len(s.rows) {
			return
		}
		s.rows[n] = row{class: vm.classes[t], count: count}
		n++
	}
	if n > 0 {
		vm.quicken(in, s)
	}
}
