package verify_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// TestArbitraryChangesEndInAReport changes bytes, corrects the checksums, and verifies the archive. Verification must
// end, and each problem must be an error of the archive.
func TestArbitraryChangesEndInAReport(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	rounds := 4000
	if testing.Short() {
		rounds = 200
	}
	for _, s := range specimen.All() {
		original, h := sound(t, s.Name)
		r := rand.New(rand.NewPCG(7, uint64(len(original))))
		used := append([]layout.Span{}, h.Regions[disk.RegionIX-1:]...)
		data := make([]byte, len(original))
		for round := range rounds {
			copy(data, original)
			changed := *h
			for range 1 + r.IntN(3) {
				region := used[r.IntN(len(used))]
				if region.Size > 0 {
					data[region.Offset+r.Int64N(region.Size)] = byte(r.Uint32())
				}
			}
			reseal(data, &changed)
			m, err := archive.FromBytes("app.parc", data, archive.Options{})
			if s.Domain == layout.DomainCustom && inArchive(err) {
				continue // the shapes of its entries are read when it is opened
			}
			if err != nil {
				t.Fatalf("%s, round %d: %v", s.Name, round, err)
			}
			report, err := verify.Store(context.Background(), reader.New(m), nil)
			if err != nil || len(report.Problems) > 20 {
				t.Fatalf("%s, round %d: %d problems, %v", s.Name, round, len(report.Problems), err)
			}
			for _, p := range report.Problems {
				if !inArchive(p) {
					t.Fatalf("%s, round %d: %v", s.Name, round, p)
				}
			}
		}
	}
}
