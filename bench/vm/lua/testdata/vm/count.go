//go:build go1.26

package lua

import "github.com/profarc/profarc"

// counting has the handlers that count, by opcode. Those that begin with count are made from the VM's own by edits.
var counting map[int]instFunc

func init() {
	counting = map[int]instFunc{
		OP_ADD: countArith, OP_SUB: countArith, OP_MUL: countArith, OP_DIV: countArith, OP_MOD: countArith,
		OP_POW: countArith, OP_EQ: countEqual, OP_LT: countLess, OP_LE: countLessOrEqual, OP_TEST: countTest,
		OP_TESTSET: countTestSet, OP_CALL: countCall, OP_TAILCALL: countTailCall, OP_FORLOOP: countForLoop,
		OP_TFORLOOP: countIteratorLoop, OP_GETTABLE: countGetTable, OP_GETTABLEKS: countGetField,
		OP_SETTABLE: countSetTable, OP_SETTABLEKS: countSetField, OP_SELF: countSelf,
	}
}

// count makes a function count.
func (p *Profiler) count(fp *FunctionProto) {
	f := fp.profile.function
	fp.profile.calls = f.Calls()
	fp.profile.backedges = f.Backedges()
	fp.profile.cold = make([]*site, len(fp.Code))
	for pc, code := range fp.instructions {
		o := &fp.profile.ops[pc]
		if handler, ok := counting[code]; ok {
			o.handler = handler
		}
		switch code {
		case OP_EQ, OP_LT, OP_LE, OP_TEST, OP_TESTSET:
			o.taken, o.count = f.Branch(int32(pc))
		case OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_POW, OP_CALL, OP_TAILCALL, OP_GETTABLE, OP_GETTABLEKS, OP_SETTABLE,
			OP_SETTABLEKS, OP_SELF:
			fp.profile.cold[pc] = &site{receivers: f.Receivers(int32(pc))}
		case OP_JMP:
			if int(o.inst&0x3ffff) < opMaxArgSbx {
				o.handler = jumpBack
			}
		}
	}
}

// jumpBack is OP_JMP to an earlier instruction.
func jumpBack(L *LState, inst uint32, baseframe *callFrame) int {
	cf := L.currentFrame
	cf.Fn.Proto.profile.backedges.Count1()
	cf.Pc += int(inst&0x3ffff) - opMaxArgSbx
	return 0
}

// opOf returns the instruction that a frame executes. Its program counter is already that of the next instruction.
func opOf(cf *callFrame) *op { return &cf.Fn.Proto.profile.ops[cf.Pc-1] }

// hit counts an arrival of the type in the inline cache of an instruction. The compiler inlines it.
func hit(cf *callFrame, t *profarc.Type) bool {
	o := opOf(cf)
	if o.cached != t {
		return false
	}
	o.count.Count1()
	return true
}

// arrive counts an arrival of a type in the type profile of an instruction.
func arrive(cf *callFrame, t *profarc.Type) {
	if !hit(cf, t) {
		miss(cf, t)
	}
}

// miss counts the arrival of a type that is not in the inline cache, and caches it if it has a row.
func miss(cf *callFrame, t *profarc.Type) {
	o := opOf(cf)
	s := cf.Fn.Proto.profile.cold[cf.Pc-1]
	for _, r := range s.earlier {
		if r.of == t {
			r.count.Count1()
			o.cached = t
			o.count = r.count
			return
		}
	}
	if count := s.receivers.Record(t); count != nil {
		o.cached = t
		o.count = count
		s.earlier = append(s.earlier, cacheRow{t, count})
	}
}

// arriveCallee counts a callee.
func arriveCallee(cf *callFrame, callee *LFunction) {
	switch {
	case callee == nil:
	case callee.IsG:
		arrive(cf, builtinType)
	default:
		arrive(cf, callee.Proto.profile.callee)
	}
}

// arriveKinds counts the kinds of two operands.
func arriveKinds(cf *callFrame, left, right LValue) {
	arrive(cf, profiler.kinds[left.Type()][right.Type()])
}

// arriveIndex counts the kinds of a container and a key.
func arriveIndex(cf *callFrame, container, key LValue) {
	if _, ok := container.(*LTable); ok {
		if _, ok := key.(LNumber); ok {
			arrive(cf, indexedType)
			return
		}
	}
	arriveKinds(cf, container, key)
}

// arriveField counts the kind of a container with a field.
func arriveField(cf *callFrame, container LValue) {
	if _, ok := container.(*LTable); ok {
		arrive(cf, tableType)
		return
	}
	arrive(cf, profiler.kinds[container.Type()][LTString])
}

// branch counts a branch.
func branch(cf *callFrame, taken bool) {
	o := opOf(cf)
	if taken {
		o.taken.Count1()
	} else {
		o.count.Count1()
	}
}
