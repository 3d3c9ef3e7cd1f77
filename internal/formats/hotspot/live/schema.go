package live

// A schema is where everything lies that a dump needs, in one VM. Places that
// the VM does not export are derived from exported neighbours; what is read at
// them is checked.
type schema struct {
	head uint64 // ClassLoaderDataGraph::_head

	loader struct {
		size                   int
		next, klasses, mirrors uint64
	}
	klass struct {
		size, instanceSize               int
		layoutHelper, name, loader, next uint64
		methods, constants               uint64
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
	increment uint64 // one count of an InvocationCounter
	levels    uint8  // highest level of compilation
	written   uint32 // access flags that stand in a class file
}

// countersSchema is of MethodCounters.
type countersSchema struct {
	size                            int
	invocations, backedges, highest uint64
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

// newSchema looks everything up.
func newSchema(t *tables, flags map[string]flag, release int) (*schema, error) {
	s := &schema{head: t.static("ClassLoaderDataGraph::_head")}
	s.graph(t)
	s.methods(t)
	s.methodData(t, flags, release)
	s.increment = 2
	if n := t.constants["InvocationCounter::count_increment"]; n > 0 {
		s.increment = uint64(n)
	}
	s.levels = 4
	if n := t.constants["CompLevel_full_optimization"]; n > 0 && n < 16 {
		s.levels = uint8(n)
	}
	s.written = 0x7fff
	if n := t.constants["JVM_ACC_WRITTEN_FLAGS"]; n > 0 {
		s.written = uint32(n)
	}
	return s, t.check()
}

// graph looks up what leads from class loaders to methods.
func (s *schema) graph(t *tables) {
	s.loader.size = t.size("ClassLoaderData")
	s.loader.next = t.offset("ClassLoaderData::_next")
	s.loader.klasses = t.offset("ClassLoaderData::_klasses")
	s.loader.mirrors = t.offset("ClassLoaderData::_has_class_mirror_holder")
	s.klass.size = t.size("Klass")
	s.klass.instanceSize = t.size("InstanceKlass")
	s.klass.layoutHelper = t.offset("Klass::_layout_helper")
	s.klass.name = t.offset("Klass::_name")
	s.klass.loader = t.offset("Klass::_class_loader_data")
	s.klass.next = t.offset("Klass::_next_link")
	s.klass.methods = t.offset("InstanceKlass::_methods")
	s.klass.constants = t.offset("InstanceKlass::_constants")
	s.array.length = t.offset("Array<int>::_length")
	s.array.methods = t.offset("Array<Method*>::_data")
	s.symbol.length = t.offset("Symbol::_length")
	s.symbol.body = t.offset("Symbol::_body[0]")
}

// methods looks up what is known of a method beside its profile.
func (s *schema) methods(t *tables) {
	s.method.size = t.size("Method")
	s.method.constMethod = t.offset("Method::_constMethod")
	s.method.data = t.offset("Method::_method_data")
	s.method.counters = t.offset("Method::_method_counters")
	s.method.code = t.offset("Method::_code")
	s.method.access = t.offset("Method::_access_flags")
	s.constMethod.size = t.size("ConstMethod")
	s.constMethod.constants = t.offset("ConstMethod::_constants")
	s.constMethod.codeSize = t.offset("ConstMethod::_code_size")
	s.constMethod.name = t.offset("ConstMethod::_name_index")
	s.constMethod.signature = t.offset("ConstMethod::_signature_index")
	s.pool.size = t.size("ConstantPool")
	s.pool.length = t.offset("ConstantPool::_length")
	s.pool.holder = t.offset("ConstantPool::_pool_holder")
	c := &s.counters
	c.size = t.size("MethodCounters")
	c.invocations = t.offset("MethodCounters::_invocation_counter")
	c.backedges = t.offset("MethodCounters::_backedge_counter")
	// u1 _highest_comp_level stands behind the last exported field, a u2.
	c.highest = t.offset("MethodCounters::_number_of_breakpoints") + 2
}

// methodData looks up MethodData's fields. Behind _arg_returned stand
//
//	[int creation mileage], two InvocationCounters, two ints with their values at
//	the start, then _tenure_traps, _invoke_mask, _backedge_mask,
//	[int RTM state], short loops, short blocks, int would profile
//
// of which the VM exports the three in the middle.
func (s *schema) methodData(t *tables, flags map[string]flag, release int) {
	d := &s.data
	d.size = t.size("MethodData")
	d.method = t.offset("MethodData::_method")
	d.total = t.offset("MethodData::_size")
	d.dataSize = t.offset("MethodData::_data_size")
	d.data = t.offset("MethodData::_data[0]")
	d.parameters = t.offset("MethodData::_parameters_type_data_di")
	d.decompiles = t.offset("MethodData::_compiler_counters._nof_decompiles")
	d.recompiles = t.offset("MethodData::_compiler_counters._nof_overflow_recompiles")
	d.overflowTraps = t.offset("MethodData::_compiler_counters._nof_overflow_traps")
	d.trapCount = t.offset("MethodData::_compiler_counters._trap_hist._array[0]")
	d.traps = t.size("MethodData::CompilerCounters") - int(d.trapCount-d.decompiles)
	d.eflags = t.offset("MethodData::_eflags")
	d.local = t.offset("MethodData::_arg_local")
	d.stack = t.offset("MethodData::_arg_stack")
	d.returned = t.offset("MethodData::_arg_returned")
	d.tenureTraps = t.offset("MethodData::_tenure_traps")
	d.invocations, d.backedges = d.tenureTraps-16, d.tenureTraps-12
	d.loops = t.offset("MethodData::_backedge_mask") + 4
	if _, ok := flags["UseRTMLocking"]; ok { // of a VM that is built with RTM
		d.loops += 4
	}
	d.blocks, d.would = d.loops+2, d.loops+4
	if release >= handlersRelease && d.parameters+8 <= d.data {
		d.handlers = d.parameters + 4
	}
}
