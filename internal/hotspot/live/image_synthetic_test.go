package live

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

// A memoryWriter lays out memory from an address on.
type memoryWriter struct {
	base    uint64
	b       []byte
	adopted uint64 // the list of an agent
}

// put places bytes, aligned, and returns their address.
func (w *memoryWriter) put(b []byte) uint64 {
	w.b = append(w.b, make([]byte, -len(w.b)&(alignment-1))...)
	at := w.base + uint64(len(w.b))
	w.b = append(w.b, b...)
	return at
}

func (w *memoryWriter) text(s string) uint64 { return w.put(append([]byte(s), 0)) }

// words places words one after the other.
func (w *memoryWriter) words(words ...uint64) uint64 {
	var b []byte
	for _, v := range words {
		b = le.AppendUint64(b, v)
	}
	return w.put(b)
}

// set sets the word at an address.
func (w *memoryWriter) set(addr, v uint64) { le.PutUint64(w.b[addr-w.base:], v) }

// Where the fields of the synthetic VM lie. All fields are words but where a width follows.
var syntheticFields = []struct {
	name   string
	offset uint64
}{
	{"JVMFlag::_name", 0}, {"JVMFlag::_addr", 8}, {"JVMFlag::_type", 16},
	{"ClassLoaderData::_next", 0}, {"ClassLoaderData::_klasses", 8},
	{"Klass::_layout_helper", 0}, {"Klass::_name", 8}, {"Klass::_class_loader_data", 16}, {"Klass::_next_link", 24},
	{"InstanceKlass::_methods", 32}, {"Array<int>::_length", 0}, {"Array<Method*>::_data", 8},
	{"Symbol::_length", 0}, {"Symbol::_body[0]", 2},
	{"Method::_constMethod", 0}, {"Method::_method_data", 8}, {"Method::_method_counters", 16}, {"Method::_code", 24},
	{"Method::_access_flags", 32},
	{"ConstMethod::_constants", 0}, {"ConstMethod::_code_size", 8}, {"ConstMethod::_name_index", 10},
	{"ConstMethod::_signature_index", 12},
	{"ConstantPool::_length", 0}, {"ConstantPool::_pool_holder", 8},
	{"MethodCounters::_invocation_counter", 0}, {"MethodCounters::_backedge_counter", 4},
	{"MethodCounters::_number_of_breakpoints", 8},
	{"MethodData::_method", 0}, {"MethodData::_size", 8}, {"MethodData::_data_size", 12},
	{"MethodData::_parameters_type_data_di", 16},
	{"MethodData::_compiler_counters._nof_decompiles", 24},
	{"MethodData::_compiler_counters._nof_overflow_recompiles", 28},
	{"MethodData::_compiler_counters._nof_overflow_traps", 32},
	{"MethodData::_compiler_counters._trap_hist._array[0]", 36},
	{"MethodData::_eflags", 40}, {"MethodData::_arg_local", 48}, {"MethodData::_arg_stack", 56},
	{"MethodData::_arg_returned", 64},
	{"MethodData::_tenure_traps", 88}, {"MethodData::_backedge_mask", 96}, {"MethodData::_data[0]", 112},
}

var syntheticSizes = map[string]uint64{
	"JVMFlag": 24, "ClassLoaderData": 40, "Klass": 32, "InstanceKlass": 40, "Array<int>": 8, "Array<Method*>": 16,
	"Symbol": 8,
	"Method": 40, "ConstMethod": 16, "ConstantPool": 16, "MethodCounters": 16, "MethodData": 120,
	"MethodData::CompilerCounters": 16,
}

// syntheticMethods is how many methods the synthetic VM has, all with a profile.
const syntheticMethods = 6

// syntheticBase is where its memory is.
const syntheticBase = 0x10000

// synthetic returns the memory of a small VM: for machines without a JVM, and
// small enough to change every byte of it.
func synthetic() []byte {
	w := &memoryWriter{base: syntheticBase}
	const header, program = 64, 56
	w.put(make([]byte, header+2*program)) // filled in at the end
	exports := w.exports(w.graph())
	dynamic := w.library(exports)
	e := elf.Header64{Type: uint16(elf.ET_DYN), Phoff: header, Phentsize: program, Phnum: 2}
	copy(e.Ident[:], elf.ELFMAG)
	e.Ident[elf.EI_CLASS], e.Ident[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	w.fill(0, e)
	w.fill(header+program, elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Vaddr: dynamic - syntheticBase})
	return w.b
}

// fill places a structure over bytes that are there.
func (w *memoryWriter) fill(at int, v any) {
	if _, err := binary.Encode(w.b[at:], le, v); err != nil {
		panic(err)
	}
}

