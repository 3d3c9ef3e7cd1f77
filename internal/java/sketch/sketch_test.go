package sketch

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/profarc/profarc/internal/java/bytecode"
)

// Opcodes that tests name.
const (
	ifLt, ifGe, ifGt, ifLe       = 155, 156, 157, 158
	ifICmpNe, ifICmpLt, ifICmpGe = 160, 161, 162
	ifICmpGt, ifICmpLe, ifACmpEq = 163, 164, 165
	iAddOp, iSubOp               = 96, 100
)

// code builds code: an instruction is 10 bytes long, so that place i is bci 10i.
type code []bytecode.Instruction

func (c code) op(op byte) code { return append(c, bytecode.Instruction{Bci: 10 * len(c), Op: op}) }

func (c code) local(op byte, local int) code {
	c = c.op(op)
	c[len(c)-1].Local = local
	return c
}

func (c code) push(n int64) code {
	c = c.op(bytecode.SiPush)
	c[len(c)-1].Value = n
	return c
}

func (c code) name(op byte, class, name, descriptor string) code {
	c = c.op(op)
	c[len(c)-1].Name = bytecode.Name{Class: class, Name: name, Descriptor: descriptor}
	return c
}

func (c code) to(op byte, place int) code {
	c = c.op(op)
	c[len(c)-1].Targets = []int{10 * place}
	return c
}

func (c code) end() code { return c.op(bytecode.Return) }

// ints loads int variables.
func ints(locals ...int) (c code) {
	for _, l := range locals {
		c = c.local(bytecode.ILoad, l)
	}
	return c
}

// last returns the last point of code.
func last(t *testing.T, c code) Point {
	t.Helper()
	points, ok := Points(c)
	if !ok || len(points) == 0 {
		t.Fatalf("no points: %v", c)
	}
	return points[len(points)-1]
}

// branch ends code with a branch that goes to a return, or by it to another one.
func branch(c code, op byte) code {
	c = c.to(op, len(c)+2)
	return c.end().end()
}

