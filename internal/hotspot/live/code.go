package live

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
)

// The code cache consists of heaps, each a contiguous sequence of blocks:
//
//	HeapBlock: length in segments, whether it is used; then a CodeBlob
//
// A CodeBlob with the name "nmethod" is compiled code of a method. Native methods and stubs have other names. Free
// blocks remain in the sequence. Zeros follow the last block.

type codeSchema struct {
	heaps              uint64 // CodeCache::_heaps
	count, items       uint64 // fields of GrowableArray
	heapSize           int
	low, high, segment uint64 // fields of CodeHeap
	headerSize         uint64
	length, used       uint64 // fields of HeapBlock
	blobSize           int    // size of an nmethod without the code
	name, size         uint64 // fields of CodeBlob
	method, level      uint64 // fields of nmethod
	id, point, state   uint64
}

// newCodeSchema looks up the fields. It returns nil if the VM does not export all of them; profiles need none.
func newCodeSchema(all *tables) *codeSchema {
	t := *all
	t.missing = nil
	method := "nmethod::_method"
	if _, ok := t.fields[method]; !ok {
		method = "CompiledMethod::_method" // until JDK 22
	}
	memory := t.fieldOffset("CodeHeap::_memory", pointerWidth)
	header := t.fieldOffset("HeapBlock::_header", byteWidth)
	s := &codeSchema{
		heaps:    t.staticAddress("CodeCache::_heaps"),
		count:    t.fieldOffset("GrowableArrayBase::_len", intWidth),
		items:    t.fieldOffset("GrowableArray<int>::_data", pointerWidth),
		heapSize: t.structureSize("CodeHeap"), segment: t.fieldOffset("CodeHeap::_log2_segment_size", intWidth),
		low:        memory + t.fieldOffset("VirtualSpace::_low", pointerWidth),
		high:       memory + t.fieldOffset("VirtualSpace::_high", pointerWidth),
		headerSize: uint64(t.structureSize("HeapBlock")),
		length:     header + t.fieldOffset("HeapBlock::Header::_length", intWidth),
		used:       header + t.fieldOffset("HeapBlock::Header::_used", byteWidth),
		blobSize:   t.structureSize("nmethod"), name: t.fieldOffset("CodeBlob::_name", pointerWidth),
		size: t.fieldOffset("CodeBlob::_size", intWidth),
		// Releases store levels and states in different widths; the low byte is sufficient.
		method: t.fieldOffset(method, pointerWidth), level: t.fieldOffset("nmethod::_comp_level", byteWidth),
		id: t.fieldOffset("nmethod::_compile_id", intWidth), point: t.fieldOffset("nmethod::_entry_bci", intWidth),
		state: t.fieldOffset("nmethod::_state", byteWidth),
	}
	if len(t.missing) > 0 {
		return nil
	}
	all.unsound = t.unsound
	return s
}

type compilation struct {
	method    uint64
	level     uint8
	point     int32 // -1, or the bci of the loop at which it is entered
	id, size  uint32
	installed bool // code is in use, not discarded
}

// States of compiled code. Larger ones mean that the code is being freed.
const (
	stateInstalled = 0
	stateDiscarded = 2 // last state of code that may still run
)

const (
	compiledName    = "nmethod"
	maxHeaps        = 16
	maxSegmentShift = 20
	minSegmentShift = 4
)

// walkCompiledCode walks over the code cache, after the classes. It omits code of methods that no class has any more.
// If the running process moves or frees code, the walk over that heap ends early, and the dump has fewer compilations.
func (w *walker) walkCompiledCode() error {
	w.out.code = w.detached
	if w.out.code != nil {
		return nil
	}
	if s := w.s.code; s != nil && !w.allMethods {
		w.codeNames = map[uint64]bool{}
		for _, heap := range w.codeHeapAddresses(s) {
			w.walkCodeHeap(s, heap)
		}
	}
	return w.budget.meter.end
}

func (w *walker) codeHeapAddresses(s *codeSchema) (heaps []uint64) {
	array, err1 := wordAt(w.code, s.heaps)
	n, err2 := int32At(w.code, array+s.count)
	items, err3 := wordAt(w.code, array+s.items)
	if err1 != nil || err2 != nil || err3 != nil || n < 0 || n > maxHeaps {
		return nil
	}
	for i := range uint64(n) {
		if heap, err := wordAt(w.code, items+pointerWidth*i); err == nil && !slices.Contains(heaps, heap) {
			heaps = append(heaps, heap)
		}
	}
	return heaps
}

func (w *walker) walkCodeHeap(s *codeSchema, heap uint64) {
	b, err := w.code.readBytes(heap, s.heapSize)
	if err != nil {
		return
	}
	at := le.Uint64(b[s.low:])
	high := le.Uint64(b[s.high:])
	shift := le.Uint32(b[s.segment:])
	if shift < minSegmentShift || shift > maxSegmentShift || at%alignment != 0 {
		return
	}
	for at < high && high-at >= s.headerSize {
		if w.budget.spendUnits(spanBytes) != nil {
			return
		}
		b, err := w.code.readBytes(at, int(min(high-at, s.headerSize+uint64(s.blobSize))))
		if err != nil {
			return
		}
		size := uint64(le.Uint32(b[s.length:])) << shift
		if size == 0 || size > high-at {
			return
		}
		if blob := b[s.headerSize:]; b[s.used] != 0 && len(blob) == s.blobSize {
			w.addCompilation(s, blob)
		}
		at += size
	}
}

