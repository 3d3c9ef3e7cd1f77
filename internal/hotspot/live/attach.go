package live

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/procfs"
	"github.com/profarc/profarc/layout"
)

// A VM is a HotSpot JVM in another process. It can be dumped repeatedly, by one goroutine at a time.
type VM struct {
	p       target
	tables  *tables
	flags   map[string]flag
	schema  *schema
	release int
	// producer is the name of the VM in an archive.
	producer string
	info     string // VM's description of itself

	run      *knownRun     // nil until needed
	detached []compilation // compilations of a copy
	agents   *agents       // agents of a copy; nil if not searched for yet
}

type target interface {
	memory
	isAlive() bool
	isGone() bool // has ended or will in a moment
	heldBytes() int64
	holdWhile(use func(h *holding) error) error
	mappings(ctx context.Context) iter.Seq2[procfs.Mapping, error]
	addProcess(err error) error
}

// Attach finds the VM in a process. It changes nothing in the process.
func Attach(ctx context.Context, pid int) (*VM, error) {
	p, err := openProcess(pid)
	if err != nil {
		return nil, err
	}
	return attachTarget(ctx, p)
}

func attachTarget(ctx context.Context, p target) (*VM, error) {
	doing := func() string { return "read the structure tables of a JVM" }
	vm, err := readLimited(ctx, p, doing, func(m *meter) (*VM, error) {
		bases, err := libraryBases(m.ctx, p)
		if err != nil {
			return nil, translateError(err)
		}
		return openFirst(m, p, bases)
	})
	return vm, p.addProcess(err)
}

func (vm *VM) endReason(m *meter, err error) error {
	if m.end != nil {
		return m.end
	}
	if vm.p.isGone() {
		return ErrGone
	}
	if errors.Is(err, errFault) {
		err = fmt.Errorf("%w (%w)", ErrStructure, err)
	}
	return err
}

func (p *process) addProcess(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("process %d: %w", p.pid, err)
}