// library places the dynamic section with its tables, for exported names and their addresses.
func (w *memoryWriter) library(exports map[string]uint64) (dynamic uint64) {
	const buckets = 1 // all symbols are in one chain
	strings, symbols := []byte{0}, make([]byte, 24)
	hashes := le.AppendUint64(nil, buckets|1<<32) // the first symbol is 1
	hashes = le.AppendUint64(hashes, 0)
	hashes = le.AppendUint32(hashes, 1)
	names := make([]string, 0, len(exports))
	for name := range exports {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		symbols, _ = binary.Append(symbols, le, elf.Sym64{Name: uint32(len(strings)), Value: exports[name] - w.base})
		strings = append(append(strings, name...), 0)
		hash := gnuHash(name) &^ 1
		if i == len(names)-1 {
			hash |= 1
		}
		hashes = le.AppendUint32(hashes, hash)
	}
	return w.words(uint64(elf.DT_GNU_HASH), w.put(hashes), uint64(elf.DT_SYMTAB), w.put(symbols),
		uint64(elf.DT_STRTAB), w.put(strings), uint64(elf.DT_NULL), 0)
}

// exports places the tables and returns what the library exports of them.
func (w *memoryWriter) exports(statics map[string]uint64) map[string]uint64 {
	out := map[string]uint64{}
	table := func(table, entry string, columns []string, rows [][]uint64) {
		var all []uint64
		for _, r := range rows {
			all = append(all, r...)
		}
		out[table] = w.words(w.words(append(all, make([]uint64, len(columns))...)...))
		out[entry+"ArrayStride"] = w.words(uint64(8 * len(columns)))
		for i, c := range columns {
			out[entry+c+"Offset"] = w.words(uint64(8 * i))
		}
	}
	out[adoptedSymbol] = w.adopted
	var structs, types [][]uint64
	part := func(name string) (structure, field uint64) {
		var a, b string
		for i := range name {
			if name[i:min(i+2, len(name))] == "::" {
				a, b = name[:i], name[i+2:]
				break
			}
		}
		return w.text(a), w.text(b)
	}
	for _, f := range syntheticFields {
		s, n := part(f.name)
		structs = append(structs, []uint64{s, n, 0, f.offset, 0})
	}
	for _, name := range sortedKeys(statics) {
		s, n := part(name)
		structs = append(structs, []uint64{s, n, 1, 0, statics[name]})
	}
	for _, name := range sortedKeys(syntheticSizes) {
		types = append(types, []uint64{w.text(name), syntheticSizes[name]})
	}
	table("gHotSpotVMStructs", "gHotSpotVMStructEntry",
		[]string{"TypeName", "FieldName", "IsStatic", "Offset", "Address"}, structs)
	table("gHotSpotVMTypes", "gHotSpotVMTypeEntry", []string{"TypeName", "Size"}, types)
	table("gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntry", []string{"Name", "Value"},
		[][]uint64{{w.text("CompLevel_full_optimization"), 4}})
	table("gHotSpotVMLongConstants", "gHotSpotVMLongConstantEntry", []string{"Name", "Value"}, nil)
	return out
}

func sortedKeys(m map[string]uint64) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// graph places flags, class loaders, classes and methods, and returns the static fields.
func (w *memoryWriter) graph() map[string]uint64 {
	var flags []uint64
	for _, f := range []struct {
		name       string
		value, typ uint64
	}{{"TypeProfileWidth", 2, 3}, {"BciProfileWidth", 2, 3}, {"TypeProfileLevel", 111, 5}, {"ProfileTraps", 1, 0}} {
		flags = append(flags, w.text(f.name), w.words(f.value), f.typ)
	}
	boot := w.words(0, 0, 0, 0, 0)
	app := w.words(boot, 0, 0, w.text("?"), w.text("?"))
	one, two := w.klass("a/One", boot, 0), w.klass("a/Two", app, 0)
	three := w.klass("a/Three", boot, one)
	w.set(boot+8, three)
	w.set(app+8, two)
	w.set(app+16, one) // the class of the loader
	for i, k := range []uint64{one, two, three} {
		w.methodsOf(k, i, two)
	}
	return map[string]uint64{
		"JVMFlag::flags": w.words(w.words(flags...)), "JVMFlag::numFlags": w.words(uint64(len(flags) / 3)),
		"ClassLoaderDataGraph::_head":                     w.words(app),
		"Abstract_VM_Version::_vm_major_version":          w.words(17),
		"Abstract_VM_Version::_s_vm_release":              w.words(w.text("17.0.0")),
		"Abstract_VM_Version::_s_internal_vm_info_string": w.words(w.text("a synthetic VM")),
	}
}

