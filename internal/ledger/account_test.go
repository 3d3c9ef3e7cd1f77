package ledger_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/ledger"
)

// An account balances if the inputs and gains equal the counts and losses, also beyond 2^64.
func TestResidual(t *testing.T) {
	t.Parallel()
	const u = ledger.Samples
	for name, c := range map[string]struct {
		in, lost, gained, out uint64
		want                  []ledger.Difference
	}{
		"balanced":       {in: 12, lost: 2, out: 10},
		"lost":           {in: 12, out: 10, want: []ledger.Difference{{Unit: u, Amount: 2}}},
		"gained":         {in: 12, out: 13, want: []ledger.Difference{{Unit: u, Gained: true, Amount: 1}}},
		"named gain":     {in: 12, gained: 1, out: 13},
		"beyond 64 bits": {in: 1, gained: math.MaxUint64, out: 5, lost: math.MaxUint64 - 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := ledger.Account{Inputs: []ledger.Input{{State: ledger.Read, Times: 1, Totals: ledger.Totals{u: c.in}}},
				Losses: []ledger.Loss{{Operation: "merge", Reason: "named", Unit: u, Amount: c.lost},
					{Operation: "merge", Reason: "named", Unit: u, Gained: true, Amount: c.gained}}}
			if diff := cmp.Diff(c.want, a.Residual(ledger.Totals{u: c.out})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What an option leaves out, and what weights change, is not lost.
func TestLost(t *testing.T) {
	t.Parallel()
	a := ledger.Account{Losses: []ledger.Loss{
		{Operation: "import", Reason: "values of other types " + ledger.ByChoice, Unit: "alloc_objects/count", Amount: 7},
		{Operation: "merge", Reason: ledger.ReasonWeights, Unit: ledger.Samples, Amount: 5},
		{Operation: "import", Reason: "labels", Unit: ledger.Samples, Amount: 2},
		{Operation: "import", Reason: "gains", Unit: ledger.Samples, Gained: true, Amount: 3},
	}}
	if diff := cmp.Diff(ledger.Totals{ledger.Samples: 2}, a.Lost()); diff != "" {
		t.Error(diff)
	}
}

// The first lines of several texts do not depend on their order.
func TestFirstLines(t *testing.T) {
	t.Parallel()
	x, y, z := "b\nd", "a\nb", "c\ne"
	want := "a\nb\nc"
	left := ledger.FirstLines(ledger.FirstLines(x, y), z)
	right := ledger.FirstLines(x, ledger.FirstLines(z, y))
	for _, got := range []string{left, right} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
