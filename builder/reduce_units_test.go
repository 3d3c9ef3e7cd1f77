package builder_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/weigh"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reduce"
)

// TestUnitsAreNotAddedUp: cycles are a thousand times as many as bytecodes, and
// those of main are those of all that it calls.
func TestUnitsAreNotAddedUp(t *testing.T) {
	b := builder.New(layout.DomainJamaica, builder.Config{})
	for name, counts := range map[string]map[layout.Sub]uint64{
		"main()V":  {layout.SubCycles: 1000000},
		"run()V":   {layout.SubCycles: 990000, layout.SubBytecodes: 10},
		"put(B)V":  {layout.SubCycles: 4000, layout.SubBytecodes: 900},
		"get()B":   {layout.SubCycles: 9999, layout.SubBytecodes: 90},
		"idle()V":  {layout.SubCycles: 100},
		"hash()I":  {layout.SubNativeCalls: 7},
		"never()V": {layout.SubBytecodes: 0},
	} {
		p := b.Profile(b.Method(layout.Key{Name: name}), 0, builder.NoContext)
		for sub, n := range counts {
			p.Count(builder.Count{Sub: sub, N: n})
		}
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	s := built(t, b)
	for hot, stay := range map[layout.Weight]string{
		layout.WeightOne / 100 * 50: "main run put hash",
		layout.WeightOne / 100 * 99: "main run put get hash", // put and get have 99% of the bytecodes, main and run 1% of the cycles each
		layout.WeightOne:            "main run put get hash idle",
	} {
		out, report := reduced(t, s.Store, reduce.Options{Hot: hot})
		for _, name := range []string{"main()V", "run()V", "put(B)V", "get()B", "idle()V", "hash()I", "never()V"} {
			_, err := out.Find(layout.Key{Name: name})
			if want := slices.Contains(strings.Fields(stay), name[:strings.IndexByte(name, '(')]); (err == nil) != want {
				t.Errorf("hot %s: %s: %v, want it to stay: %v", hot, name, err, want)
			}
		}
		if share, ok := report.ShareOf(layout.UnitBytecodes); !ok || share < float64(hot)/float64(layout.WeightOne) {
			t.Errorf("hot %s: a share of %v of the bytecodes, %v", hot, share, ok)
		}
		if share, ok := report.ShareOf(layout.UnitCycles); ok {
			t.Errorf("hot %s: a share of %v of the cycles, which cannot be added up", hot, share)
		}
	}
	weights, err := weigh.Methods(t.Context(), s.Store)
	if err != nil {
		t.Fatal(err)
	}
	if n, least := weights.Needed(layout.UnitCycles, layout.WeightOne/100*99); n != 2 || least != 990000 {
		t.Errorf("%d methods have 1%% of the cycles, the last %d", n, least)
	}
	if n, least := weights.Needed(layout.UnitBytecodes, layout.WeightOne/100*90); n != 1 || least != 900 {
		t.Errorf("%d methods have 90%% of the bytecodes, the last %d", n, least)
	}
	if n := weights.Kept(layout.WeightOne / 100 * 50); n != 4 || weights.Methods() != 6 {
		t.Errorf("%d methods are kept of %d", n, weights.Methods())
	}
}

// TestInclusiveCountsOfOneName: two methods whose names were cut to one do not
// weigh what both have, which would be more than main has.
func TestInclusiveCountsOfOneName(t *testing.T) {
	b := builder.New(layout.DomainJamaica, builder.Config{})
	cut := b.Profile(b.Method(layout.Key{Name: "CharsetEncoder.encode(Lja"}), 0, builder.NoContext)
	cut.Count(builder.Count{Sub: layout.SubCycles, N: 60})
	cut.Count(builder.Count{Sub: layout.SubCycles, N: 70})
	main := b.Profile(b.Method(layout.Key{Name: "main()V"}), 0, builder.NoContext)
	main.Count(builder.Count{Sub: layout.SubCycles, Flags: layout.EntryInterpreted, N: 60})
	main.Count(builder.Count{Sub: layout.SubCycles, N: 40})
	for _, p := range []*builder.Profile{cut, main} {
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	weights, err := weigh.Methods(t.Context(), built(t, b).Store)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[layout.Weight]uint64{1: 100, layout.WeightOne / 2: 70} {
		if _, least := weights.Needed(layout.UnitCycles, part); least != want {
			t.Errorf("of a part of %s the last has %d, want %d", part, least, want)
		}
	}
}
