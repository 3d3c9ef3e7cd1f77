package verify_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// agree compares walks with and without naming. It is an error if the first finds the archive sound and the second
// finds a problem. agree returns the report of the second, and the result of the first.
func agree(t *testing.T, what string, data []byte) (report verify.Report, shown bool) {
	t.Helper()
	open := func() *reader.Store {
		m, err := archive.FromBytes("app.parc", data, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return reader.New(m)
	}
	if _, err := archive.FromBytes("app.parc", data, archive.Options{}); inArchive(err) {
		return verify.Report{Problems: []error{err}}, false // the shapes of its entries are read when it is opened
	}
	first, shown := verify.WalkOver(t.Context(), open(), nil, false)
	report, _ = verify.WalkOver(t.Context(), open(), nil, true)
	switch {
	case shown && !report.Sound():
		t.Errorf("%s: shown to be sound, but %v", what, report.Problems)
	case shown && !reflect.DeepEqual(report, first):
		t.Errorf("%s: %+v, the walk that names problems says %+v", what, first, report)
	}
	return report, shown
}

// TestSoundArchivesAreShownToBe checks that the first walk accepts all archives from a builder, so that only damaged
// archives need the second walk.
func TestSoundArchivesAreShownToBe(t *testing.T) {
	for _, s := range specimen.All() {
		data, _ := sound(t, s.Name)
		if report, shown := agree(t, s.Name, data); !report.Sound() || !shown {
			t.Errorf("%s: %v, shown %v", s.Name, report.Problems, shown)
		}
	}
}

// TestNothingWrongIsShownToBeSound changes bits and words, corrects the checksums, and compares walks with and without
// naming.
func TestNothingWrongIsShownToBeSound(t *testing.T) {
	full.Only(t, "takes many inputs")
	rounds := 7000
	if testing.Short() {
		rounds = 150
	}
	for _, s := range specimen.All() {
		data, h := sound(t, s.Name)
		r := rand.New(rand.NewPCG(3, uint64(len(data))))
		spans := slices.DeleteFunc(slices.Clone(h.Regions[disk.RegionIX-1:]), func(s layout.Span) bool { return s.Size == 0 })
		sound := 0
		for round := range rounds {
			changed, header := append([]byte(nil), data...), *h
			changeWord(r, changed, spans)
			reseal(changed, &header)
			report, shown := agree(t, s.Name, changed)
			if shown != report.Sound() {
				t.Errorf("%s, round %d: sound %v, shown %v", s.Name, round, report.Sound(), shown)
			}
			if shown {
				sound++
			}
		}
		if sound == 0 || sound == rounds {
			t.Errorf("%s: %d of %d archives are sound", s.Name, sound, rounds)
		}
		t.Logf("%s: %d of %d archives are sound", s.Name, sound, rounds)
	}
}

// changeWord changes a u32 of a span. It flips a bit, or writes another word of the span, which mostly is another
// reference, a unit of the file, or a number.
func changeWord(r *rand.Rand, data []byte, spans []layout.Span) {
	span := spans[r.IntN(len(spans))]
	choose := func() int64 { return span.Offset + 4*r.Int64N(span.Size/4) }
	at := choose()
	word := le.Uint32(data[at:])
	values := []uint32{word ^ 1<<r.IntN(32), le.Uint32(data[choose():]), r.Uint32N(uint32(len(data) / disk.Unit)),
		[]uint32{0, 1, word + 1, word - 1, 1 << 31, 1<<32 - 1}[r.IntN(6)]}
	le.PutUint32(data[at:], values[r.IntN(len(values))])
}
