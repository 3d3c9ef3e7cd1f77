//go:build go1.26

package lua

// quick has the handlers of a quickened function that need no profile. They fall back to the VM's own.
var quick map[int]instFunc

// quickNumbers has those of operations that had numbers on both sides.
var quickNumbers map[int]instFunc

func init() {
	quick = map[int]instFunc{
		OP_LT: jumpLess, OP_LE: jumpLessOrEqual, OP_EQ: jumpEqual, OP_TEST: jumpTest, OP_FORLOOP: loopNumbers,
		OP_RETURN: returnValue,
	}
	quickNumbers = map[int]instFunc{OP_ADD: addNumbers, OP_SUB: subtractNumbers, OP_MUL: multiplyNumbers,
		OP_DIV: divideNumbers}
}

// sure is the share of arrivals from which on an operation is quickened for a type.
const sure = 0.98

// quicken sets the handlers of a hot function by its profile.
func (p *Profiler) quicken(fp *FunctionProto) {
	f := fp.profile.function
	for pc, code := range fp.instructions {
		o := &fp.profile.ops[pc]
		if handler, ok := quick[code]; ok && fp.isFused(pc, code) {
			o.handler = handler
		}
		switch code {
		case OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_GETTABLE, OP_SETTABLE, OP_GETTABLEKS, OP_SETTABLEKS, OP_SELF, OP_CALL:
			t, certainty := f.Receivers(int32(pc)).Target()
			if t == nil || certainty < sure {
				continue
			}
			o.count = f.Deopts(int32(pc), 0)
			o.handler = p.handlerFor(o, code, t.Name())
		}
	}
}

// isFused reports whether a branch is followed by its jump. Other instructions need none.
func (fp *FunctionProto) isFused(pc, code int) bool {
	switch code {
	case OP_LT, OP_LE, OP_EQ, OP_TEST:
		return fp.Code[pc+1]>>26 == uint32(OP_JMP)
	}
	return true
}

// handlerFor returns the handler of an operation whose operands had one type.
func (p *Profiler) handlerFor(o *op, code int, name string) instFunc {
	own := jumpTable[code]
	switch {
	case code == OP_CALL:
		o.target = p.targets[name]
		if o.target != nil && o.target.IsVarArg == 0 && o.inst&0x1ff != 0 {
			return callTarget
		}
	case quickNumbers[code] != nil && name == numbersType.Name():
		return quickNumbers[code]
	case code == OP_GETTABLE && name == indexedType.Name():
		return getElement
	case code == OP_SETTABLE && name == indexedType.Name():
		return setElement
	case code == OP_GETTABLEKS && name == tableType.Name():
		return getFieldOfTable
	case code == OP_SETTABLEKS && name == tableType.Name():
		return setFieldOfTable
	case code == OP_SELF && name == tableType.Name():
		return getMethodOfTable
	}
	return own
}

// deoptimize counts a failed guard and executes the instruction in the VM's own way.
func deoptimize(L *LState, inst uint32, baseframe *callFrame) int {
	opOf(L.currentFrame).count.Count1()
	return jumpTable[inst>>26](L, inst, baseframe)
}

// operand returns the register or constant with a number of 9 bits.
func operand(L *LState, cf *callFrame, n uint32) LValue {
	if n&opBitRk != 0 {
		return cf.Fn.Proto.Constants[n&^opBitRk]
	}
	return L.reg.array[cf.LocalBase+int(n)]
}

// set sets a register.
func (rg *registry) setQuick(register int, v LValue) {
	rg.checkSize(register + 1)
	rg.array[register] = v
	if register >= rg.top {
		rg.top = register + 1
	}
}

func registerA(cf *callFrame, inst uint32) int { return cf.LocalBase + int(inst>>18&0xff) }

func addNumbers(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	x, ok := operand(L, cf, inst&0x1ff).(LNumber)
	y, ok2 := operand(L, cf, inst>>9&0x1ff).(LNumber)
	if !ok || !ok2 {
		return deoptimize(L, inst, baseframe)
	}
	L.reg.setQuick(registerA(cf, inst), L.reg.alloc.LNumber2I(x+y))
	return 0
}

func subtractNumbers(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	x, ok := operand(L, cf, inst&0x1ff).(LNumber)
	y, ok2 := operand(L, cf, inst>>9&0x1ff).(LNumber)
	if !ok || !ok2 {
		return deoptimize(L, inst, baseframe)
	}
	L.reg.setQuick(registerA(cf, inst), L.reg.alloc.LNumber2I(x-y))
	return 0
}