func TestConditions(t *testing.T) {
	field := func(name string) code { return code{}.local(bytecode.ALoad, 0).name(bytecode.GetField, "C", name, "I") }
	object := func() code { return code{}.local(bytecode.ALoad, 1) }
	static := func(name string) code { return code{}.name(bytecode.GetStatic, "C", name, "I") }
	longs := code{}.local(bytecode.LLoad, 1).local(bytecode.LLoad, 3).op(lCmp)
	floats := func(op byte, a, b int) code { return code{}.local(bytecode.FLoad, a).local(bytecode.FLoad, b).op(op) }
	for _, c := range []struct {
		what          string
		a, b          code
		same, inverse bool
	}{
		{"== and !=", branch(ints(1), bytecode.IfEq), branch(ints(1), bytecode.IfEq+1), true, true},
		{"null and not null", branch(object(), bytecode.IfNull), branch(object(), bytecode.IfNonNull), true, true},
		{"null as a constant", branch(object(), bytecode.IfNull), branch(object().op(bytecode.AConstNull), ifACmpEq),
			true, false},
		{"a < b and a >= b", branch(ints(1, 2), ifICmpLt), branch(ints(1, 2), ifICmpGe), true, true},
		{"a < b and b > a", branch(ints(1, 2), ifICmpLt), branch(ints(2, 1), ifICmpGt), true, false},
		{"a < b and b <= a", branch(ints(1, 2), ifICmpLt), branch(ints(2, 1), ifICmpLe), true, true},
		{"a < b and b < a", branch(ints(1, 2), ifICmpLt), branch(ints(2, 1), ifICmpLt), false, false},
		{"a < b and a > b", branch(ints(1, 2), ifICmpLt), branch(ints(1, 2), ifICmpGt), false, false},
		{"x <= 3 and x < 4", branch(ints(1).push(3), ifICmpLe), branch(ints(1).push(4), ifICmpLt), true, false},
		{"x < 3 and x < 4", branch(ints(1).push(3), ifICmpLt), branch(ints(1).push(4), ifICmpLt), false, false},
		{"x > 0 and x < 1", branch(ints(1), ifGt), branch(ints(1).push(1), ifICmpLt), true, true},
		{"x < 0 and x >= 0", branch(ints(1), ifLt), branch(ints(1), ifGe), true, true},
		{"x < 0 and x <= 0", branch(ints(1), ifLt), branch(ints(1), ifLe), false, false},
		{"a != b and b != a", branch(ints(1, 2), ifICmpNe), branch(ints(2, 1), ifICmpNe), true, false},
		{"a field and another", branch(field("a"), bytecode.IfEq), branch(field("b"), bytecode.IfEq), false, false},
		{"a static field and another", branch(static("a"), bytecode.IfEq), branch(static("b"), bytecode.IfEq), false, false},
		{"a + b and b + a", branch(ints(1, 2).op(iAddOp), bytecode.IfEq), branch(ints(2, 1).op(iAddOp), bytecode.IfEq),
			true, false},
		{"a - b and b - a", branch(ints(1, 2).op(iSubOp), bytecode.IfEq), branch(ints(2, 1).op(iSubOp), bytecode.IfEq),
			false, false},
		{"longs", branch(longs, ifLt), branch(append(code{}, longs...), ifGe), true, true},
		{"floats", branch(floats(fCmpG, 1, 2), ifGe), branch(floats(fCmpG, 1, 2), ifLt), true, true},
		{"floats mirrored: a < b, b > a", branch(floats(fCmpG, 1, 2), ifGe), branch(floats(fCmpL, 2, 1), ifLe), true, false},
		{"floats and NaN: a < b, a >= b", branch(floats(fCmpG, 1, 2), ifGe), branch(floats(fCmpL, 1, 2), ifLt), false, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			a, b := last(t, c.a).SketchPoint, last(t, c.b).SketchPoint
			if same := a.What == b.What && a.Operands == b.Operands; same != c.same ||
				same && (a.Inverse != b.Inverse) != c.inverse {
				t.Errorf("%+v and %+v", a, b)
			}
		})
	}
}

// set sets a variable to the result of a method without arguments.
func (c code) set(local int, method string) code {
	return c.name(bytecode.InvokeStatic, "C", method, "()I").local(bytecode.IStore, local)
}

func TestVariablesAreWhatTheyAreSetTo(t *testing.T) {
	ab := append(code{}.set(4, "a").set(5, "b"), code{}...)
	compare := func(c code, x, y int) Point {
		return last(t, branch(c.local(bytecode.ILoad, x).local(bytecode.ILoad, y), ifICmpLt))
	}
	want := compare(ab, 4, 5)
	if got := compare(code{}.set(8, "b").set(7, "a"), 7, 8); got.SketchPoint != want.SketchPoint {
		t.Error("the numbers of variables count")
	}
	if got := compare(code{}.set(4, "b").set(5, "a"), 4, 5); got.SketchPoint == want.SketchPoint {
		t.Error("what variables are set to does not count")
	}
	reused := code{}.set(4, "other").local(bytecode.ILoad, 4).name(bytecode.InvokeStatic, "C", "use", "(I)V").set(4,
		"a").set(5, "b")
	if got := compare(reused, 4, 5); got.SketchPoint != want.SketchPoint {
		t.Error("what the number was before counts")
	}
	if got := compare(code{}.push(0).local(bytecode.IStore, 4).push(0).local(bytecode.IStore, 5), 4, 5); got.What != 0 {
		t.Error("variables that cannot be distinguished are compared")
	}
}

