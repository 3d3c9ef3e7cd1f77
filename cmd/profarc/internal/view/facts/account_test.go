package facts_test

import (
	"math"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/testkit/testarchive"
)

// TestTypeCountsBelowZero: failing type checks count down, so their totals and losses can be below 0.
func TestTypeCountsBelowZero(t *testing.T) {
	t.Parallel()
	below := func(n uint64) uint64 { return -n }
	testarchive.CheckEqual(t, "totals", facts.TotalsText(ledger.Totals{ledger.TypeCounts: below(1200)}),
		"-1,200 type counts")
	testarchive.CheckEqual(t, "loss", facts.AmountOfTotal(below(50), 1000, ledger.TypeCounts),
		"-50 of 1,000 type counts (5.00%)")
	testarchive.CheckEqual(t, "share", facts.ShareOfTotal(below(50), 1000, ledger.TypeCounts), 0.05)
	testarchive.CheckEqual(t, "share of nothing", facts.ShareOfTotal(below(50), 0, ledger.TypeCounts), 1.0)
	testarchive.CheckEqual(t, "share of a total below 0", facts.ShareOfTotal(50, below(1000), ledger.TypeCounts), 0.05)
	large, negative := ledger.Magnitude(ledger.BlockCounts, math.MaxUint64)
	testarchive.CheckEqual(t, "no other counts are below 0", large, uint64(math.MaxUint64))
	testarchive.CheckEqual(t, "no other counts are below 0", negative, false)
}
