package bytecode

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/internal/java/methodcode"
)

func TestPoints(t *testing.T) {
	code := slices.Concat(
		[]byte{ILoad, 1, IfEq, 0, 10},         // 0, 2: to 12
		[]byte{InvokeStatic, 0, 9},            // 5
		[]byte{Goto, 0xff, 0xf8, 0},           // 8: to 0
		[]byte{TableSwitch, 0, 0, 0},          // 12, with alignment
		[]byte{0, 0, 0, 24},                   // default: to 36
		[]byte{0, 0, 0, 5, 0, 0, 0, 6},        // of 5 to 6
		[]byte{0, 0, 0, 28, 0xff, 0xff, 0xff}, // to 40, and with the next byte to 11
		[]byte{0xff},
		[]byte{LookupSwitch, 0, 0, 0},                          // 36
		[]byte{0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 8}, // to 40; 7: to 44
		[]byte{AAStore, Wide, Ret, 0, 1, GotoW, 0, 0, 1, 0},    // 56, 57, 61: to 317
	)
	points, ok := Points(code)
	want := []Point{
		{2, methodcode.Branch, []int{12}}, {5, methodcode.Call, nil}, {8, methodcode.Jump, []int{0}},
		{12, methodcode.Switch, []int{36, 40, 11}}, {36, methodcode.Switch, []int{40, 44}}, {56, methodcode.TypeCheck, nil},
		{57, methodcode.Ret, nil}, {61, methodcode.Jump, []int{317}},
	}
	if diff := cmp.Diff(want, points); diff != "" || !ok {
		t.Errorf("%v %s", ok, diff)
	}
	for at, want := range map[int][]int32{12: {5, 6}, 36: {7}, 0: nil, 5: nil, 13: nil, -1: nil, 1000: nil} {
		if got := labelsAt(code, at); !slices.Equal(got, want) {
			t.Errorf("the labels at %d are %v, want %v", at, got, want)
		}
	}
	if _, ok := Points(code[:len(code)-1]); ok {
		t.Error("code that is cut off has points")
	}
}

func TestPointsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SliceOfN(rapid.OneOf(rapid.Byte(),
			rapid.SampledFrom([]byte{Wide, GotoW, TableSwitch, LookupSwitch, Ret, IfEq, 0})), 0, 60).Draw(t, "code")
		points, ok := Points(code)
		last := -1
		for _, p := range points {
			if p.Bci <= last || p.Bci >= len(code) || p.Kind == methodcode.NoPoint {
				t.Errorf("a point at %d after one at %d", p.Bci, last)
			}
			last = p.Bci
		}
		if ok && len(code) > 0 && CodeID(code) == 0 {
			t.Error("points of what is no code")
		}
	})
}

// labelsAt returns the values of the cases of the switch at a place in code, in the order
// of the targets of its point; nil if there is no switch.
func labelsAt(code []byte, at int) []int32 {
	java, from, size := operandsAt(code, at)
	if size == 0 {
		return nil
	}
	return switchLabels(java, code[from:at+size])
}
