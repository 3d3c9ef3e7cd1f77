package disk

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The bytes of the page of the format.
func TestSketchBytes(t *testing.T) {
	points := []SketchPoint{{What: 0x155, Operands: 0x0f0, Inverse: true}, {}, {What: 0x3ff, Operands: 0x1ff}}
	if got := fmt.Sprintf("%x", AppendSketch(nil, 0xabcdef, points)); got != "f2de55c10b0000ffff07" {
		t.Error(got)
	}
}

func TestSketchesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.Uint64().Draw(t, "code")
		points := rapid.SliceOf(rapid.Custom(func(t *rapid.T) SketchPoint {
			return NewSketchPoint(rapid.Uint64().Draw(t, "what"), rapid.Uint64().Draw(t, "operands"),
				rapid.Bool().Draw(t, "inverse"))
		})).Draw(t, "points")
		b := AppendSketch(nil, code, points)
		got, ok := ParseSketch(b, code)
		if !ok || !slices.Equal(got, points) {
			t.Errorf("%v became %v", points, got)
		}
		if _, ok := ParseSketch(b, code^1); ok {
			t.Error("it is taken for that of other code")
		}
		ParseSketch(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"), code)
	})
}
