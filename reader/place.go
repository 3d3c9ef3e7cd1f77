package reader

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A place is a part of the file that was checked. Profiles and entries keep the
// place of their bytes, which is a third of the bytes' slices.
type place struct {
	at    layout.Ref
	units uint32 // size in units of 8 bytes
}

// placeOf is the place of the block that lies at n.
func placeOf(n layout.Ref, b disk.Block) place { return place{n, uint32(len(b) / disk.Unit)} }

// span is from where to where in the file the place is.
func (p place) span() (from, to int64) {
	from = p.at.Offset()
	return from, from + int64(p.units)*disk.Unit
}

// size is the size of the place in bytes.
func (p place) size() int { return int(p.units) * disk.Unit }

// trained is the bytes at a place as they lie in the file.
func (s *Store) trained(p place) []byte {
	from, to := p.span()
	return s.data[from:to:to]
}

// live is the bytes at a place in rw of the adopted mapping, which there must be.
func (s *Store) live(p place) []byte {
	from, to := p.span()
	start := s.h.Region(layout.RegionRW).Offset
	return s.adoption.Load().rw[from-start : to-start : to-start]
}
