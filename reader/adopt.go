package reader

import (
	"errors"
	"sync/atomic"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/sparsebits"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// AdoptOptions say how a store is adopted.
type AdoptOptions struct {
	Base archive.Base // archive.BaseRequested: where the archive asks for, if that is free
	// Eager relocates every profile at once, with several goroutines, instead
	// of each when it is claimed.
	Eager bool
}

// An adoption is the state of a store's writable mapping.
type adoption struct {
	to     *archive.Adopted
	base   uint64 // to.Base()
	rw     []byte // to.RW()
	states *sparsebits.States
	// slots says where the pointers are that a claimer must move; nil if
	// nothing is left to move.
	slots *relocate.Map
	move  relocate.Move

	late      lateTypes
	lateBase  uint64 // address of the first late type's record
	firstLate uint32 // ordinal of the first late type

	claimed, relocated atomic.Uint64
}

// errAdopted: a store was adopted a second time.
var errAdopted = errors.New("the store is adopted already: open the archive again for a second adoption")

// Adopt maps the archive once more for counting in place. It may be called
// once; profiles are then claimed with Profile.Adopt. On a machine that is not
// little-endian the error matches errors.ErrUnsupported.
func (s *Store) Adopt(o AdoptOptions) error {
	s.adopting.Lock()
	defer s.adopting.Unlock()
	if s.adoption.Load() != nil {
		return errAdopted
	}
	to, err := s.m.Adopt(o.Base, MaxLateTypes*disk.TypeSize)
	if err != nil {
		return err
	}
	a := s.newAdoption(to)
	if !to.AtRequested() {
		if err := s.relocation(a, o.Eager); err != nil {
			return disk.InFile(err, s.m.Name())
		}
	}
	s.adoption.Store(a)
	return nil
}

func (s *Store) newAdoption(to *archive.Adopted) *adoption {
	a := &adoption{
		to: to, base: to.Base(), rw: to.RW(),
		states:    sparsebits.NewStates(s.h.Region(layout.RegionRW).Size / disk.Unit),
		move:      relocate.Move{From: s.h.Base, To: to.Base(), Size: s.h.FileSize},
		lateBase:  uint64(words.Address(to.Late())),
		firstLate: uint32(s.h.Counts.Types),
	}
	a.late.area = to.Late()
	return a
}

// relocation makes ready what claimers need to relocate, or relocates
// everything at once.
func (s *Store) relocation(a *adoption, eager bool) error {
	slots, err := relocate.Open(s.m, s.h.Region(layout.RegionBM), s.h.Region(layout.RegionRW))
	if err != nil {
		return err
	}
	if !eager {
		a.slots = slots
		return nil
	}
	n, err := slots.ApplyAll(a.rw, a.move)
	a.relocated.Store(uint64(n))
	return err
}

// Adoption says where and how a store was adopted.
type Adoption struct {
	Base        uint64 // address at which the archive lies
	AtRequested bool   // nothing needs relocation
	Claimed     uint64 // profiles claimed so far
	Relocated   uint64 // pointer slots relocated so far
}

// Adoption returns the state of the adoption; ok is false if there is none.
func (s *Store) Adoption() (a Adoption, ok bool) {
	now := s.adoption.Load()
	if now == nil {
		return Adoption{}, false
	}
	return Adoption{now.base, now.to.AtRequested(), now.claimed.Load(), now.relocated.Load()}, true
}