func (w *walker) addCompilation(s *codeSchema, b []byte) {
	c := compilation{method: le.Uint64(b[s.method:]), level: b[s.level], point: int32(le.Uint32(b[s.point:])),
		id: le.Uint32(b[s.id:]), size: le.Uint32(b[s.size:]), installed: b[s.state] == stateInstalled}
	if c.level < 1 || c.level > w.s.levels || b[s.state] > stateDiscarded || c.point < -1 ||
		!w.isCompiled(le.Uint64(b[s.name:])) {
		return
	}
	if !w.owners[c.method] && !w.unprofiled[c.method] || w.budget.spendUnits(keptBytes) != nil {
		return
	}
	w.out.code = append(w.out.code, c)
}

func (w *walker) isCompiled(name uint64) bool {
	is, known := w.codeNames[name]
	if !known {
		text, _, _ := textAt(w.code, name, len(compiledName)+1)
		is = text == compiledName
		w.codeNames[name] = is
	}
	return is
}

type initialization struct {
	state uint64 // offset of InstanceKlass::_init_state, 0 if it is not exported
	done  uint8  // value for an initialized class
}

func newInitialization(t *tables) initialization {
	return initialization{t.optionalOffset("InstanceKlass::_init_state", byteWidth),
		uint8(t.boundedConstant("InstanceKlass::fully_initialized", 4, 15))}
}

func (w *walker) isInitialized(klass uint64) bool {
	s := &w.s.initialization
	if s.state == 0 {
		return false
	}
	b, err := w.src.readBytes(klass+s.state, byteWidth)
	return err == nil && b[0] == s.done
}

// addCompilations records the compiled code of the recorded methods and of methods without a profile. Code of one
// method, level and entry is numbered in the order of the VM's ids.
func (b *build) addCompilations(o *Options) error {
	methods, err := b.compiledMethods(o)
	if err != nil {
		return err
	}
	code := slices.Clone(b.snap.code)
	slices.SortFunc(code, func(x, y compilation) int { return cmp.Compare(x.id, y.id) })
	type kind struct {
		method builder.MethodRef
		level  uint8
		point  int32
	}
	numbers := map[kind]uint64{}
	for _, c := range code {
		m, ok := methods[c.method]
		if !ok {
			continue
		}
		k := kind{m, c.level, c.point}
		numbers[k]++
		var installed uint64
		if c.installed {
			installed = 1
		}
		b.Internal().Table(disk.TableCompilations, 0).Row(uint64(m), uint64(c.level), uint64(c.point), numbers[k],
			uint64(c.id), uint64(c.size), 1, installed)
		b.report.Compilations++
	}
	return b.meter.end
}

// compiledMethods returns the addresses of the methods with compiled code.
func (s *snapshot) compiledMethods() map[uint64]bool {
	compiled := map[uint64]bool{}
	for _, c := range s.code {
		compiled[c.method] = true
	}
	return compiled
}

func (s *snapshot) markCompiled() {
	compiled := s.compiledMethods()
	for i := range s.methods {
		s.methods[i].compiled = s.methods[i].compiled || compiled[s.methods[i].addr]
	}
}

func (b *build) compiledMethods(o *Options) (map[uint64]builder.MethodRef, error) {
	methods := map[uint64]builder.MethodRef{}
	compiled := b.snap.compiledMethods()
	for addr := range compiled {
		if m, ok := b.methods[addr]; ok && b.taken[m] != 0 {
			methods[addr] = m
		}
	}
	for i := range b.snap.unprofiled {
		f := profiledMethod{methodData: &b.snap.unprofiled[i]}
		if !compiled[f.addr] || !b.readNames(&f) || !o.selectsUnprofiled(&f) {
			continue
		}
		if err := b.spendOnNames(&f); err != nil {
			return nil, err
		}
		m := b.internMethod(f.addr, &f.methodName, f.klassName)
		b.Internal().DescribeMethod(m, f.access, 0)
		methods[f.addr] = m
	}
	return methods, nil
}

func (b *build) readNames(f *profiledMethod) bool {
	var err1, err2 error
	f.klassName, err1 = b.classAt(f.methodData.klass)
	f.methodName, err2 = b.names.readConstMethod(f.constMethod)
	return err1 == nil && err2 == nil
}

// selectsUnprofiled reports whether the options select compiled code without a profile, whose calls are unknown.
func (o *Options) selectsUnprofiled(f *profiledMethod) bool {
	return o.MinInvocations == 0 && (o.Class == nil || o.Class(f.klassName.name))
}