func multiplyNumbers(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	x, ok := operand(L, cf, inst&0x1ff).(LNumber)
	y, ok2 := operand(L, cf, inst>>9&0x1ff).(LNumber)
	if !ok || !ok2 {
		return deoptimize(L, inst, baseframe)
	}
	L.reg.setQuick(registerA(cf, inst), L.reg.alloc.LNumber2I(x*y))
	return 0
}

func divideNumbers(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	x, ok := operand(L, cf, inst&0x1ff).(LNumber)
	y, ok2 := operand(L, cf, inst>>9&0x1ff).(LNumber)
	if !ok || !ok2 {
		return deoptimize(L, inst, baseframe)
	}
	L.reg.setQuick(registerA(cf, inst), L.reg.alloc.LNumber2I(x/y))
	return 0
}

// jumpIf skips the jump that follows a comparison, or executes it.
func (cf *callFrame) jumpIf(holds bool, inst uint32) {
	if holds == (inst>>18&0xff == 0) {
		cf.Pc++
		return
	}
	cf.Pc += int(cf.Fn.Proto.Code[cf.Pc]&0x3ffff) - opMaxArgSbx + 1
}

func jumpLess(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	x, ok := operand(L, cf, inst&0x1ff).(LNumber)
	y, ok2 := operand(L, cf, inst>>9&0x1ff).(LNumber)
	if !ok || !ok2 {
		return jumpTable[inst>>26](L, inst, baseframe)
	}
	cf.jumpIf(x < y, inst)
	return 0
}

func jumpLessOrEqual(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	x, ok := operand(L, cf, inst&0x1ff).(LNumber)
	y, ok2 := operand(L, cf, inst>>9&0x1ff).(LNumber)
	if !ok || !ok2 {
		return jumpTable[inst>>26](L, inst, baseframe)
	}
	cf.jumpIf(x <= y, inst)
	return 0
}

func jumpEqual(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	x, ok := operand(L, cf, inst&0x1ff).(LNumber)
	y, ok2 := operand(L, cf, inst>>9&0x1ff).(LNumber)
	if !ok || !ok2 {
		return jumpTable[inst>>26](L, inst, baseframe)
	}
	cf.jumpIf(x == y, inst)
	return 0
}

// jumpTest is OP_TEST with its jump.
func jumpTest(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	if LVAsBool(L.reg.array[registerA(cf, inst)]) == (inst>>9&0x1ff == 0) {
		cf.Pc++
	} else {
		cf.Pc += int(cf.Fn.Proto.Code[cf.Pc]&0x3ffff) - opMaxArgSbx + 1
	}
	return 0
}

// loopNumbers is OP_FORLOOP. It makes one value for both registers.
func loopNumbers(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	a := registerA(cf, inst)
	r := L.reg.array[a : a+4 : a+4]
	i, ok := r[0].(LNumber)
	limit, ok2 := r[1].(LNumber)
	step, ok3 := r[2].(LNumber)
	if !ok || !ok2 || !ok3 {
		return jumpTable[OP_FORLOOP](L, inst, baseframe)
	}
	i += step
	if (step > 0 && i <= limit) || (step <= 0 && i >= limit) {
		v := L.reg.alloc.LNumber2I(i)
		r[0] = v
		r[3] = v
		if a+3 >= L.reg.top {
			L.reg.top = a + 4
		}
		cf.Pc += int(inst&0x3ffff) - opMaxArgSbx
		return 0
	}
	return jumpTable[OP_FORLOOP](L, inst, baseframe) // ends the loop
}

// element returns the element of a table with an index in its array, or nil.
func element(container, key LValue) *LValue {
	t, ok := container.(*LTable)
	if !ok {
		return nil
	}
	n, ok := key.(LNumber)
	if !ok {
		return nil
	}
	i := int(n)
	if LNumber(i) != n || uint(i-1) >= uint(len(t.array)) || t.array[i-1] == LNil {
		return nil
	}
	return &t.array[i-1]
}

func getElement(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	e := element(L.reg.array[cf.LocalBase+int(inst&0x1ff)], operand(L, cf, inst>>9&0x1ff))
	if e == nil {
		return jumpTable[OP_GETTABLE](L, inst, baseframe)
	}
	L.reg.setQuick(registerA(cf, inst), *e)
	return 0
}

