package compare_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// marked returns a profile of main with two counters, and of another function.
func marked(t *testing.T, release int, first, second string) *reader.Store {
	t.Helper()
	var params layout.Params
	params.LLVMVersion = uint32(llvm.VersionOfRelease(release))
	text := ":ir\nmain\n1\n2\n" + first + "\n" + second + "\n\nother\n2\n2\n100\n50\n"
	in := &codec.Input{Reader: strings.NewReader(text), Config: builder.Config{Params: params}}
	r, err := (&llvm.Importer{}).Import(in)
	if err != nil {
		t.Fatal(err)
	}
	return memstore.Open(t, r.Sum)
}

// TestMarksAreNotCounts checks that marks for hot or warm functions do not count. LLVM 14 had no marks.
func TestMarksAreNotCounts(t *testing.T) {
	t.Parallel()
	const hot, warm = "18446744073709551615", "18446744073709551614"
	for _, c := range []struct {
		release          int
		a, b             string // first counters
		score, sumA      float64
		markedA, markedB int
	}{
		{0, hot, hot, 1, 150, 1, 1},
		{19, hot, warm, 1, 150, 1, 1},
		{19, hot, "43", 0.75, 150, 1, 0}, // 50 of 200 are main's
		{19, "43", warm, 0.75, 200, 0, 1},
		{14, hot, hot, 1, math.MaxUint64, 0, 0},
	} {
		a, b := marked(t, c.release, c.a, "7"), marked(t, c.release, c.b, "7")
		r, err := compare.Stores(t.Context(), a, b, compare.Options{})
		if err != nil {
			t.Fatal(err)
		}
		score, _ := scoreOf(r)
		name := fmt.Sprintf("LLVM %d, %s and %s: ", c.release, c.a, c.b)
		if math.Abs(score-c.score) > 1e-9 {
			t.Errorf("%sscore %v, want %v", name, score, c.score)
		}
		testarchive.CheckEqual(t, name+"sum of counts", r.Kinds[0].SumA, c.sumA)
		testarchive.CheckEqual(t, name+"marked in the first", r.MarkedA, c.markedA)
		testarchive.CheckEqual(t, name+"marked in the second", r.MarkedB, c.markedB)
	}
}