// openFirst opens the first base that belongs to a VM. A process may have mapped its VM's file a second time, as
// data, as a profiler does to read the symbols.
func openFirst(m *meter, p target, bases []uint64) (*VM, error) {
	var first error
	for _, base := range bases {
		vm := &VM{p: p}
		err := vm.openTables(newPageCache(p, m), base)
		if err == nil {
			return vm, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, (&VM{p: p}).endReason(m, first)
}

// maxLibraries limits the mappings of libjvm to try.
const maxLibraries = 8

// libraryBases returns the addresses at which libjvm is mapped, the likeliest first. Later ones have lower addresses.
func libraryBases(ctx context.Context, p target) (bases []uint64, err error) {
	none := ErrNotHotSpot
	for m, err := range p.mappings(ctx) {
		switch {
		case err != nil:
			return nil, err
		case m.Name() == "libjvm.so" && m.Offset == 0:
			bases = append(bases, m.Start)
			bases = bases[max(0, len(bases)-maxLibraries):]
		case strings.HasPrefix(m.Name(), "libj9vm"):
			none = ErrOpenJ9
		}
	}
	if len(bases) == 0 || none == ErrOpenJ9 {
		return nil, none
	}
	slices.Reverse(bases)
	return bases, nil
}

const oldestRelease = 17

func (vm *VM) openTables(mem source, base uint64) error {
	l, err := openLibrary(mem, base)
	if err != nil {
		return err
	}
	vm.tables, err = readTables(l)
	if err != nil {
		return err
	}
	if err := vm.readVersion(mem); err != nil {
		return err
	}
	vm.flags, err = readFlags(mem, vm.tables)
	if err != nil {
		return err
	}
	_, rtm := vm.flags["UseRTMLocking"]
	vm.schema, err = newSchema(vm.tables, rtm, vm.release)
	return err
}

func (vm *VM) readVersion(mem source) error {
	t := vm.tables
	major := t.staticAddress("Abstract_VM_Version::_vm_major_version")
	release := t.staticAddress("Abstract_VM_Version::_s_vm_release")
	info := t.staticAddress("Abstract_VM_Version::_s_internal_vm_info_string")
	if err := t.lookupError(); err != nil {
		return err
	}
	n, err := int32At(mem, major)
	if err != nil {
		return err
	}
	r := &row{mem: mem, columns: []uint64{release, info}}
	vm.release, vm.info = int(n), r.textColumn(1)
	vm.producer = r.textColumn(0)
	if strings.HasPrefix(vm.info, "OpenJDK") {
		vm.producer = "OpenJDK " + vm.producer
	}
	vm.producer = vm.producer[:min(len(vm.producer), maxProducer)]
	if vm.release < oldestRelease {
		return fmt.Errorf("%s is older than JDK %d: %w", vm.producer, oldestRelease, ErrNoTables)
	}
	return r.err
}

const maxProducer = 64

// shapingParams returns the VM's settings that determine entries, except the gap of receiver entries, no flag.
func (vm *VM) shapingParams(mem source) (p layout.Params, err error) {
	p.VMRelease = uint32(vm.release)
	for _, s := range []struct {
		param *uint32
		flag  string
		need  bool
	}{{&p.TypeProfileWidth, "TypeProfileWidth", true}, {&p.BciProfileWidth, "BciProfileWidth", true},
		{&p.TypeProfileLevel, "TypeProfileLevel", false}, {&p.ProfileTraps, "ProfileTraps", false}} {
		v, ok := vm.flags[s.flag].readValue(mem)
		if s.need && !ok {
			return p, fmt.Errorf("%w (no flag %s)", ErrNoTables, s.flag)
		}
		*s.param = uint32(v)
		if ok && int64(*s.param) != v || disk.CheckParams(&p) != nil {
			return p, fmt.Errorf("%w (-XX:%s=%d)", ErrStructure, s.flag, v)
		}
	}
	return p, nil
}

// A library is a shared library that a process has loaded. Its symbols are read from the process, so it needs no file.
type library struct {
	mem     source
	base    uint64
	dynamic map[elf.DynTag]uint64
}

// Limits of a library, which may be forged.
const (
	maxPrograms = 64
	maxDynamic  = 256
	maxChain    = 1 << 16
)

func openLibrary(mem source, base uint64) (*library, error) {
	var header elf.Header64
	if err := decodeAt(mem, base, &header); err != nil {
		return nil, err
	}
	if string(header.Ident[:4]) != elf.ELFMAG || elf.Class(header.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 ||
		elf.Data(header.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB || header.Phnum > maxPrograms {
		return nil, fmt.Errorf("%w: its libjvm.so is not a 64-bit little-endian library", ErrUnsupported)
	}
	l := &library{mem: mem, base: base, dynamic: map[elf.DynTag]uint64{}}
	for i := range uint64(header.Phnum) {
		var p elf.Prog64
		if err := decodeAt(mem, base+header.Phoff+i*uint64(header.Phentsize), &p); err != nil {
			return nil, err
		}
		if elf.ProgType(p.Type) == elf.PT_DYNAMIC {
			return l, l.readDynamic(base + p.Vaddr)
		}
	}
	return nil, ErrNoTables
}

// readDynamic reads the dynamic section. Some loaders replace its offsets by addresses.
func (l *library) readDynamic(at uint64) error {
	for range maxDynamic {
		var d elf.Dyn64
		if err := decodeAt(l.mem, at, &d); err != nil {
			return err
		}
		if elf.DynTag(d.Tag) == elf.DT_NULL {
			return nil
		}
		if d.Val < l.base {
			d.Val += l.base
		}
		l.dynamic[elf.DynTag(d.Tag)] = d.Val
		at += uint64(binary.Size(d))
	}
	return nil
}

// findSymbol returns the address of an exported symbol. It searches the GNU hash table:
//
//	u32 buckets, u32 first symbol, u32 words of the filter, u32 shift
//	u64 filter..., u32 bucket..., u32 hash of a symbol with its low bit marking the chain's end...
func (l *library) findSymbol(name string) (addr uint64, ok bool) {
	table := l.dynamic[elf.DT_GNU_HASH]
	var header struct{ Buckets, First, Filter, Shift uint32 }
	if table == 0 || decodeAt(l.mem, table, &header) != nil || header.Buckets == 0 {
		return 0, false
	}
	buckets := table + 16 + 8*uint64(header.Filter)
	chains := buckets + 4*uint64(header.Buckets)
	hash := gnuHash(name)
	n, err := int32At(l.mem, buckets+4*uint64(hash%header.Buckets))
	if err != nil || uint32(n) < header.First {
		return 0, false
	}
	for i := uint64(uint32(n)); i < uint64(uint32(n))+maxChain; i++ {
		h, err := int32At(l.mem, chains+4*(i-uint64(header.First)))
		if err != nil {
			return 0, false
		}
		if uint32(h)|1 == hash|1 {
			if addr, ok := l.symbolNamed(i, name); ok {
				return addr, true
			}
		}
		if h&1 != 0 {
			return 0, false
		}
	}
	return 0, false
}

func (l *library) symbolNamed(i uint64, name string) (addr uint64, ok bool) {
	var s elf.Sym64
	if decodeAt(l.mem, l.dynamic[elf.DT_SYMTAB]+i*uint64(binary.Size(s)), &s) != nil {
		return 0, false
	}
	b, err := l.mem.readBytes(l.dynamic[elf.DT_STRTAB]+uint64(s.Name), len(name)+1)
	if err != nil || string(b) != name+"\x00" || s.Value == 0 {
		return 0, false
	}
	return l.base + s.Value, true
}

func gnuHash(name string) uint32 {
	h := uint32(5381)
	for _, c := range []byte(name) {
		h = h*33 + uint32(c)
	}
	return h
}

func decodeAt(mem source, addr uint64, v any) error {
	b, err := mem.readBytes(addr, binary.Size(v))
	if err != nil {
		return err
	}
	return binary.Read(bytes.NewReader(b), le, v)
}
