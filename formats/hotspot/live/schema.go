package live

// A schema is where everything lies that a dump needs, in one VM. Places that
// the VM does not export are derived from exported neighbours; what is read at
// them is checked. Every place is known to lie in its structure: see tables.
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
	names     bool   // constants is what the VM has
	increment uint64 // one count of an InvocationCounter
	levels    uint8  // highest level of compilation
	written   uint32 // access flags that stand in a class file
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
	handlers                                         uint64 // 0 where a VM has none
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

// newSchema looks everything up. rtm is whether the VM was built with restricted
// transactional memory.
func newSchema(t *tables, rtm bool, release int) (*schema, error) {
	s := &schema{head: t.static("ClassLoaderDataGraph::_head")}
	s.graph(t)
	s.methods(t)
	s.methodData(t, rtm, release)
	s.increment = uint64(t.constant("InvocationCounter::count_increment", 2, 1<<16))
	s.levels = uint8(t.constant("CompLevel_full_optimization", 4, 15))
	s.written = uint32(t.constant("JVM_ACC_WRITTEN_FLAGS", 0x7fff, 0xffff))
	s.constants, s.names = newConstantsSchema(t)
	return s, t.check()
}

// graph looks up what leads from class loaders to methods.
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

// methods looks up what is known of a method beside its profile.
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
	// u1 _highest_comp_level and u1 _highest_osr_comp_level follow the last
	// exported field, a u2.
	c.highest = t.offset("MethodCounters::_number_of_breakpoints", shortWidth) + shortWidth
	c.highestOSR = c.highest + byteWidth
	t.within("MethodCounters", "what follows _number_of_breakpoints", c.highest, 2*byteWidth)
}

// methodData looks up MethodData's fields. After _arg_returned stand
//
//	[int creation mileage], two InvocationCounters, two ints with their values at
//	the start, then _tenure_traps, _invoke_mask, _backedge_mask,
//	[int RTM state], short loops, short blocks, int would profile
//
// of which the VM exports the three in the middle. All fields lie before the
// entries, so that whoever has the entries has them.
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
