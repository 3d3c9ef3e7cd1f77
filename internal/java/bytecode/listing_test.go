package bytecode

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// listed returns the code id of code by a listing of its instructions.
func listed(t interface{ Fatal(...any) }, code []byte) uint64 {
	list, ok := Instructions(code, func(_, _ byte, _ []byte) (Name, bool) { return Name{Descriptor: "(IJ)V"}, true })
	if !ok {
		t.Fatal("no instructions")
	}
	var l Listing
	for i := range list {
		java, _ := ClassFileOpcode(code[list[i].Bci])
		l.Add(java, &list[i])
	}
	return l.ID()
}

// A listing gives the code id of the bytecodes, whatever their operands.
func TestListingHasTheCodeID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var code []byte
		for range rapid.IntRange(1, 20).Draw(t, "instructions") {
			op := byte(rapid.IntRange(0, len(mnemonics)-1).Draw(t, "opcode"))
			if op == Wide {
				continue
			}
			code = append(code, op)
			if op == TableSwitch || op == LookupSwitch {
				code = appendSwitch(t, code, op)
				continue
			}
			pool, rest := operandSizes(op)
			operands := rapid.SliceOfN(rapid.Byte(), pool+rest, pool+rest).Draw(t, "operands")
			if op == InvokeInterface {
				operands = []byte{0, 1, 4, 0} // a receiver, an int and a long
			}
			code = append(code, operands...)
		}
		if want := CodeID(code); len(code) > 0 && listed(t, code) != want {
			t.Errorf("another code id: % x", code)
		}
	})
}

func appendSwitch(t *rapid.T, code []byte, op byte) []byte {
	for len(code)%4 != 0 {
		code = append(code, 0)
	}
	word := func(n int32) { code = append(code, byte(n>>24), byte(n>>16), byte(n>>8), byte(n)) }
	cases := rapid.Int32Range(1, 5).Draw(t, "cases")
	word(8)
	if op == TableSwitch {
		low := rapid.Int32Range(math.MinInt32, math.MaxInt32-5).Draw(t, "low")
		word(low)
		word(low + cases - 1)
	} else {
		word(cases)
	}
	for i := range cases {
		if op == LookupSwitch {
			word(100 * i)
		}
		word(rapid.Int32Range(-9, 9).Draw(t, "distance"))
	}
	return code
}

// The code id is unknown if a part of the listing is missing, or printed otherwise.
func TestListingWithoutCodeID(t *testing.T) {
	t.Parallel()
	first := Instruction{Bci: 0, Op: ILoad, Local: 2}
	for name, list := range map[string][]Instruction{
		"empty":       nil,
		"beginning":   {{Bci: 2, Op: ILoad}},
		"gap":         {first, {Bci: 3, Op: 172}},
		"wide":        {{Bci: 0, Op: Wide}},
		"no cases":    {{Bci: 0, Op: TableSwitch, Targets: []int{4}}},
		"overlapping": {first, {Bci: 1, Op: 172}},
	} {
		t.Run(name, func(t *testing.T) {
			var l Listing
			for i := range list {
				l.Add(list[i].Op, &list[i])
			}
			if id := l.ID(); id != 0 {
				t.Errorf("code id %x", id)
			}
		})
	}
}
