package bytecode

import (
	"testing"

	"pgregory.net/rapid"
)

// A method with all that is special: quick forms, a switch at every alignment, wide.
func TestCodeIDOfQuickForms(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []byte
	}{
		{"field access", []byte{ALoad0, GetField, 0, 7, 172}, []byte{223 - 2, 234, 9, 0, 172}},
		{"call", []byte{ALoad0, InvokeVirtual, 1, 2, 177}, []byte{220, 227, 3, 4, 177}},
		{"dynamic call", []byte{InvokeDynamic, 0, 9, 0, 0, 177}, []byte{InvokeDynamic, 0xf6, 0xff, 0xff, 0xff, 232}},
		{"constant", []byte{Ldc, 3, 87, 177}, []byte{230, 0, 87, 177}},
		{"wide constant", []byte{LdcW, 3, 1, 87, 177}, []byte{231, 1, 0, 87, 177}},
		{"lookupswitch", []byte{LookupSwitch, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 20, 177},
			[]byte{228, 9, 9, 9, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 20, 177}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if CodeID(c.a) != CodeID(c.b) || CodeID(c.a) == 0 {
				t.Errorf("%s: %x, quick %x", c.name, CodeID(c.a), CodeID(c.b))
			}
		})
	}
	for name, code := range map[string][]byte{
		"breakpoint": {ALoad0, breakpoint, 0, 7, 172}, "cut off": {GetField, 0},
		"cut switch":  {LookupSwitch, 0, 0, 0, 0, 0, 0, 1},
		"huge switch": {TableSwitch, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}, "no bytecode": {255},
	} {
		if id := CodeID(code); id != 0 {
			t.Errorf("%s: %x", name, id)
		}
	}
	if CodeID([]byte{ILoad, 1, 172}) == CodeID([]byte{ILoad, 2, 172}) {
		t.Error("operands do not count")
	}
}

func TestCodeIDOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { CodeID(rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "code")) })
}
