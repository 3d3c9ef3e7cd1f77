package reader

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/file/sparsebits"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// AdoptOptions say how a store is adopted.
type AdoptOptions struct {
	// Anywhere maps the archive where the system puts it. Otherwise it is mapped at the base that the archive asks
	// for, if that is free.
	Anywhere bool
	// Eager checks and relocates every profile at once, in the order of the file, instead
	// of each when it is looked up and claimed. That takes a third of the time for a
	// program that will adopt nearly all, and is lost for one that adopts few.
	Eager bool
}

// An adoption is the state of a store's writable mapping.
type adoption struct {
	to     *mapped.Adopted
	base   uint64     // to.Base
	rw     []byte     // to.RW
	view   words.View // of rw
	start  uint64     // of rw in the file
	states *sparsebits.States
	copied bool // the pages of rw are the process's own already
	// slots are the pointers that a claimer must move; nil if none must be.
	slots *relocate.Map
	move  relocate.Move

	late      lateTypes
	lateBase  uint64 // address of the first late type's record
	firstLate uint32 // ordinal of the first late type

	relocated atomic.Uint64
}

// errAdopted: a store was adopted a second time.
var errAdopted = errors.New("the store is adopted already: open the archive again for a second adoption")

// Adopt maps the archive once more for counting in place. It may be called once; profiles are then claimed
// with Profile.Claim. On a machine that is not little-endian the error matches errors.ErrUnsupported.
func (s *Store) Adopt(o AdoptOptions) error {
	s.adopting.Lock()
	defer s.adopting.Unlock()
	if s.adoption.Load() != nil {
		return errAdopted
	}
	base := mapped.BaseRequested
	if o.Anywhere {
		base = mapped.BaseAnywhere
	}
	to, err := s.m.Adopt(base, maxLateTypes*disk.TypeSize)
	if err != nil {
		return err
	}
	s.masks.Store(s.makeMasks())
	a := s.newAdoption(to)
	if o.Eager {
		s.checkAll()
		a.copied = len(a.rw) <= mostPopulated && a.to.Populate(a.rw)
	}
	if !to.AtRequested {
		if err := s.relocation(a, o.Eager); err != nil {
			return disk.InFile(err, s.m.Name())
		}
	}
	s.adoption.Store(a)
	return nil
}

// mostPopulated is the size of archives that are copied at once where all is adopted. Of a
// larger one the program may never write to the rest.
const mostPopulated = 64 << 20

func (s *Store) newAdoption(to *mapped.Adopted) *adoption {
	rw := s.h.Region(disk.RegionRW)
	a := &adoption{
		to: to, base: to.Base, rw: to.RW, view: words.ViewOf(to.RW), start: uint64(rw.Offset),
		states:    sparsebits.NewStates(rw.Size / disk.Unit),
		move:      relocate.Move{From: s.h.Base, To: to.Base, Size: s.h.FileSize, Old: s.data[rw.Offset:rw.End()]},
		lateBase:  uint64(words.Address(to.Late)),
		firstLate: uint32(s.h.Counts.Types),
	}
	a.late.area = to.Late
	return a
}

// relocation prepares relocation by claimers, or relocates everything at once.
func (s *Store) relocation(a *adoption, eager bool) error {
	slots, err := relocate.Open(s.m, s.h.Region(disk.RegionBM), s.h.Region(disk.RegionRW))
	if err != nil {
		return err
	}
	if !eager {
		a.slots = slots
		return nil
	}
	ready := a.to.Populate
	if a.copied {
		ready = func([]byte) bool { return true }
	}
	move := a.move
	move.Populate = ready
	n, err := slots.ApplyAll(a.rw, move)
	a.relocated.Store(uint64(n))
	return err
}

// Adoption is the state of an adopted store.
type Adoption struct {
	Base        uint64 // address at which the archive is
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
	return Adoption{now.base, now.to.AtRequested, now.states.Count(done), now.relocated.Load()}, true
}

// The states of a block in the adopted mapping.
const (
	pristine = 0 // as it stands in the file
	busy     = 1 // being relocated
	done     = 2 // may be counted in
	covered  = 3 // inside a block that is busy or done
)

// Claim claims the profile and returns it adopted: its counters can be counted in. The first caller relocates
// it if need be, others wait for that. The error matches ErrNotAdopted if the store was not adopted, and
// ErrUndecoded for a profile that was not decoded to its end.
func (p Profile) Claim() (Profile, error) {
	if p.s == nil {
		return Profile{}, ErrNotFound
	}
	if p.isAdopted() {
		return p, nil
	}
	a := p.s.adoption.Load()
	if a == nil {
		return Profile{}, ErrNotAdopted
	}
	if p.s.hit.closed() {
		return Profile{}, p.s.open()
	}
	if _, undecoded := p.Undecoded(); undecoded {
		return Profile{}, ErrUndecoded
	}
	from := p.Ref().Offset() - p.s.h.Region(disk.RegionRW).Offset
	if err := a.claim(p, from); err != nil {
		return Profile{}, disk.InFile(err, p.s.m.Name())
	}
	p.live = words.ViewOf(p.s.live(p.place))
	return p, nil
}

