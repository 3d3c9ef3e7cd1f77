package jamaica

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestSpecimen: what other writers put into an archive of this domain is
// written, and what cannot be is counted.
func TestSpecimen(t *testing.T) {
	for _, sp := range specimen.All() {
		if sp.Domain != layout.DomainJamaica {
			continue
		}
		data, err := sp.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		out, report := write(t, data)
		if len(report.Lost) > 0 || report.Entries == 0 {
			t.Errorf("%+v", report)
		}
		again, _ := read(t, out)
		if text, _ := write(t, again); text != out {
			t.Errorf("written as\n%sand then as\n%s", out, text)
		}
	}
}

// TestDamagedArchives: whatever bytes an archive has, writing ends, and says
// that it is corrupt if it does not succeed.
func TestDamagedArchives(t *testing.T) {
	sound, _ := read(t, testdata(t, "harbour.txt"))
	random := rand.New(rand.NewPCG(5, 6))
	refused := 0
	var places []int // that are not 0: most of a small archive is filled up with zeros
	for i := disk.HeaderSize; i < len(sound); i++ {
		if sound[i] != 0 {
			places = append(places, i)
		}
	}
	for range 1500 {
		data := append([]byte(nil), sound...)
		for range 1 + random.IntN(4) {
			data[places[random.IntN(len(places))]] = byte(random.Uint32())
		}
		m, err := archive.FromBytes("test.parc", data, archive.Options{Unchecked: true})
		if err != nil {
			continue
		}
		if _, err := Write(io.Discard, reader.New(m)); errors.Is(err, layout.ErrCorrupt) {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Error("no damage was seen")
	}
}
