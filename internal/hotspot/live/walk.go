package live

import (
	"fmt"

	"github.com/profarc/profarc/internal/system/lists"
)

type snapshot struct {
	loaders    []loaderData
	klasses    map[uint64]klassData // key: address of the Klass
	methods    []methodData
	bytes      int64         // total size of all MethodData
	unprofiled []methodData  // compiled methods without a profile
	code       []compilation // compilations of all these methods, in the order of the code cache
	shared     int           // classes that share the methods of another class
	duplicates int           // methods with a profile that were found before
	adopted    *adoption
}

type loaderData struct {
	addr    uint64
	bytes   []byte
	klasses []uint64 // the newest first
}

type klassData struct {
	name   uint64 // Symbol
	loader uint64 // ClassLoaderData
	// initialized is whether it is an initialized class, not an array.
	initialized bool
}

type methodData struct {
	addr        uint64
	klass       uint64
	constMethod uint64
	access      uint32
	compiled    bool   // whether it has code, possibly discarded
	dataAt      uint64 // address of the MethodData
	data        []byte // MethodData with its header; nil if it could not be read
	counters    []byte // MethodCounters; may be nil
	refused     error
}

// Limits of single structures. A budget limits the total.
const (
	maxMethods = 1 << 16 // methods of one class
	maxData    = 1 << 24 // bytes of one MethodData
)

type walker struct {
	s           *schema
	src         source // source of structures that may change
	methodArray func(addr uint64) ([]uint64, error)
	allMethods  bool // collect all methods, without their profiles
	budget      *allowance
	loaders     map[uint64]bool
	arrays      map[uint64]bool
	owners      map[uint64]bool // methods with a profile
	unprofiled  map[uint64]bool // compiled methods without a profile
	code        source          // source of compiled code
	codeNames   map[uint64]bool // whether a blob's name means compiled code, by address of the name
	agents      agents
	detached    []compilation // compilations of a copy, whose code cache is not copied
	out         *snapshot
}

func newWalker(s *schema, src source, m *meter, methodArray func(addr uint64) ([]uint64, error)) *walker {
	return &walker{s: s, src: src, code: src, methodArray: methodArray, budget: m.structureBudget(),
		loaders: map[uint64]bool{}, arrays: map[uint64]bool{}, owners: map[uint64]bool{}, unprofiled: map[uint64]bool{},
		out: &snapshot{klasses: map[uint64]klassData{}}}
}

// alignment is the alignment of all structures in lists.
const alignment = 8

func (w *walker) readStructure(addr uint64, size int) ([]byte, error) {
	if err := w.budget.spendUnits(size + spanBytes); err != nil {
		return nil, err
	}
	if addr%alignment != 0 {
		return nil, fmt.Errorf("%w: a structure at 0x%x", ErrStructure, addr)
	}
	return w.src.readBytes(addr, size)
}

func (w *walker) readKept(addr uint64, size int) ([]byte, error) {
	if err := w.budget.spendUnits(keptBytes); err != nil {
		return nil, err
	}
	return w.readStructure(addr, size)
}

func (w *walker) walkLoaders() (*snapshot, error) {
	at, err := wordAt(w.src, w.s.head)
	for at != 0 && err == nil {
		at, err = w.walkLoader(at)
	}
	if err == nil && len(w.out.klasses) == 0 {
		err = ErrNotStarted
	}
	if err == nil {
		w.out.adopted, err = w.readAdoption()
	}
	if err == nil {
		err = w.walkCompiledCode()
	}
	return w.out, err
}

func (w *walker) walkLoader(addr uint64) (next uint64, err error) {
	if w.loaders[addr] {
		return 0, fmt.Errorf("%w: the list of class loaders does not end", ErrStructure)
	}
	w.loaders[addr] = true
	b, err := w.readKept(addr, w.s.loader.size)
	if err != nil {
		return 0, err
	}
	data := loaderData{addr: addr, bytes: b}
	for at := le.Uint64(b[w.s.loader.klasses:]); at != 0; {
		if _, again := w.out.klasses[at]; again {
			return 0, fmt.Errorf("%w: a list of classes does not end, or leads into another", ErrStructure)
		}
		data.klasses = append(data.klasses, at)
		at, err = w.walkClass(at, addr)
		if err != nil {
			return 0, err
		}
	}
	w.out.loaders = append(w.out.loaders, data)
	return le.Uint64(b[w.s.loader.next:]), nil
}

