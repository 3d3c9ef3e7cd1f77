package archivewriter_test

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/recording/archivewriter"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func methods(n int, key func(i int) layout.Key) *profileset.Set {
	b := profileset.New(layout.DomainHotSpot, profileset.Heading{}, spill.Config{})
	for i := range n {
		b.Method(key(i))
	}
	return b
}

func written(t *testing.T, b *profileset.Set) (*reader.Store, []byte) {
	t.Helper()
	data, _, err := archivewriter.Bytes(b)
	if err != nil {
		t.Fatal(err)
	}
	m, err := archive.FromBytes("", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m), data
}

// TestOneBucketForEverySeed has records with distinct ids. Under each seed, many of them have one bucket.
func TestOneBucketForEverySeed(t *testing.T) {
	const each = 400
	b := methods(8*each, func(i int) layout.Key { return layout.Key{Class: "A", Name: strconv.Itoa(i)} })
	unmix := uint64(0xd6e8feb86659fd93) // its inverse modulo 2^64 after five steps
	for range 5 {
		unmix *= 2 - unmix*0xd6e8feb86659fd93
	}
	n := uint64(0)
	for _, m := range b.Methods.All {
		seed := n / each * 0x9e3779b97f4a7c15
		m.ID = (1<<63+n)*unmix ^ disk.MixSeed(disk.KindMethod, seed)
		n++
	}
	s, _ := written(t, b)
	if h := s.Header(); h.Required != disk.FeatureCrowded || h.MaxProbe != 8 || h.Seed != 0 {
		t.Errorf("features %#x, searches of %d lines, seed %d", h.Required, h.MaxProbe, h.Seed)
	}
	for _, m := range b.Methods.All {
		if found, err := s.FindID(m.ID); err != nil || found.ID() != m.ID {
			t.Fatalf("id %016x: %v", m.ID, err)
		}
		if _, err := s.FindID(m.ID ^ 1<<63); !errors.Is(err, reader.ErrNotFound) {
			t.Fatalf("a missing id: %v", err)
		}
	}
}

// TestCrowdHarmsNoOthers counts the lines that lookups of ordinary keys read beside a crowd.
func TestCrowdHarmsNoOthers(t *testing.T) {
	const ordinary, crowd = 100_000, 64_000
	b := methods(ordinary+crowd, func(i int) layout.Key {
		if i < ordinary {
			return layout.Key{Class: "B", Name: strconv.Itoa(i)}
		}
		return layout.Key{Class: "A", Name: fmt.Sprintf(specimen.CrowdedMethod, i)}
	})
	s, data := written(t, b)
	h := s.Header()
	lines, most := 0, 0
	for i := range ordinary {
		k := layout.Key{Class: "B", Name: strconv.Itoa(i)}
		m, err := s.Find(k)
		if err != nil {
			t.Fatal(err)
		}
		n := linesRead(h, data, k.ID(h.Domain), m.Ref())
		lines += n
		most = max(most, n)
	}
	t.Logf("%d lines for %d ordinary keys, at most %d for one", lines, ordinary, most)
	if lines > ordinary*103/100 || most > 4 {
		t.Errorf("%d lines for %d ordinary keys, at most %d for one", lines, ordinary, most)
	}
	if table, err := s.Table(disk.TableCrowded); err != nil || table.Rows < crowd-80 || table.Rows > crowd {
		t.Errorf("%d rows: %v", table.Rows, err)
	}
}

// linesRead returns the number of lines that a search reads before it finds a record; 1<<20 if it finds none.
func linesRead(h *layout.Header, data []byte, id uint64, record layout.Ref) int {
	hash := disk.MixHash(id, disk.KindMethod, h.Seed)
	bucket, rest := hash.SplitBucket(h.Buckets)
	for n := range h.MaxProbe {
		at := disk.RegionOf(h, disk.RegionIX).Offset + int64((bucket+uint64(n))%h.Buckets)*disk.LineSize
		line := disk.Line(data[at:][:disk.LineSize])
		for slots := line.Candidates(hash, rest); slots != 0; slots &= slots - 1 {
			if line.Record(bits.TrailingZeros32(slots)) == record {
				return int(n) + 1
			}
		}
		if !line.Overflowed(hash) {
			break
		}
	}
	return 1 << 20
}

// TestFewSharedIDsNeedNoFeature: older readers can read an archive whose searches are not too long.
func TestFewSharedIDsNeedNoFeature(t *testing.T) {
	for _, n := range []int{300, 1000} {
		b := methods(n, func(i int) layout.Key {
			return layout.Key{Class: "A", Name: fmt.Sprintf(specimen.CrowdedMethod, i)}
		})
		s, _ := written(t, b)
		h := s.Header()
		if crowded := n > 320; crowded != (h.Required == disk.FeatureCrowded) || h.MaxProbe > 32 {
			t.Errorf("%d methods of one id: features %#x, searches of %d lines", n, h.Required, h.MaxProbe)
		}
	}
}
