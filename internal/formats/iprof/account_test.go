package iprof

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/ledger"
)

// The counts of items that are left out are lost with their amounts.
func TestLostCountsOfItems(t *testing.T) {
	const text = `{"version":"1.0.0","types":[{"id":1,"name":"A"}],"methods":[{"id":2,"name":"m","signature":[1]}],` +
		`"callCountProfiles":[{"ctx":"2:0","records":[3]},{"ctx":"2:0","records":[4,5]}],` +
		`"conditionalProfiles":[{"ctx":"2:7","records":[1,0,10,2]},{"ctx":"2:8","records":[1,0,10]}],` +
		`"virtualInvokeProfiles":[{"ctx":"2:9","records":[1,-6]},{"ctx":"2:9","records":[1,6]}],` +
		`"samplingProfiles":[{"ctx":"odd","records":[8]}]}`
	_, report := read(t, text, ReadOptions{Name: "dir/a.iprof"})
	totals := ledger.Totals{ledger.Invocations: 3, ledger.Calls: 9, ledger.BranchCounts: 20, ledger.TypeCounts: 6,
		ledger.Samples: 8}
	if diff := cmp.Diff(totals, ledger.Totals(report.Totals)); diff != "" {
		t.Errorf("other totals (-want +got):\n%s", diff)
	}
	lost := map[string]uint64{}
	for _, l := range report.Lost {
		lost[l.Unit] = l.Amount
		if l.What != LossOdd || !strings.HasPrefix(l.First[0], `a.iprof: byte `) ||
			!strings.HasSuffix(l.First[0], `record 2 of "callCountProfiles"`) {
			t.Errorf("lost %+v", l)
		}
	}
	if diff := cmp.Diff(map[string]uint64{ledger.Calls: 9, ledger.BranchCounts: 10, ledger.Samples: 8}, lost); diff != "" {
		t.Errorf("other losses (-want +got):\n%s", diff)
	}
	if n := report.Lost.Count(LossOdd); n != 4 {
		t.Errorf("%d odd items, want 4", n)
	}
}
