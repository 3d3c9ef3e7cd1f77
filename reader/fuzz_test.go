package reader_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// FuzzStore changes bytes of an archive, the header's too, makes the header's sum right again, and asks for
// everything without checking pages. Every three bytes of changes are a place, counted in those that are not
// padding, and a value.
func FuzzStore(f *testing.F) {
	data, _, err := fixture(1).Bytes()
	if err != nil {
		f.Fatal(err)
	}
	places := []int64{} // of bytes that are not padding
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		f.Fatal(err)
	}
	for r := disk.RegionHeader; r <= disk.RegionRW; r++ {
		for at := disk.RegionOf(h, r).Offset; at < disk.RegionOf(h, r).End(); at++ {
			places = append(places, at)
		}
	}
	f.Add([]byte{})
	f.Add([]byte{0, 3, 1, 0, 5, 255})
	f.Fuzz(func(t *testing.T, changes []byte) {
		changed := slices.Clone(data)
		for ; len(changes) >= 3; changes = changes[3:] {
			changed[places[int(binary.BigEndian.Uint16(changes))%len(places)]] = changes[2]
		}
		disk.UpdateChecksum(changed)
		var typed *layout.Error
		_, err := answersOf(changed, archive.Options{Unchecked: true})
		if err != nil && !errors.As(err, &typed) && !isMiss(err) {
			t.Fatalf("an error without a place: %v", err)
		}
	})
}