func setElement(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	e := element(L.reg.array[registerA(cf, inst)], operand(L, cf, inst&0x1ff))
	v := operand(L, cf, inst>>9&0x1ff)
	if e == nil || v == LNil {
		return jumpTable[OP_SETTABLE](L, inst, baseframe)
	}
	*e = v
	return 0
}

// fieldOf returns a field of a table or of the tables that are its metatables' __index, or nil.
func fieldOf(container LValue, name string) LValue {
	for range 4 {
		t, ok := container.(*LTable)
		if !ok {
			return nil
		}
		if v, ok := t.strdict[name]; ok && v != LNil {
			return v
		}
		meta, ok := t.Metatable.(*LTable)
		if !ok {
			return nil
		}
		container = meta.strdict["__index"]
	}
	return nil
}

func (cf *callFrame) stringConstant(n uint32) string { return cf.Fn.Proto.stringConstants[n&^opBitRk] }

func getFieldOfTable(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	c := inst >> 9 & 0x1ff
	var v LValue
	if c&opBitRk != 0 {
		v = fieldOf(L.reg.array[cf.LocalBase+int(inst&0x1ff)], cf.stringConstant(c))
	}
	if v == nil {
		return jumpTable[OP_GETTABLEKS](L, inst, baseframe)
	}
	L.reg.setQuick(registerA(cf, inst), v)
	return 0
}

func getMethodOfTable(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	c := inst >> 9 & 0x1ff
	self := L.reg.array[cf.LocalBase+int(inst&0x1ff)]
	var v LValue
	if c&opBitRk != 0 {
		v = fieldOf(self, cf.stringConstant(c))
	}
	if v == nil {
		return jumpTable[OP_SELF](L, inst, baseframe)
	}
	a := registerA(cf, inst)
	L.reg.setQuick(a, v)
	L.reg.setQuick(a+1, self)
	return 0
}

// setFieldOfTable sets a field of a table that has it or has no metatable.
func setFieldOfTable(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	b := inst & 0x1ff
	t, ok := L.reg.array[registerA(cf, inst)].(*LTable)
	if !ok || b&opBitRk == 0 {
		return jumpTable[OP_SETTABLEKS](L, inst, baseframe)
	}
	name := cf.stringConstant(b)
	if t.Metatable != LNil {
		if old, has := t.strdict[name]; !has || old == LNil {
			return jumpTable[OP_SETTABLEKS](L, inst, baseframe)
		}
	}
	t.RawSetString(name, operand(L, cf, inst>>9&0x1ff))
	return 0
}

// callTarget calls the function that training saw, which has no variable arguments.
func callTarget(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	a := registerA(cf, inst)
	fn, ok := L.reg.array[a].(*LFunction)
	stack, fixed := L.stack.(*fixedCallFrameStack)
	target := opOf(cf).target
	if !ok || !fixed || fn.Proto != target || stack.sp >= len(stack.array) {
		return deoptimize(L, inst, baseframe)
	}
	nargs := int(inst&0x1ff) - 1
	base := a + 1
	used := int(target.NumUsedRegisters)
	L.reg.checkSize(base + max(nargs, used))
	registers := L.reg.array[base : base+max(nargs, used)]
	for i := min(nargs, int(target.NumParameters)); i < len(registers); i++ {
		registers[i] = LNil
	}
	L.reg.top = base + used
	frame := &stack.array[stack.sp]
	frame.Idx = stack.sp
	frame.Fn = fn
	frame.Parent = cf
	frame.Pc = 0
	frame.Base = a
	frame.LocalBase = base
	frame.ReturnBase = a
	frame.NArgs = nargs
	frame.NRet = int(inst>>9&0x1ff) - 1
	frame.TailCall = 0
	stack.sp++
	L.currentFrame = frame
	if w := target.profile.calls; w != nil {
		w.Count1()
	}
	return 0
}

// returnValue returns one value to a Lua function that wants one.
func returnValue(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	stack, fixed := L.stack.(*fixedCallFrameStack)
	if inst&0x1ff != 2 || cf.NRet != 1 || !fixed || L.uvcache != nil || cf == baseframe || cf.Parent == nil ||
		cf.Parent.Fn == nil || cf.Parent.Fn.IsG || stack.sp < 2 || &stack.array[stack.sp-2] != cf.Parent {
		return jumpTable[OP_RETURN](L, inst, baseframe)
	}
	L.reg.array[cf.ReturnBase] = L.reg.array[registerA(cf, inst)]
	L.reg.SetTop(cf.ReturnBase + 1)
	stack.sp--
	L.currentFrame = cf.Parent
	return 0
}
