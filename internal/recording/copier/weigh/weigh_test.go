package weigh_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/copier/weigh"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// TestInclusiveCountsOfOneName: two methods whose names were cut to the same string do not get the weight of both,
// which would exceed the weight of main.
func TestInclusiveCountsOfOneName(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainJamaica, builder.Config{})
	cut := b.Profile(layout.Key{Name: "CharsetEncoder.encode(Lja"}, 0)
	cut.Count(builder.Count{Sub: layout.SubCycles, N: 60})
	cut.Count(builder.Count{Sub: layout.SubCycles, N: 70})
	main := b.Profile(layout.Key{Name: "main()V"}, 0)
	main.Count(builder.Count{Sub: layout.SubCycles, Flags: disk.EntryInterpreted, N: 60})
	main.Count(builder.Count{Sub: layout.SubCycles, N: 40})
	testarchive.MustDone(t, cut, main)
	weights, err := weigh.Methods(t.Context(), testarchive.Build(t, b).Store)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[layout.Weight]uint64{1: 100, layout.WeightOne / 2: 70} {
		if _, least := weights.Needed(disk.UnitCycles, part); least != want {
			t.Errorf("of a part of %s the last has %d, want %d", part, least, want)
		}
	}
}
