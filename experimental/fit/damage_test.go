package fit_test

import (
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An archive with wrong bytes and right sums results in a report or an error, whether
// it is checked or checked against, and the adapted archive is sound.
func TestDamagedArchives(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for _, sp := range specimen.All()[:4] {
		whole, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		sound := openBytes(whole)
		reports := 0
		for range 400 {
			damaged := words.AlignedBytes(len(whole))
			copy(damaged, whole)
			damaged[place(random, damaged)] ^= byte(1 << random.IntN(8))
			disk.UpdateChecksum(damaged)
			s := openBytes(damaged)
			if s == nil || s.Header().Domain != sp.Domain {
				continue
			}
			for _, pair := range [][2]*reader.Store{{s, sound}, {sound, s}} {
				into := builder.New(sp.Domain, builder.ConfigOf(pair[0].Header()))
				_, err := fit.Check(t.Context(), pair[0], anew{fit.Archived(pair[1])}, fit.Options{Into: into, Top: 9})
				if err == nil {
					reports++
					_, _, _ = into.Bytes() // may refuse what a damaged name brought
				}
			}
		}
		t.Logf("%s: %d reports", sp.Name, reports)
		if reports == 0 {
			t.Errorf("%s: nothing was checked", sp.Name)
		}
	}
}

// anew changes all code ids, so that the code must be matched.
type anew struct{ fit.Code }

func (a anew) Method(k layout.Key) (methodcode.Answer, error) {
	found, err := a.Code.Method(k)
	for i := range found.Versions {
		found.Versions[i].ID ^= 1 << 63
	}
	return found, err
}

// openBytes opens an archive, nil if that is refused.
func openBytes(data []byte) *reader.Store {
	m, err := archive.FromBytes("damaged.parc", data, archive.Options{Unchecked: true})
	if err != nil {
		return nil
	}
	return reader.New(m)
}

// place returns the place of a byte to change: not of the zeros before rw.
func place(random *rand.Rand, b []byte) int {
	h, err := disk.ParseHeader(b[:disk.HeaderSize], int64(len(b)))
	if err != nil {
		return random.IntN(disk.HeaderSize)
	}
	span := disk.RegionOf(h, layout.Region(random.IntN(disk.NumRegions+1)))
	if span.Size == 0 {
		return random.IntN(disk.HeaderSize)
	}
	return int(span.Offset + random.Int64N(span.Size))
}
