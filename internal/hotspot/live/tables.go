package live

import (
	"cmp"
	"fmt"
	"strings"
)

// A HotSpot VM exports tables for debuggers: its structures, their sizes, the offsets of their fields, and
// the values of some constants. The strides and column offsets of the tables themselves are exported too.

// A field is a row of gHotSpotVMStructs.
type field struct {
	static bool
	offset uint64 // in its structure
	addr   uint64 // of a static field
}

// tables has the tables of one VM. Lookups are checked here, once: a field is within its
// structure, and every structure has a plausible size. Code that has read a structure
// of that size can therefore read its fields without checks.
type tables struct {
	fields    map[string]field  // by "Type::name"
	sizes     map[string]uint64 // of types, in bytes
	constants map[string]int64
	twice     map[string]bool // names with rows that contradict each other
	missing   []string        // failed lookups
	unsound   []string        // lookups with impossible results
}

const (
	maxRows     = 1 << 13
	maxNameSize = 1 << 10
	maxStride   = 1 << 10 // bytes from row to row
	// maxStructure bounds the size of a structure without a variable tail: the largest
	// has some hundred bytes.
	maxStructure = 1 << 14
)

// readTables reads the tables of the VM in a library.
func readTables(l *library) (*tables, error) {
	t := &tables{fields: map[string]field{}, sizes: map[string]uint64{}, constants: map[string]int64{},
		twice: map[string]bool{}}
	for _, table := range []struct {
		name    string
		columns []string
		enter   func(r *row)
	}{
		{"gHotSpotVMStructs", []string{"TypeName", "FieldName", "IsStatic", "Offset", "Address"}, func(r *row) {
			enterRow(t, t.fields, r.text(0)+"::"+r.text(1), field{r.int32(2) != 0, r.word(3), r.word(4)})
		}},
		{"gHotSpotVMTypes", []string{"TypeName", "Size"}, func(r *row) { enterRow(t, t.sizes, r.text(0), r.word(1)) }},
		{"gHotSpotVMIntConstants", []string{"Name", "Value"},
			func(r *row) { enterRow(t, t.constants, r.text(0), int64(r.int32(1))) }},
		{"gHotSpotVMLongConstants", []string{"Name", "Value"},
			func(r *row) { enterRow(t, t.constants, r.text(0), int64(r.word(1))) }},
	} {
		if err := eachRow(l, table.name, table.columns, table.enter); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// enterRow adds a row. A VM may have the same row twice.
func enterRow[V comparable](t *tables, into map[string]V, name string, v V) {
	if had, ok := into[name]; ok && had != v {
		t.twice[name] = true
	}
	into[name] = v
}

// A row is a row of one of the tables. It keeps its first error.
type row struct {
	mem     source
	at      uint64
	columns []uint64 // offsets
	err     error
}

// eachRow calls yield with the rows of a table. Its first column is a name, which is null after the last row.
func eachRow(l *library, table string, columns []string, yield func(r *row)) error {
	entry := strings.TrimSuffix(table, "s") + "Entry"
	symbols := []string{table, entry + "ArrayStride"}
	for _, c := range columns {
		symbols = append(symbols, entry+c+"Offset")
	}
	var places []uint64
	for _, name := range symbols {
		addr, ok := l.symbol(name)
		if !ok {
			return fmt.Errorf("%w (no %s)", ErrNoTables, name)
		}
		v, err := word(l.mem, addr)
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
		if r.word(0) == 0 || r.err != nil {
			return r.err
		}
		yield(r)
		r.at += stride
	}
	return fmt.Errorf("%w: %s has more than %d rows", ErrStructure, table, maxRows)
}

func (r *row) word(column int) uint64 {
	v, err := word(r.mem, r.at+r.columns[column])
	r.err = cmp.Or(r.err, err)
	return v
}

func (r *row) int32(column int) int32 {
	v, err := int32At(r.mem, r.at+r.columns[column])
	r.err = cmp.Or(r.err, err)
	return v
}

// text returns the text that a column points to, empty for null.
func (r *row) text(column int) string {
	at := r.word(column)
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

// offset returns the offset of a field of width bytes.
func (t *tables) offset(name string, width int) uint64 {
	f, ok := t.fields[name]
	if !ok || f.static {
		t.missing = append(t.missing, name)
		return 0
	}
	t.within(structureOf(name), name, f.offset, width)
	return f.offset
}

// structureOf returns the structure of a field.
func structureOf(name string) string {
	structure, _, _ := strings.Cut(name, "::")
	return structure
}

// within checks that a field is in its structure and is aligned.
func (t *tables) within(structure, name string, at uint64, width int) {
	size := uint64(t.size(structure))
	switch {
	case t.twice[name]:
		t.refuse("two rows of %s contradict each other", name)
	case size > 0 && (at > size || size-at < uint64(width) || at%uint64(width) != 0):
		t.refuse("%s lies at %d in a structure of %d bytes", name, int64(at), size)
	}
}

// optional returns the offset of a field, 0 if the VM does not export it.
func (t *tables) optional(name string, width int) uint64 {
	if !t.exports([]string{name}) {
		return 0
	}
	return t.offset(name, width)
}

// optionalSize returns the size of a structure, 0 if the VM does not have it.
func (t *tables) optionalSize(name string) uint64 {
	if _, ok := t.sizes[name]; !ok {
		return 0
	}
	return uint64(t.size(name))
}

// static returns the address of a static field.
func (t *tables) static(name string) uint64 {
	f, ok := t.fields[name]
	if !ok || !f.static {
		t.missing = append(t.missing, name)
	}
	if t.twice[name] {
		t.refuse("two rows of %s contradict each other", name)
	}
	return f.addr
}

// size returns the size of a structure without its variable tail.
func (t *tables) size(name string) int {
	n, ok := t.sizes[name]
	switch {
	case !ok:
		t.missing = append(t.missing, "sizeof "+name)
		return 0
	case n == 0 || n > maxStructure || n%4 != 0 || t.twice[name]:
		t.refuse("a %s has %d bytes", name, n)
		return 0
	}
	return int(n)
}

// constant returns a constant from 1 to most, or value if the VM does not export it.
func (t *tables) constant(name string, value, most int64) int64 {
	n, ok := t.constants[name]
	switch {
	case !ok:
		return value
	case n < 1 || n > most || t.twice[name]:
		t.refuse("%s is %d", name, n)
	}
	return n
}

// refuse records an impossible lookup.
func (t *tables) refuse(format string, args ...any) {
	t.unsound = append(t.unsound, fmt.Sprintf(format, args...))
}

// check returns the error of failed lookups and of lookups with impossible results.
func (t *tables) check() error {
	switch {
	case len(t.missing) > 0:
		return fmt.Errorf("%w (no %s)", ErrNoTables, strings.Join(t.missing, ", "))
	case len(t.unsound) > 0:
		return fmt.Errorf("%w (%s)", ErrStructure, t.unsound[0])
	}
	return nil
}

// A schema has the offsets of all fields that a dump needs, in one VM. Offsets that
// the VM does not export are derived from exported neighbours, and the values read
// there are checked. Every field is in its structure: see tables.
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
	array     struct{ length, methods uint64 }
	symbol    struct{ length, body uint64 }
	counters  countersSchema
	data      dataSchema
	constants constantsSchema
	names     bool        // constants is complete
	code      *codeSchema // nil if the VM does not export it

	initialization initialization
	increment      uint64 // one count of an InvocationCounter
	levels         uint8  // highest level of compilation
	written        uint32 // access flags of class files
}

// countersSchema is of MethodCounters.
type countersSchema struct {
	size                   int
	invocations, backedges uint64
	highest, highestOSR    uint64
}

// dataSchema is of MethodData.
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

// handlersRelease is the first release that profiles exception handlers.
const handlersRelease = 22

// Widths of fields in bytes.
const (
	pointerWidth = 8
	intWidth     = 4
	shortWidth   = 2
	byteWidth    = 1
)

// newSchema looks everything up. rtm is whether the VM was built with restricted transactional memory.
func newSchema(t *tables, rtm bool, release int) (*schema, error) {
	s := &schema{head: t.static("ClassLoaderDataGraph::_head")}
	s.graph(t)
	s.methods(t)
	s.methodData(t, rtm, release)
	s.increment = uint64(t.constant("InvocationCounter::count_increment", 2, 1<<16))
	s.levels = uint8(t.constant("CompLevel_full_optimization", 4, 15))
	s.written = uint32(t.constant("JVM_ACC_WRITTEN_FLAGS", 0x7fff, 0xffff))
	s.constants, s.names = newConstantsSchema(t)
	s.code, s.initialization = newCodeSchema(t), newInitialization(t)
	return s, t.check()
}

// graph looks up the fields that lead from class loaders to methods.
func (s *schema) graph(t *tables) {
	s.loader.size = t.size("ClassLoaderData")
	s.loader.next = t.offset("ClassLoaderData::_next", pointerWidth)
	s.loader.klasses = t.offset("ClassLoaderData::_klasses", pointerWidth)
	s.klass.size = t.size("Klass")
	s.klass.layoutHelper = t.offset("Klass::_layout_helper", intWidth)
	s.klass.name = t.offset("Klass::_name", pointerWidth)
	s.klass.loader = t.offset("Klass::_class_loader_data", pointerWidth)
	s.klass.next = t.offset("Klass::_next_link", pointerWidth)
	s.klass.methods = t.offset("InstanceKlass::_methods", pointerWidth)
	s.array.length = t.offset("Array<int>::_length", intWidth)
	s.array.methods = t.offset("Array<Method*>::_data", pointerWidth)
	s.symbol.length = t.offset("Symbol::_length", shortWidth)
	s.symbol.body = t.offset("Symbol::_body[0]", byteWidth)
}

// methods looks up the fields of a method other than its profile.
func (s *schema) methods(t *tables) {
	s.method.size = t.size("Method")
	s.method.constMethod = t.offset("Method::_constMethod", pointerWidth)
	s.method.data = t.offset("Method::_method_data", pointerWidth)
	s.method.counters = t.offset("Method::_method_counters", pointerWidth)
	s.method.code = t.offset("Method::_code", pointerWidth)
	s.method.access = t.offset("Method::_access_flags", shortWidth)
	s.constMethod.size = t.size("ConstMethod")
	s.constMethod.constants = t.offset("ConstMethod::_constants", pointerWidth)
	s.constMethod.codeSize = t.offset("ConstMethod::_code_size", shortWidth)
	s.constMethod.name = t.offset("ConstMethod::_name_index", shortWidth)
	s.constMethod.signature = t.offset("ConstMethod::_signature_index", shortWidth)
	s.pool.size = t.size("ConstantPool")
	s.pool.length = t.offset("ConstantPool::_length", intWidth)
	s.pool.holder = t.offset("ConstantPool::_pool_holder", pointerWidth)
	c := &s.counters
	c.size = t.size("MethodCounters")
	c.invocations = t.offset("MethodCounters::_invocation_counter", intWidth)
	c.backedges = t.offset("MethodCounters::_backedge_counter", intWidth)
	// u1 _highest_comp_level and u1 _highest_osr_comp_level follow the last exported field, a u2.
	c.highest = t.offset("MethodCounters::_number_of_breakpoints", shortWidth) + shortWidth
	c.highestOSR = c.highest + byteWidth
	t.within("MethodCounters", "what follows _number_of_breakpoints", c.highest, 2*byteWidth)
}

// methodData looks up MethodData's fields. After _arg_returned follow
//
//	[int creation mileage], two InvocationCounters, two ints with their values at
//	the start, then _tenure_traps, _invoke_mask, _backedge_mask,
//	[int RTM state], short loops, short blocks, int would profile
//
// The VM exports only the three in the middle. All fields lie before the entries, so one read returns both.
func (s *schema) methodData(t *tables, rtm bool, release int) {
	d := &s.data
	d.size = t.size("MethodData")
	d.data = t.offset("MethodData::_data[0]", pointerWidth)
	lies := func(name string, at uint64, width int) uint64 {
		if t.within("MethodData", name, at, width); at+uint64(width) > d.data {
			t.refuse("%s lies at %d of a MethodData whose entries begin at %d", name, int64(at), d.data)
		}
		return at
	}
	field := func(name string, width int) uint64 { return lies(name, t.offset("MethodData::"+name, width), width) }
	d.method = field("_method", pointerWidth)
	d.total = field("_size", intWidth)
	d.dataSize = field("_data_size", intWidth)
	d.parameters = field("_parameters_type_data_di", intWidth)
	d.decompiles = field("_compiler_counters._nof_decompiles", intWidth)
	d.recompiles = field("_compiler_counters._nof_overflow_recompiles", intWidth)
	d.overflowTraps = field("_compiler_counters._nof_overflow_traps", intWidth)
	d.trapCount = field("_compiler_counters._trap_hist._array[0]", byteWidth)
	// The trap history is the rest of the counters that begin with _nof_decompiles.
	end := d.decompiles + uint64(t.size("MethodData::CompilerCounters"))
	if d.trapCount < d.decompiles || d.trapCount >= end || end > d.data {
		t.refuse("a trap history lies at %d to %d of a MethodData whose entries begin at %d", d.trapCount, end, d.data)
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
