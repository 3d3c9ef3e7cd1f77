package jamaica

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestSharesAreRoundedDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Uint64Min(1).Draw(t, "total")
		n := rapid.Uint64Range(0, total).Draw(t, "n")
		want := new(big.Int).Mul(new(big.Int).SetUint64(n), big.NewInt(100))
		want.Div(want, new(big.Int).SetUint64(total))
		if got := percentShare(n, total); got != want.Uint64() {
			t.Fatalf("%d of %d is %d%%, want %v", n, total, got, want)
		}
	})
	if percentShare(0, 0) != 0 || percentShare(5, 0) != 0 {
		t.Error("a share of nothing")
	}
}

// TestTotalsGiveTheShares: of lines that are not all, a total is found that
// gives the same shares; of all lines it is their sum.
func TestTotalsGiveTheShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Uint64Range(0, 1<<56), 1, 9).Draw(t, "counts")
		sum := uint64(0)
		for _, n := range counts {
			sum += n
		}
		missing := rapid.Uint64Range(0, 1<<56).Draw(t, "missing")
		all := shareTally{hi: math.MaxUint64}
		for _, n := range counts {
			all.addShare(n, percentShare(n, sum+missing))
		}
		total, known := all.estimateTotal()
		if !known || total < sum || total > max(sum, sum+missing) {
			t.Fatalf("total %d, %t, of %v and %d", total, known, counts, missing)
		}
		for _, n := range counts {
			if percentShare(n, total) != percentShare(n, sum+missing) {
				t.Fatalf(
					"%d of %d is %d%%, of %d %d%%",
					n,
					total,
					percentShare(n, total),
					sum+missing,
					percentShare(n, sum+missing),
				)
			}
		}
	})
	impossible := shareTally{hi: math.MaxUint64}
	impossible.addShare(10, 90)
	impossible.addShare(10, 90)
	if total, known := impossible.estimateTotal(); known || total != 20 {
		t.Errorf("total %d, %t", total, known)
	}
	wide := shareTally{hi: math.MaxUint64} // less than 1 % of what no number counts
	wide.addShare(1<<60, 0)
	if total, known := wide.estimateTotal(); known || total != 1<<60 {
		t.Errorf("total %d, %t, of a share of a total above 2^64", total, known)
	}
}
