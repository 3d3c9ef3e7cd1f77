package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// sitesOfMerged merges runs that record a branch at 1, a switch at 5, and a type check at 9, and
// returns the sites that are listed.
func sitesOfMerged(t *testing.T, runs ...[6]uint64) []PollutedSite {
	t.Helper()
	params := layout.Params{TypeProfileWidth: 2, VMRelease: 17}
	sum := builder.New(layout.DomainHotSpot, builder.Config{Params: params})
	for i, did := range runs {
		b := builder.New(layout.DomainHotSpot, builder.Config{Params: params, DumpID: [16]byte{byte(i + 1)}})
		p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 7)
		p.Branch(builder.At{Bci: 1}, builder.Branch{Taken: did[0], Displacement: 16, NotTaken: did[1]})
		p.MultiBranch(builder.At{Bci: 5}, builder.SwitchCase{Count: did[2]},
			builder.SwitchCase{Count: did[3]})
		p.ReceiverType(builder.At{Bci: 9, Flags: layout.EntryNullSeen * layout.EntryFlags(did[5])}, builder.Others{},
			builder.Row{Type: b.Type(builder.TypeKey{Name: "T"}), Count: did[4]})
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		if err := merge.Into(t.Context(), sum, memstore.Open(t, b), merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := MostPolluted(t.Context(), memstore.Open(t, sum), analyze.RankOptions{Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	return r.Sites
}

// A point that is certain in some runs and not in others is listed, though its sums tell a
// compiler what to expect.
func TestPointsThatWereCertainAreListed(t *testing.T) {
	type listed struct {
		Kind    analyze.Site
		Count   uint64
		Certain []SeenRow
	}
	for _, c := range []struct {
		name string
		runs [][6]uint64
		want []listed
	}{
		{"a branch", [][6]uint64{{1784}, {3784}, {1784, 200}},
			[]listed{{analyze.SiteBranch, 7552, []SeenRow{{"taken", 5568}}}}},
		{"each way in a run", [][6]uint64{{1784}, {0, 200}},
			[]listed{{analyze.SiteBranch, 1984, []SeenRow{{"taken", 1784}, {"not taken", 200}}}}},
		{"too few", [][6]uint64{{39}, {1784, 200}}, nil},
		{"certain in all", [][6]uint64{{1784}, {200}, {}}, nil},
		{"in none", [][6]uint64{{1784, 1}, {1784, 200}}, nil},
		{"a switch", [][6]uint64{{0, 0, 0, 50}, {0, 0, 7, 100}},
			[]listed{{analyze.SiteSwitch, 157, []SeenRow{{"case 1", 50}}}}},
		{"no null", [][6]uint64{{0, 0, 0, 0, 60}, {0, 0, 0, 0, 90, 1}},
			[]listed{{analyze.SiteNull, 150, []SeenRow{{"no null", 60}}}}},
		{"null in all", [][6]uint64{{0, 0, 0, 0, 60, 1}, {0, 0, 0, 0, 90, 1}},
			[]listed{{analyze.SiteNull, 150, []SeenRow{}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []listed
			for _, s := range sitesOfMerged(t, c.runs...) {
				got = append(got, listed{s.Kind, s.Count, s.Certain})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
		})
	}
}
