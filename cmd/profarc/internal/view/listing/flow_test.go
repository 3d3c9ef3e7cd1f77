package listing

import (
	"testing"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/java/bytecode"
)

// TestCodeBeforeTheCountingIsNotZero lists two calls in a row, which HotSpot ran before it counted at their points. A
// call behind one that was counted did not run.
func TestCodeBeforeTheCountingIsNotZero(t *testing.T) {
	t.Parallel()
	code := []byte{bytecode.InvokeStatic, 0, 1, bytecode.InvokeStatic, 0, 2, bytecode.Return}
	for _, c := range []struct {
		late   bool
		points [2]uint64 // counts at the calls
		want   [3]string // counts of the bytecodes
	}{
		{true, [2]uint64{0, 0}, [3]string{"~3", "~3", "~3"}},
		{true, [2]uint64{2, 0}, [3]string{"2", "0", "~0"}},
		{true, [2]uint64{0, 2}, [3]string{"~2", "2", "~2"}},
		{false, [2]uint64{0, 0}, [3]string{"0", "0", "~0"}},
	} {
		f := &flow{code: code, late: c.late, list: []Instruction{
			{Bci: 0, Points: []analyze.Point{{Executed: true, Count: c.points[0]}}},
			{Bci: 3, Points: []analyze.Point{{Executed: true, Count: c.points[1]}}},
			{Bci: 6}}}
		f.deriveCounts(3, true)
		for i, want := range c.want {
			got := f.list[i].Basis.CountText(f.list[i].Count, func(n uint64) string { return string(rune('0' + n)) })
			if got != want {
				t.Errorf("late %t, points %d: bytecode %d has %s, want %s", c.late, c.points, i, got, want)
			}
		}
	}
}