// Undecoded returns the tag that the VM gave the entry at which decoding ended; ok is false if the whole
// profile was decoded. The entries before that one are sound. Those after it are missing, and words of the
// TagUndecoded entry that look like addresses are of a process that is gone.
func (p Profile) Undecoded() (tag layout.Tag, ok bool) {
	if p.s == nil || !p.s.undecoded.Load() {
		return 0, false
	}
	block := disk.Block(p.Bytes())
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		for rest := block.Section(s); len(rest) > 0; {
			e, next, err := p.s.shape.Next(rest)
			if err != nil {
				break // the file was changed since the block was checked
			}
			if e.Tag() == disk.TagUndecoded {
				return disk.UndecodedTag(e), true
			}
			rest = next
		}
	}
	return 0, false
}

// errForeignProfile: a profile was passed to a store that does not have it.
var errForeignProfile = fmt.Errorf("profile of another store: %w", ErrNotFound)

// ClaimBatch claims many profiles of the store and puts them adopted into their places, as
// Profile.Claim does with one. A zero Profile stays zero. The counters of the next
// profiles are on their way into the processor's caches meanwhile, so that counting in them
// does not wait either. At the first error it ends; it has adopted the profiles before then.
func (s *Store) ClaimBatch(profiles []Profile) error {
	a := s.adoption.Load()
	if a == nil {
		return ErrNotAdopted
	}
	for part := range slices.Chunk(profiles, batchSize) {
		a.fetchHeads(part)
		for i, p := range part {
			if p.s == nil {
				continue
			}
			if p.s != s {
				return errForeignProfile
			}
			p, err := p.Claim()
			if err != nil {
				return err
			}
			part[i] = p
		}
	}
	return nil
}

// fetchHeads asks for the memory in which the profiles will be counted. Until a page is
// copied there is nothing to ask for.
func (a *adoption) fetchHeads(profiles []Profile) {
	if !a.copied {
		return
	}
	var addresses [batchSize]uintptr
	for i, p := range profiles {
		addresses[i] = uintptr(a.base) + uintptr(p.Ref().Offset())
	}
	a.to.Prefetch(addresses[:len(profiles)])
}

// Claimed reports whether anybody has claimed the profile, so that its live counts may differ from the trained
// ones. p itself may be the trained profile.
func (p Profile) Claimed() bool {
	if p.s == nil {
		return false
	}
	a := p.s.adoption.Load()
	return a != nil && a.states.Load((p.Ref().Offset()-int64(a.start))/disk.Unit) == done
}

// isAdopted reports whether p itself is an adopted profile.
func (p Profile) isAdopted() bool { return p.live != words.View{} }

// Address returns where the adopted block is, for native code; 0 if p is not
// adopted. It is valid while p is reachable.
func (p Profile) Address() uintptr { return words.Address(p.liveBlock()) }

// claim gets the block at an offset in rw into the state done, which is all there is to do where nothing is
// relocated. After a failure the block is pristine again, so that the next claimer fails with the same error.
func (a *adoption) claim(p Profile, from int64) error {
	slot := from / disk.Unit
	if a.slots == nil {
		if a.states.Load(slot) == pristine {
			a.states.Or(slot, done)
			a.copyPages(p, from)
		}
		return nil
	}
	for tries := 0; ; tries++ {
		switch a.states.Load(slot) {
		case done:
			return nil
		case busy:
			wait(tries)
		case pristine:
			if !a.states.CompareAndSwap(slot, pristine, busy) {
				continue
			}
			if err := a.take(p, from); err != nil {
				a.states.Store(slot, pristine)
				return err
			}
			a.states.Store(slot, done)
			return nil
		case covered:
			return overlap(p)
		}
	}
}

// copyPages stores into the pages of a block before anything is read there. A page that is read first is
// mapped with those around it, to be copied by a second fault each, for which all processors must forget it.
func (a *adoption) copyPages(p Profile, from int64) {
	if a.copied {
		return
	}
	for at := from; ; at = (at/disk.PageSize + 1) * disk.PageSize {
		if at >= from+int64(p.place.size()) {
			return
		}
		a.view.Word(uint64(at)).Or(0)
	}
}

// take relocates a block. It first marks the rest of the block as covered, so that no
// overlapping block is relocated: that would move pointers twice.
func (a *adoption) take(p Profile, from int64) error {
	first := from/disk.Unit + 1
	end := from/disk.Unit + int64(p.place.units)
	if !a.states.Fill(first, end, covered) {
		return overlap(p)
	}
	a.copyPages(p, from)
	err := a.relocate(p, from)
	if err != nil {
		a.states.Clear(first, end)
	}
	return err
}

// overlap returns the error of a block that overlaps one that was claimed.
func overlap(p Profile) error {
	return disk.Corrupt(disk.RegionRW, p.Ref().Offset(), "a MethodData block that overlaps another")
}

// wait yields to the claimer of a block. Relocating takes microseconds, longer with a page fault.
func wait(tries int) {
	if tries < 100 {
		runtime.Gosched()
		return
	}
	time.Sleep(20 * time.Microsecond)
}

// relocate moves the pointers of one block. The bitmap must have as many there as
// the entries have pointer cells.
func (a *adoption) relocate(p Profile, from int64) error {
	n, err := a.slots.Apply(a.rw, from, from+int64(p.place.size()), a.move, p.pointers())
	a.relocated.Add(uint64(n))
	return err
}

// pointers counts the pointer cells of the block.
func (p Profile) pointers() (n int64) {
	block := p.block()
	masks := p.s.masks.Load()
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		n += masks.pointers(block.Section(s))
		if block.Presence()&disk.HasSections == 0 {
			break // there is no other section of entries
		}
	}
	return n
}