// A boolean that a compiler makes of a condition differs from the opposite condition's.
func TestConditionsInVariables(t *testing.T) {
	made := func(op byte) code {
		c := code{}.local(bytecode.ALoad, 1).to(op, 4).push(1).to(bytecode.Goto, 5).push(0).local(bytecode.IStore, 3)
		return branch(c.local(bytecode.ILoad, 3), bytecode.IfEq)
	}
	a, b := last(t, made(bytecode.IfNull)), last(t, made(bytecode.IfNonNull))
	if a.What == b.What && a.Operands == b.Operands {
		t.Error("a condition and its negation are the same value")
	}
	swapped := code{}.local(bytecode.ALoad, 1).to(bytecode.IfNonNull, 4).push(0).to(bytecode.Goto,
		5).push(1).local(bytecode.IStore, 3)
	if c := last(t, branch(swapped.local(bytecode.ILoad, 3), bytecode.IfEq)); c.SketchPoint != a.SketchPoint {
		t.Error("the order of the arms counts")
	}
}

func TestCallsAndChecks(t *testing.T) {
	call := func(receiver int, name string) code {
		return code{}.local(bytecode.ALoad, receiver).name(bytecode.InvokeVirtual, "C", name, "()V").end()
	}
	check := func(class string) code {
		return code{}.local(bytecode.ALoad, 1).name(bytecode.CheckCast, class, "", "").op(87).end()
	}
	foo := last(t, call(1, "foo"))
	if foo.Holder != "C" || foo.What == 0 || foo.What == last(t, call(1, "bar")).What {
		t.Errorf("foo is %+v, bar %+v", foo, last(t, call(1, "bar")))
	}
	if other := last(t, call(2, "foo")); other.What != foo.What || other.Operands == foo.Operands {
		t.Error("receivers do not count")
	}
	if a, b := last(t, check("A")), last(t, check("B")); a.What == b.What || a.Holder != "" {
		t.Error("types do not count")
	}
	if p := last(t, code{}.name(bytecode.InvokeStatic, "C", "access$000", "()V").end()); p.What != 0 {
		t.Error("the number of an accessor counts")
	}
}

func TestSwitches(t *testing.T) {
	over := func(c code, labels ...int32) code {
		c = c.op(bytecode.LookupSwitch)
		s := &c[len(c)-1]
		s.Labels = labels
		for range len(labels) + 1 {
			s.Targets = append(s.Targets, 10*len(c))
		}
		return c.end()
	}
	a, b := last(t, over(ints(1), 3, 4)), last(t, over(ints(1), 3, 5))
	if a.What != b.What || a.Operands == b.Operands || len(a.Labels) != 2 {
		t.Errorf("%+v and %+v", a, b)
	}
	enum := code{}.name(bytecode.GetStatic, "C$1", "$SwitchMap$E", "[I").local(bytecode.ALoad,
		1).name(bytecode.InvokeVirtual, "E", "ordinal", "()I").op(iALoad)
	if p := last(t, over(enum, 1, 2)); p.What != 0 || p.Labels != nil {
		t.Error("the numbers of a switch over an enum count")
	}
}

// Anything that can be decoded is gone through, or has no sketch.
func TestAnyCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.OneOf(rapid.Byte(),
			rapid.SampledFrom([]byte{21, 1, 3, 54, 1, 153, 0, 3, 87, 89, 96, 182, 0, 167, 255, 172, 177})), 0,
			80).Draw(t, "code")
		list, ok := bytecode.Instructions(raw, func(_, java byte, operand []byte) (bytecode.Name, bool) {
			return bytecode.Name{Class: "C", Name: string(operand[:1]),
				Descriptor: []string{"I", "(IJ)V", "()Ljava/lang/Object;", "([[DF)J", "(", "((", "[L"}[int(operand[0])%7]}, true
		})
		if !ok {
			return
		}
		a, ok1 := Points(list)
		b, ok2 := Points(list)
		if ok1 != ok2 || len(a) != len(b) {
			t.Fatal("another answer to the same question")
		}
		want := 0
		for i := range list {
			if list[i].Kind().Sketched() {
				want++
			}
		}
		if ok1 && len(a) != want {
			t.Errorf("%d points of %d", len(a), want)
		}
	})
}