func (w *walker) walkClass(addr, loader uint64) (next uint64, err error) {
	s := &w.s.klass
	b, err := w.readKept(addr, s.size)
	if err != nil {
		return 0, err
	}
	k := klassData{name: le.Uint64(b[s.name:]), loader: le.Uint64(b[s.loader:])}
	isArray := int32(le.Uint32(b[s.layoutHelper:])) < 0
	k.initialized = !isArray && w.isInitialized(addr)
	w.out.klasses[addr] = k
	if !isArray && k.loader == loader {
		if err := w.walkMethods(addr); err != nil {
			return 0, err
		}
	}
	return le.Uint64(b[s.next:]), nil
}

func (w *walker) walkMethods(klass uint64) error {
	array, err := wordAt(w.src, klass+w.s.klass.methods)
	if err != nil || array == 0 {
		return err
	}
	methods, err := w.methodArray(array)
	if err != nil || len(methods) == 0 { // all classes without methods share one array
		return err
	}
	if err := w.budget.spendUnits(len(methods)*pointerWidth + spanBytes); err != nil {
		return err
	}
	if w.arrays[array] {
		w.out.shared++
		return nil
	}
	w.arrays[array] = true
	return lists.Each(methods, func(m uint64) error { return w.addMethod(m, klass) })
}

func (w *walker) addMethod(addr, klass uint64) error {
	s := &w.s.method
	b, err := w.readStructure(addr, s.size)
	if err != nil {
		return err
	}
	data := le.Uint64(b[s.data:])
	code := le.Uint64(b[s.code:])
	if data == 0 && code == 0 && !w.allMethods {
		return nil
	}
	m := methodData{addr: addr, klass: klass, constMethod: le.Uint64(b[s.constMethod:]), compiled: code != 0,
		access: uint32(le.Uint16(b[s.access:])) & w.s.accessMask}
	switch {
	case w.allMethods:
	case data == 0:
		return w.addUnprofiled(m)
	case w.owners[addr]:
		w.out.duplicates++
		return nil
	default:
		if err := w.budget.spendUnits(keptBytes); err != nil {
			return err
		}
		w.owners[addr] = true
		m.dataAt = data
		m.data, m.refused = w.readMethodData(addr, data)
		if at := le.Uint64(b[s.counters:]); at != 0 && m.refused == nil {
			m.counters, m.refused = w.readStructure(at, w.s.counters.size)
		}
	}
	w.out.methods = append(w.out.methods, m)
	w.out.bytes += int64(len(m.data))
	return nil
}

func (w *walker) addUnprofiled(m methodData) error {
	if err := w.budget.spendUnits(keptBytes); err != nil || w.unprofiled[m.addr] {
		return err
	}
	w.unprofiled[m.addr] = true
	w.out.unprofiled = append(w.out.unprofiled, m)
	return nil
}

func (w *walker) readMethodData(method, addr uint64) ([]byte, error) {
	s := &w.s.data
	header, err := w.readStructure(addr, s.size)
	if err != nil {
		return nil, err
	}
	if le.Uint64(header[s.method:]) != method {
		return nil, RefusedOwner
	}
	size := int(int32(le.Uint32(header[s.total:])))
	if size < int(s.data) || size > maxData || size%8 != 0 {
		return nil, RefusedSize
	}
	return w.readStructure(addr, size)
}

func (s *schema) methodArray(src source, addr uint64) ([]uint64, error) {
	n, err := int32At(src, addr+s.array.length)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > maxMethods {
		return nil, fmt.Errorf("%w: a class of %d methods", ErrStructure, n)
	}
	b, err := src.readBytes(addr+s.array.methods, 8*int(n))
	if err != nil {
		return nil, err
	}
	return lists.Map(lists.Below(int(n)), func(i int) uint64 { return le.Uint64(b[8*i:]) }), nil
}
