package live

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/names/entries"
)

// A HotSpot VM exports tables for debuggers with its structures, their sizes, the offsets of their fields, and the
// values of some constants. The strides and column offsets of the tables themselves are exported, too.

type field struct {
	static bool
	offset uint64 // offset in its structure
	addr   uint64 // address of a static field
}

// tables has the tables of one VM. Lookups check that a field is inside its structure and that every structure has a
// plausible size. Code that has read a whole structure can therefore read its fields without further checks.
type tables struct {
	fields        map[string]field  // by "Type::name"
	sizes         map[string]uint64 // sizes of types in bytes
	constants     map[string]int64
	contradictory map[string]bool // names with contradictory rows
	missing       []string        // failed lookups
	unsound       []string        // lookups with impossible results
}

const (
	maxRows     = 1 << 13
	maxNameSize = 1 << 10
	maxStride   = 1 << 10 // bytes from row to row
	// maxStructure limits the size of a structure without a variable tail. The largest has some hundred bytes.
	maxStructure = 1 << 14
)

func readTables(l *library) (*tables, error) {
	t := &tables{fields: map[string]field{}, sizes: map[string]uint64{}, constants: map[string]int64{},
		contradictory: map[string]bool{}}
	for _, table := range []struct {
		name    string
		columns []string
		enter   func(r *row)
	}{
		{"gHotSpotVMStructs", []string{"TypeName", "FieldName", "IsStatic", "Offset", "Address"}, func(r *row) {
			enterRow(t, t.fields, r.textColumn(0)+"::"+r.textColumn(1),
				field{r.int32Column(2) != 0, r.wordColumn(3), r.wordColumn(4)})
		}},
		{"gHotSpotVMTypes", []string{"TypeName", "Size"},
			func(r *row) { enterRow(t, t.sizes, r.textColumn(0), r.wordColumn(1)) }},
		{"gHotSpotVMIntConstants", []string{"Name", "Value"},
			func(r *row) { enterRow(t, t.constants, r.textColumn(0), int64(r.int32Column(1))) }},
		{"gHotSpotVMLongConstants", []string{"Name", "Value"},
			func(r *row) { enterRow(t, t.constants, r.textColumn(0), int64(r.wordColumn(1))) }},
	} {
		if err := forEachRow(l, table.name, table.columns, table.enter); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func enterRow[V comparable](t *tables, into map[string]V, name string, v V) {
	if had, ok := into[name]; ok && had != v {
		t.contradictory[name] = true
	}
	into[name] = v
}

type row struct {
	mem     source
	at      uint64
	columns []uint64 // column offsets
	err     error
}

// forEachRow calls yield with the rows of a table. The first column is a name, which is null after the last row.
func forEachRow(l *library, table string, columns []string, yield func(r *row)) error {
	entry := strings.TrimSuffix(table, "s") + "Entry"
	symbols := []string{table, entry + "ArrayStride"}
	for _, c := range columns {
		symbols = append(symbols, entry+c+"Offset")
	}
	var places []uint64
	for _, name := range symbols {
		addr, ok := l.findSymbol(name)
		if !ok {
			return fmt.Errorf("%w (no %s)", ErrNoTables, name)
		}
		v, err := wordAt(l.mem, addr)
		if err != nil {
			return err
		}
		places = append(places, v)
	}
	r := &row{mem: l.mem, at: places[0], columns: places[2:]}
	stride := places[1]
	for _, at := range r.columns {
		if stride > maxStride || at > stride-min(stride, 4) {
			return fmt.Errorf("%w: %s has rows of %d bytes with a column at %d", ErrStructure, table, stride, at)
		}
	}
	for range maxRows {
		if r.wordColumn(0) == 0 || r.err != nil {
			return r.err
		}
		yield(r)
		r.at += stride
	}
	return fmt.Errorf("%w: %s has more than %d rows", ErrStructure, table, maxRows)
}

func (r *row) wordColumn(column int) uint64 {
	v, err := wordAt(r.mem, r.at+r.columns[column])
	r.err = cmp.Or(r.err, err)
	return v
}

func (r *row) int32Column(column int) int32 {
	v, err := int32At(r.mem, r.at+r.columns[column])
	r.err = cmp.Or(r.err, err)
	return v
}

func (r *row) textColumn(column int) string {
	at := r.wordColumn(column)
	if at == 0 {
		return ""
	}
	s, ended, err := textAt(r.mem, at, maxNameSize)
	if err == nil && !ended {
		err = fmt.Errorf("%w: a name of more than %d bytes", ErrStructure, maxNameSize)
	}
	r.err = cmp.Or(r.err, err)
	return s
}

func (t *tables) fieldOffset(name string, width int) uint64 {
	f, ok := t.fields[name]
	if !ok || f.static {
		t.missing = append(t.missing, name)
		return 0
	}
	t.checkField(structureOf(name), name, f.offset, width)
	return f.offset
}

func structureOf(name string) string {
	structure, _, _ := strings.Cut(name, "::")
	return structure
}

func (t *tables) checkField(structure, name string, at uint64, width int) {
	size := uint64(t.structureSize(structure))
	switch {
	case t.contradictory[name]:
		t.addUnsound("two rows of %s contradict each other", name)
	case size > 0 && (at > size || size-at < uint64(width) || at%uint64(width) != 0):
		t.addUnsound("%s lies at %d in a structure of %d bytes", name, int64(at), size)
	}
}

func (t *tables) optionalOffset(name string, width int) uint64 {
	if f, ok := t.fields[name]; !ok || f.static || t.optionalSize(structureOf(name)) == 0 {
		return 0
	}
	return t.fieldOffset(name, width)
}

func (t *tables) optionalSize(name string) uint64 {
	if _, ok := t.sizes[name]; !ok {
		return 0
	}
	return uint64(t.structureSize(name))
}

func (t *tables) staticAddress(name string) uint64 {
	f, ok := t.fields[name]
	if !ok || !f.static {
		t.missing = append(t.missing, name)
	}
	if t.contradictory[name] {
		t.addUnsound("two rows of %s contradict each other", name)
	}
	return f.addr
}

func (t *tables) structureSize(name string) int {
	n, ok := t.sizes[name]
	switch {
	case !ok:
		t.missing = append(t.missing, "sizeof "+name)
		return 0
	case n == 0 || n > maxStructure || n%4 != 0 || t.contradictory[name]:
		t.addUnsound("a %s has %d bytes", name, n)
		return 0
	}
	return int(n)
}

func (t *tables) boundedConstant(name string, value, most int64) int64 {
	n, ok := t.constants[name]
	switch {
	case !ok:
		return value
	case n < 1 || n > most || t.contradictory[name]:
		t.addUnsound("%s is %d", name, n)
	}
	return n
}

func (t *tables) addUnsound(format string, args ...any) {
	t.unsound = append(t.unsound, fmt.Sprintf(format, args...))
}

func (t *tables) lookupError() error {
	switch {
	case len(t.missing) > 0:
		return fmt.Errorf("%w (no %s)", ErrNoTables, strings.Join(t.missing, ", "))
	case len(t.unsound) > 0:
		return fmt.Errorf("%w (%s)", ErrStructure, t.unsound[0])
	}
	return nil
}

// A schema has the offsets of all fields that a dump needs, for one VM. Offsets that the VM does not export are derived
// from exported neighbors, and the values read there are checked. Every field is inside its structure; see tables.
type schema struct {
	head uint64 // ClassLoaderDataGraph::_head

	loader struct {
		size          int
		next, klasses uint64
	}
	klass struct {
		size                             int
		layoutHelper, name, loader, next uint64
		methods                          uint64
	}
	method struct {
		size                                      int
		constMethod, data, counters, code, access uint64
	}
	constMethod struct {
		size                                 int
		constants, codeSize, name, signature uint64
	}
	pool struct {
		size           int
		length, holder uint64
	}
	array         struct{ length, methods uint64 }
	symbol        struct{ length, body uint64 }
	counters      countersSchema
	data          dataSchema
	constants     constantsSchema
	namesReadable bool        // whether names can be read with constants
	code          *codeSchema // nil if the VM does not export it

	initialization initialization
	increment      uint64 // increment of an InvocationCounter
	levels         uint8  // highest level of compilation
	accessMask     uint32 // mask of the access flags in class files
}

type countersSchema struct {
	size                   int
	invocations, backedges uint64
	highest, highestOSR    uint64
}

type dataSchema struct {
	size                                             int
	method, total, dataSize, data, parameters        uint64
	decompiles, recompiles, overflowTraps, trapCount uint64
	traps                                            int // bytes of trap history
	eflags, local, stack, returned                   uint64
	invocations, backedges, tenureTraps              uint64
	loops, blocks, would                             uint64
	handlers                                         uint64 // 0 if the VM has none
}

const handlersRelease = 22

// Widths of fields in bytes.
const (
	pointerWidth = 8
	intWidth     = 4
	shortWidth   = 2
	byteWidth    = 1
)

func newSchema(t *tables, rtm bool, release int) (*schema, error) {
	s := &schema{head: t.staticAddress("ClassLoaderDataGraph::_head")}
	s.lookUpClasses(t)
	s.lookUpMethods(t)
	s.lookUpMethodData(t, rtm, release)
	s.increment = uint64(t.boundedConstant("InvocationCounter::count_increment", 2, 1<<16))
	s.levels = uint8(t.boundedConstant("CompLevel_full_optimization", 4, 15))
	s.accessMask = uint32(t.boundedConstant("JVM_ACC_WRITTEN_FLAGS", 0x7fff, 0xffff))
	s.constants, s.namesReadable = newConstantsSchema(t)
	s.code, s.initialization = newCodeSchema(t), newInitialization(t)
	return s, t.lookupError()
}

func (s *schema) lookUpClasses(t *tables) {
	s.loader.size = t.structureSize("ClassLoaderData")
	s.loader.next = t.fieldOffset("ClassLoaderData::_next", pointerWidth)
	s.loader.klasses = t.fieldOffset("ClassLoaderData::_klasses", pointerWidth)
	s.klass.size = t.structureSize("Klass")
	s.klass.layoutHelper = t.fieldOffset("Klass::_layout_helper", intWidth)
	s.klass.name = t.fieldOffset("Klass::_name", pointerWidth)
	s.klass.loader = t.fieldOffset("Klass::_class_loader_data", pointerWidth)
	s.klass.next = t.fieldOffset("Klass::_next_link", pointerWidth)
	s.klass.methods = t.fieldOffset("InstanceKlass::_methods", pointerWidth)
	s.array.length = t.fieldOffset("Array<int>::_length", intWidth)
	s.array.methods = t.fieldOffset("Array<Method*>::_data", pointerWidth)
	s.symbol.length = t.fieldOffset("Symbol::_length", shortWidth)
	s.symbol.body = t.fieldOffset("Symbol::_body[0]", byteWidth)
}

func (s *schema) lookUpMethods(t *tables) {
	s.method.size = t.structureSize("Method")
	s.method.constMethod = t.fieldOffset("Method::_constMethod", pointerWidth)
	s.method.data = t.fieldOffset("Method::_method_data", pointerWidth)
	s.method.counters = t.fieldOffset("Method::_method_counters", pointerWidth)
	s.method.code = t.fieldOffset("Method::_code", pointerWidth)
	s.method.access = t.fieldOffset("Method::_access_flags", shortWidth)
	s.constMethod.size = t.structureSize("ConstMethod")
	s.constMethod.constants = t.fieldOffset("ConstMethod::_constants", pointerWidth)
	s.constMethod.codeSize = t.fieldOffset("ConstMethod::_code_size", shortWidth)
	s.constMethod.name = t.fieldOffset("ConstMethod::_name_index", shortWidth)
	s.constMethod.signature = t.fieldOffset("ConstMethod::_signature_index", shortWidth)
	s.pool.size = t.structureSize("ConstantPool")
	s.pool.length = t.fieldOffset("ConstantPool::_length", intWidth)
	s.pool.holder = t.fieldOffset("ConstantPool::_pool_holder", pointerWidth)
	c := &s.counters
	c.size = t.structureSize("MethodCounters")
	c.invocations = t.fieldOffset("MethodCounters::_invocation_counter", intWidth)
	c.backedges = t.fieldOffset("MethodCounters::_backedge_counter", intWidth)
	// u1 _highest_comp_level and u1 _highest_osr_comp_level follow the last exported field, a u2.
	c.highest = t.fieldOffset("MethodCounters::_number_of_breakpoints", shortWidth) + shortWidth
	c.highestOSR = c.highest + byteWidth
	t.checkField("MethodCounters", "what follows _number_of_breakpoints", c.highest, 2*byteWidth)
}

// lookUpMethodData looks up MethodData's fields. After _arg_returned follow
//
//	[int creation mileage], two InvocationCounters, two ints with their values at
//	the start, then _tenure_traps, _invoke_mask, _backedge_mask,
//	[int RTM state], short loops, short blocks, int would profile
//
// The VM exports only the three in the middle. All fields are before the entries, so one read returns both.
func (s *schema) lookUpMethodData(t *tables, rtm bool, release int) {
	d := &s.data
	d.size = t.structureSize("MethodData")
	d.data = t.fieldOffset("MethodData::_data[0]", pointerWidth)
	lies := func(name string, at uint64, width int) uint64 {
		if t.checkField("MethodData", name, at, width); at+uint64(width) > d.data {
			t.addUnsound("%s lies at %d of a MethodData whose entries begin at %d", name, int64(at), d.data)
		}
		return at
	}
	field := func(name string, width int) uint64 {
		return lies(name, t.fieldOffset("MethodData::"+name, width), width)
	}
	d.method = field("_method", pointerWidth)
	d.total = field("_size", intWidth)
	d.dataSize = field("_data_size", intWidth)
	d.parameters = field("_parameters_type_data_di", intWidth)
	d.decompiles = field("_compiler_counters._nof_decompiles", intWidth)
	d.recompiles = field("_compiler_counters._nof_overflow_recompiles", intWidth)
	d.overflowTraps = field("_compiler_counters._nof_overflow_traps", intWidth)
	d.trapCount = field("_compiler_counters._trap_hist._array[0]", byteWidth)
	// The trap history is the rest of the counters that begin with _nof_decompiles.
	end := d.decompiles + uint64(t.structureSize("MethodData::CompilerCounters"))
	if d.trapCount < d.decompiles || d.trapCount >= end || end > d.data {
		t.addUnsound("a trap history lies at %d to %d of a MethodData whose entries begin at %d", d.trapCount, end, d.data)
	}
	d.traps = int(end - d.trapCount)
	d.eflags = field("_eflags", pointerWidth)
	d.local = field("_arg_local", pointerWidth)
	d.stack = field("_arg_stack", pointerWidth)
	d.returned = field("_arg_returned", pointerWidth)
	d.tenureTraps = field("_tenure_traps", intWidth)
	d.invocations = lies("the counter of invocations", d.tenureTraps-16, intWidth)
	d.backedges = lies("the counter of backedges", d.tenureTraps-12, intWidth)
	d.loops = field("_backedge_mask", intWidth) + intWidth
	if rtm {
		d.loops += intWidth
	}
	lies("the number of loops", d.loops, shortWidth)
	d.blocks = lies("the number of blocks", d.loops+2, shortWidth)
	d.would = lies("what it would profile", d.loops+4, intWidth)
	if release >= handlersRelease && d.parameters+8 <= d.data {
		d.handlers = d.parameters + intWidth
	}
}

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
