package archivewriter

import (
	"errors"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

func newHotSpotSet() *profileset.Set {
	var p layout.Params
	p.TypeProfileWidth, p.BciProfileWidth = 2, 2
	return profileset.New(layout.DomainHotSpot, profileset.Heading{Params: p}, spill.Config{})
}

// TestFileSizeLimit needs sizes only, because the file size is known before anything is written.
func TestFileSizeLimit(t *testing.T) {
	for _, c := range []struct {
		rw int64
		ok bool
	}{{disk.MaxFileSize - 256<<20, true}, {disk.MaxFileSize, false}, {disk.MaxFileSize * 2, false}} {
		p := &plan{b: newHotSpotSet()}
		p.setSize(disk.RegionIX, disk.LineSize)
		p.setSize(disk.RegionRW, c.rw)
		err := p.placeRegions()
		if c.ok != (err == nil) || err != nil && !errors.Is(err, layout.ErrTooLarge) {
			t.Errorf("rw of %d bytes: %v", c.rw, err)
		}
	}
}

// TestPlacementSettles checks that placeRegions ends with a valid header. The size of the page checksums and the offset
// of the index depend on each other.
func TestPlacementSettles(t *testing.T) {
	step := int64(4096 - 8)
	for rw := int64(0); rw < disk.MaxFileSize-256<<20; rw += step {
		if rw > 8<<20 {
			step = rw / 1000 &^ 7
		}
		p := &plan{b: newHotSpotSet()}
		p.header.Domain = layout.DomainHotSpot
		p.setSize(disk.RegionIX, disk.LineSize*(1+rw%64))
		p.setSize(disk.RegionRO, rw%8192)
		p.setSize(disk.RegionRW, rw)
		p.section[disk.PartMethods] = rw % 8192
		if err := p.placeRegions(); err != nil {
			t.Fatal(err)
		}
		p.header.Buckets = uint64(p.sizeOf(disk.RegionIX)) / disk.LineSize
		if _, err := disk.ParseHeader(disk.AppendHeader(nil, &p.header), p.header.FileSize); err != nil {
			t.Fatalf("rw of %d bytes: %v", rw, err)
		}
	}
}
