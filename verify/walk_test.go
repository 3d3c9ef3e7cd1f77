package verify_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/forgery"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
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

// TestNothingWrongIsShownToBeSound changes references and bytes, and corrects the checksums. It compares walks with and
// without naming, and compares both with stored results.
func TestNothingWrongIsShownToBeSound(t *testing.T) {
	full.Only(t, "takes many inputs")
	every := 40
	if testing.Short() {
		every = 2000
	}
	for _, s := range specimen.All() {
		data, h := sound(t, s.Name)
		var j judgements
		note := func(what string, data []byte) {
			report, shown := agree(t, what, data)
			if shown != report.Sound() {
				t.Errorf("%s: %s, number %d: sound %v, shown %v", s.Name, what, j.n, report.Sound(), shown)
			}
			j.add(what, report.Problems)
		}
		r := rand.New(rand.NewPCG(3, uint64(len(data))))
		err := forgery.Each(data, func() bool { return r.IntN(every) == 0 },
			func(f *forgery.Forger, r forgery.Reference, _ uint64) { note(r.What, f.Bytes()) })
		if err != nil {
			t.Fatal(err)
		}
		for range 200_000 / every {
			changed, header := append([]byte(nil), data...), *h
			region := h.Regions[r.IntN(len(h.Regions)-1)+1]
			if region.Size == 0 || region.Offset < disk.RegionOf(h, disk.RegionIX).Offset {
				continue
			}
			changed[region.Offset+r.Int64N(region.Size)] ^= 1 << r.IntN(8)
			reseal(changed, &header)
			note("a changed bit", changed)
		}
		if !testing.Short() {
			j.compare(t, s.Name)
		}
	}
}