func (w *memoryWriter) symbol(s string) uint64 {
	return w.put(append(le.AppendUint16(nil, uint16(len(s))), s...))
}

func (w *memoryWriter) klass(name string, loader, next uint64) uint64 {
	return w.words(16, w.symbol(name), loader, next, 0)
}

// methodTexts makes a class with profiled methods.
func (w *memoryWriter) methodsOf(klass uint64, number int, receiver uint64) {
	const each = syntheticMethods / 3
	pool := []uint64{1 + 2*each, klass, 0}
	for i := range each {
		pool = append(pool, w.symbol(fmt.Sprintf("method%d_%d", number, i)), w.symbol("()V"))
	}
	constants := w.words(pool...)
	array := []uint64{each}
	for i := range each {
		code := w.words(constants, 5|uint64(1+2*i)<<16|uint64(2+2*i)<<32, 0xb100000000)
		method := w.words(code, 0, w.words(200<<1, 0), 0, 1)
		w.set(method+8, w.methodData(method, receiver))
		if number == 2 && i == 1 {
			w.adopted = w.adoptedList(method, le.Uint64(w.b[method+8-w.base:]), receiver)
		}
		array = append(array, method)
	}
	w.set(klass+32, w.words(array...))
}

// methodData places a MethodData with entries of several kinds.
func (w *memoryWriter) methodData(method, receiver uint64) uint64 {
	shape := disk.Shape{TypeRows: 2, BciRows: 2}
	b := make([]byte, syntheticOffset("MethodData::_data[0]"))
	add := func(tag layout.Tag, bci uint16, cells int) disk.Entry {
		var e disk.Entry
		b, e = disk.NewEntry(b, tag, 0, bci, 0, cells)
		return e
	}
	at := func() uint32 { return uint32(len(b)) - uint32(syntheticOffset("MethodData::_data[0]")) }
	add(layout.TagCounter, 0, 1).SetCell(0, 77)
	add(layout.TagBranch, 1, 3).SetCell(0, 5)
	call := add(layout.TagVirtualCall, 2, shape.Cells(layout.TagVirtualCall, 0))
	call.SetCell(shape.ReceiverRow(0), receiver)
	call.SetCell(shape.ReceiverRow(0)+1, 9)
	size := at()
	add(layout.TagSpeculativeTrap, 2, 1).SetCell(0, method)
	add(layout.TagArgInfo, 0, 2).SetCell(0, 1)
	parameters := at()
	add(layout.TagParametersType, 0, 3).SetCell(0, 2)
	le.PutUint64(b[syntheticOffset("MethodData::_method"):], method)
	le.PutUint32(b[syntheticOffset("MethodData::_size"):], uint32(len(b)))
	le.PutUint32(b[syntheticOffset("MethodData::_data_size"):], size)
	le.PutUint32(b[syntheticOffset("MethodData::_parameters_type_data_di"):], parameters)
	return w.put(b)
}

func syntheticOffset(name string) uint64 {
	for _, f := range syntheticFields {
		if f.name == name {
			return f.offset
		}
	}
	panic(name)
}

func TestSyntheticMemory(t *testing.T) {
	if n := readImage(t, newImage(syntheticBase, synthetic())); n != syntheticMethods {
		t.Errorf("%d methods, want %d", n, syntheticMethods)
	}
}

// Every word of the memory of a small VM may be anything.
func TestEveryWordOfSyntheticMemory(t *testing.T) {
	full.Only(t, "starts JVMs")
	memory := synthetic()
	whole := newImage(syntheticBase, memory)
	step := 8
	if testing.Short() {
		step = 8 * 13
	}
	way := 0
	for at := 0; at+8 <= len(memory); at += step {
		was := le.Uint64(memory[at:])
		for _, v := range []uint64{0, 1<<64 - 1, 1 << 31, was + 8, was - 8, was + 1, syntheticBase + uint64(at),
			syntheticBase + uint64(len(memory)) - 4} {
			way = (way + 1) % ways
			readImageIn(t, whole.with([]patch{{syntheticBase + uint64(at), le.AppendUint64(nil, v)}}), way)
		}
		if t.Failed() {
			t.Fatalf("at %#x, which was %#x", at, was)
		}
	}
}

// FuzzMemory changes the memory of a small VM.
func FuzzMemory(f *testing.F) {
	memory := synthetic()
	i := newImage(syntheticBase, memory)
	for at := range len(memory) / 8 {
		i.spans = append(i.spans, span{syntheticBase + 8*uint64(at), 8})
	}
	fuzzImage(f, i)
}
