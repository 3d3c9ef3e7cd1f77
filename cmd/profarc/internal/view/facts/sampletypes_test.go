package facts_test

import (
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/testkit/testprofile"
)

// TestSampleTypes: accounts and ranks name the type of samples that are not samples of time.
func TestSampleTypes(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{"inuse_space/bytes": "inuse_space/bytes", "samples/count": "samples"} {
		p := testprofile.Random(1)
		name, unit, _ := strings.Cut(kind, "/")
		p.SampleType = []*profile.ValueType{{Type: name, Unit: unit}}
		for _, s := range p.Sample {
			s.Value = s.Value[:1]
		}
		s, _ := testprofile.Import(t, testprofile.Encode(t, p))
		account, err := facts.DescribeAccount(s)
		if err != nil || account.Totals[want] == 0 || len(account.Totals) != 1 {
			t.Errorf("%s: account of %v, %v", kind, account.Totals, err)
		}
		r, err := facts.MostSampled(t.Context(), s, facts.Samples, analyze.RankOptions{})
		if err != nil || string(r.By) != want {
			t.Errorf("%s: ranked by %s, %v", kind, r.By, err)
		}
	}
}
