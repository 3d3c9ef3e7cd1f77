package live

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/profarc/profarc/layout"
)

// A VM is a HotSpot JVM in another process. It may be dumped any number of
// times, by one goroutine at a time.
type VM struct {
	p       *process
	tables  *tables
	flags   map[string]flag
	schema  *schema
	release int
	// producer names the VM in an archive.
	producer string
	info     string // what the VM says of itself, in full
}

// Attach finds the VM in a process. It reads only: nothing in the process
// changes, and nothing is left in it.
func Attach(pid int) (*VM, error) {
	p, err := openProcess(pid)
	if err != nil {
		return nil, err
	}
	vm := &VM{p: p}
	mem := newPageCache(p)
	base, err := p.library()
	if err != nil {
		return nil, p.named(err)
	}
	if err := vm.open(mem, base); err != nil {
		return nil, p.ended(err)
	}
	return vm, nil
}

// A process that is being ended loses its memory a moment before it shows.
const (
	endPolls = 10
	endPause = 2 * time.Millisecond
)

// ended says that the process has ended where that is why something failed.
func (p *process) ended(err error) error {
	for range endPolls {
		if !p.alive() {
			return p.named(ErrGone)
		}
		time.Sleep(endPause)
	}
	if errors.Is(err, errFault) {
		err = fmt.Errorf("%w (%w)", ErrStructure, err)
	}
	return p.named(err)
}

// named says of which process an error is: once, where it leaves this package.
func (p *process) named(err error) error { return fmt.Errorf("process %d: %w", p.pid, err) }

// deleted is what the system puts behind the name of a file that is gone.
const deleted = " (deleted)"

// library finds where libjvm is loaded.
func (p *process) library() (base uint64, err error) {
	mappings, err := p.mappings()
	if err != nil {
		return 0, err
	}
	other := "no JVM in it: name the process of java itself, as jps shows it; " +
		"GraalVM's native images keep their profiles in .iprof files"
	for _, m := range mappings {
		switch name := path.Base(strings.TrimSuffix(m.path, deleted)); {
		case name == "libjvm.so" && m.offset == 0:
			base = max(base, m.start)
		case strings.HasPrefix(name, "libj9vm"):
			other = "OpenJ9 has no MethodData: run the program on HotSpot"
		}
	}
	if base == 0 || strings.HasPrefix(other, "OpenJ9") {
		return 0, fmt.Errorf("%w: %s", ErrNotHotSpot, other)
	}
	return base, nil
}

// oldest is the first release whose MethodData are understood.
const oldest = 17

// open reads the tables of the VM at base.
func (vm *VM) open(mem source, base uint64) error {
	l, err := openLibrary(mem, base)
	if err != nil {
		return err
	}
	if vm.tables, err = readTables(l); err != nil {
		return err
	}
	if err := vm.version(mem); err != nil {
		return err
	}
	if vm.flags, err = readFlags(mem, vm.tables); err != nil {
		return err
	}
	vm.schema, err = newSchema(vm.tables, vm.flags, vm.release)
	return err
}

// version reads which VM it is.
func (vm *VM) version(mem source) error {
	t := vm.tables
	major, release := t.static("Abstract_VM_Version::_vm_major_version"), t.static("Abstract_VM_Version::_s_vm_release")
	info := t.static("Abstract_VM_Version::_s_internal_vm_info_string")
	if err := t.check(); err != nil {
		return err
	}
	n, err := int32At(mem, major)
	if err != nil {
		return err
	}
	r := &row{mem: mem, columns: []uint64{release, info}}
	vm.release, vm.info = int(n), r.text(1)
	vm.producer = r.text(0)
	if strings.HasPrefix(vm.info, "OpenJDK") {
		vm.producer = "OpenJDK " + vm.producer
	}
	vm.producer = vm.producer[:min(len(vm.producer), maxProducer)]
	if vm.release < oldest {
		return fmt.Errorf("%s is too old: run the program on JDK %d or later: %w", vm.producer, oldest, ErrNoTables)
	}
	return r.err
}

const maxProducer = 64

// params are the VM's settings that shape entries. The gap of receiver entries
// is not among its flags.
func (vm *VM) params(mem source) (p layout.Params, err error) {
	p[layout.ParamVMRelease] = uint32(vm.release)
	for _, s := range []struct {
		param int
		flag  string
		need  bool
	}{
		{layout.ParamTypeProfileWidth, "TypeProfileWidth", true},
		{layout.ParamBciProfileWidth, "BciProfileWidth", true},
		{layout.ParamTypeProfileLevel, "TypeProfileLevel", false},
		{layout.ParamProfileTraps, "ProfileTraps", false},
	} {
		v, ok := vm.flags[s.flag].value(mem)
		if s.need && (!ok || v < 0 || v > 1<<16) {
			return p, fmt.Errorf("%w (no flag %s)", ErrNoTables, s.flag)
		}
		p[s.param] = uint32(v)
	}
	return p, p.Check()
}
