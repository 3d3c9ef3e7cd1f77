package stacks_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/lcov"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// exports writes an archive in every format and returns the errors.
func exports(s *reader.Store) (errs []error) {
	for _, e := range []codec.Exporter{&stacks.Exporter{}, &pprof.Exporter{}, &lcov.Exporter{}} {
		_, err := e.Export(io.Discard, s)
		errs = append(errs, err)
	}
	return errs
}

// used returns the places after the header that are not 0: most of a small archive is filled up with zeros.
func used(data []byte) (places []int) {
	for i := disk.HeaderSize; i < len(data); i++ {
		if data[i] != 0 {
			places = append(places, i)
		}
	}
	return places
}

// TestDamagedArchives: whatever bytes an archive has, an export ends, and says
// that it is corrupt or that it lacks something.
func TestDamagedArchives(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	random := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for _, sp := range specimen.All() {
		sound, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		places := used(sound)
		for range 300 {
			data := append([]byte(nil), sound...)
			for range 1 + random.IntN(4) {
				data[places[random.IntN(len(places))]] = byte(random.Uint32())
			}
			m, err := archive.FromBytes("test.parc", data, archive.Options{Unchecked: true})
			if err != nil {
				continue
			}
			for _, err := range exports(reader.New(m)) {
				if errors.Is(err, layout.ErrCorrupt) {
					refused++
				} else if err != nil && !errors.Is(err, stacks.ErrNoSamples) && !errors.Is(err, pprof.ErrNothing) &&
					!errors.Is(err, lcov.ErrNoCalls) {
					t.Fatalf("%s: %v", sp.Name, err)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("no damage was seen")
	}
}

func TestClosedArchives(t *testing.T) {
	for _, sp := range specimen.All() {
		data, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		m, err := archive.FromBytes("test.parc", data, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := reader.New(m)
		if s.Header().Counts.Methods == 0 {
			continue // nothing is read
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for _, err := range exports(s) {
			if !errors.Is(err, archive.ErrClosed) {
				t.Errorf("%s: %v", sp.Name, err)
			}
		}
	}
}
