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

// AdoptOptions are the options of [Store.Adopt]. The zero value maps at a free requested base and relocates lazily.
type AdoptOptions struct {
	// Anywhere maps the archive where the system puts it, not at the base that it asks for if that is free.
	Anywhere bool
	// Eager checks and relocates every profile at once, in the order of the file, instead
	// of each when it is looked up and claimed. That takes a third of the time for a
	// program that will adopt nearly all, and is lost for one that adopts few.
	Eager bool
}

type adoption struct {
	mapping *mapped.Adopted
	base    uint64     // mapping.Base
	rw      []byte     // mapping.RW
	view    words.View // view of rw
	start   uint64     // offset of rw in the file
	states  *sparsebits.States
	copied  bool // the process already has private copies of the pages of rw
	// slots are the pointers that a claimer must move; nil if none must be.
	slots *relocate.Map
	move  relocate.Move

	late      lateTypes
	lateBase  uint64 // address of the record of the first late type
	firstLate uint32 // ordinal of the first late type

	relocated atomic.Uint64
}

var errAdopted = errors.New("the store is adopted already: open the archive again for a second adoption")

// Adopt maps the archive a second time, writable and private, for counting. It can succeed only once. Profiles are then
// claimed with Profile.Claim. On a big-endian machine the error matches errors.ErrUnsupported.
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
		s.checkArchive()
		a.copied = len(a.rw) <= mostPopulated && a.mapping.Populate(a.rw)
	}
	if !to.AtRequested {
		if err := s.prepareRelocation(a, o.Eager); err != nil {
			return disk.WithFileName(err, s.m.Name())
		}
	}
	s.adoption.Store(a)
	return nil
}

// mostPopulated is the maximum size in bytes of rw for eager copying. Programs leave most of larger ones unwritten.
const mostPopulated = 64 << 20

func (s *Store) newAdoption(to *mapped.Adopted) *adoption {
	rw := disk.RegionOf(s.h, disk.RegionRW)
	a := &adoption{mapping: to, base: to.Base, rw: to.RW, view: words.ViewOf(to.RW), start: uint64(rw.Offset),
		states:   sparsebits.NewStates(rw.Size / disk.Unit),
		move:     relocate.Move{From: s.h.Base, To: to.Base, Size: s.h.FileSize, Old: s.data[rw.Offset:rw.End()]},
		lateBase: uint64(words.AddressOfBytes(to.Late)), firstLate: uint32(s.h.Counts.Types)}
	a.late.records = to.Late
	return a
}

func (s *Store) prepareRelocation(a *adoption, eager bool) error {
	slots, err := relocate.Open(s.m, s.h)
	if err != nil {
		return err
	}
	if !eager {
		a.slots = slots
		return nil
	}
	ready := a.mapping.Populate
	if a.copied {
		ready = func([]byte) bool { return true }
	}
	move := a.move
	move.Populate = ready
	n, err := slots.ApplyAll(a.rw, move)
	a.relocated.Store(uint64(n))
	return err
}

// An Adoption is the state of an adopted store.
type Adoption struct {
	Base        uint64 // address of the adopted mapping
	AtRequested bool   // Base is the requested base, so that nothing is relocated
	Claimed     uint64 // number of claimed profiles
	Relocated   uint64 // number of relocated pointer slots
}

// Adoption returns the state of the adoption; ok is false if the store is not adopted.
func (s *Store) Adoption() (a Adoption, ok bool) {
	now := s.adoption.Load()
	if now == nil {
		return Adoption{}, false
	}
	return Adoption{now.base, now.mapping.AtRequested, now.states.Count(done), now.relocated.Load()}, true
}

// The states of a block in the adopted mapping.
const (
	pristine = 0 // same bytes as in the file
	busy     = 1 // being relocated
	done     = 2 // may be counted in
	covered  = 3 // inside a block that is busy or done
)

// Claim claims the profile and returns its adopted view, whose counters can be incremented. The first caller relocates
// the block if necessary, and others wait for it. The error matches ErrNotAdopted if the store is not adopted, and
// ErrUndecoded if decoding of the profile stopped early.
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
	if p.s.hit.isClosed() {
		return Profile{}, p.s.checkOpen()
	}
	if _, undecoded := p.Undecoded(); undecoded {
		return Profile{}, ErrUndecoded
	}
	from := p.Ref().Offset() - disk.RegionOf(p.s.h, disk.RegionRW).Offset
	if err := a.claimBlock(p, from); err != nil {
		return Profile{}, disk.WithFileName(err, p.s.m.Name())
	}
	p.adopted = words.ViewOf(p.s.adoptedBytes(p.place))
	return p, nil
}

// Undecoded returns the tag of the entry at which decoding of the VM's profile stopped; ok is false if the profile is
// complete. Entries before it are sound, and entries after it are missing. Words of the disk.TagUndecoded entry that
// look like addresses belong to a process that has ended.
func (p Profile) Undecoded() (tag layout.Tag, ok bool) {
	if p.s == nil || !p.s.undecoded.Load() {
		return 0, false
	}
	block := disk.Block(p.Bytes())
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		for rest := block.Section(s); len(rest) > 0; {
			e, next, err := p.s.shape.NextEntry(rest)
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

var errForeignProfile = fmt.Errorf("profile of another store: %w", ErrNotFound)

// ClaimBatch is the batch form of Profile.Claim for profiles of this store. It replaces each profile by its adopted
// view. Zero profiles stay zero. It prefetches the counters of the next profiles. At the first error it stops, and
// profiles before the failed one are adopted.
func (s *Store) ClaimBatch(profiles []Profile) error {
	a := s.adoption.Load()
	if a == nil {
		return ErrNotAdopted
	}
	for part := range slices.Chunk(profiles, batchSize) {
		a.prefetchCounters(part)
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

// prefetchCounters prefetches the memory in which the profiles will be counted. It does nothing until pages are copied.
func (a *adoption) prefetchCounters(profiles []Profile) {
	if !a.copied {
		return
	}
	var addresses [batchSize]uintptr
	for i, p := range profiles {
		addresses[i] = uintptr(a.base) + uintptr(p.Ref().Offset())
	}
	a.mapping.Prefetch(addresses[:len(profiles)])
}

// Claimed reports whether anybody has claimed the profile, so that live counts may differ from trained ones. It does
// not matter whether p is the trained or the adopted view.
func (p Profile) Claimed() bool {
	if p.s == nil {
		return false
	}
	a := p.s.adoption.Load()
	return a != nil && a.states.Load((p.Ref().Offset()-int64(a.start))/disk.Unit) == done
}

func (p Profile) isAdopted() bool { return p.adopted != words.View{} }

// Address returns the address of the adopted block for native code, valid while p is reachable; 0 if p is not adopted.
func (p Profile) Address() uintptr { return words.AddressOfBytes(p.liveBlock()) }

// claimBlock brings the block at offset from of rw into the state done. After a failure the block is pristine again,
// so that the next claimer gets the same error.
func (a *adoption) claimBlock(p Profile, from int64) error {
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
			waitForClaimer(tries)
		case pristine:
			if !a.states.CompareAndSwap(slot, pristine, busy) {
				continue
			}
			if err := a.relocateUncovered(p, from); err != nil {
				a.states.Store(slot, pristine)
				return err
			}
			a.states.Store(slot, done)
			return nil
		case covered:
			return overlapError(p)
		}
	}
}

// copyPages writes to the pages of a block before anything reads them. A page that is read first is mapped together
// with its neighbors, and each needs a second fault for copying, which flushes the TLBs of all processors.
func (a *adoption) copyPages(p Profile, from int64) {
	if a.copied {
		return
	}
	for at := from; ; at = (at/disk.PageSize + 1) * disk.PageSize {
		if at >= from+int64(p.place.byteSize()) {
			return
		}
		a.view.Word(uint64(at)).Or(0)
	}
}

// relocateUncovered relocates a block after marking all its other units as covered. Overlapping blocks are refused,
// because relocating them would move pointers twice.
func (a *adoption) relocateUncovered(p Profile, from int64) error {
	first := from/disk.Unit + 1
	end := from/disk.Unit + int64(p.place.units)
	if !a.states.Fill(first, end, covered) {
		return overlapError(p)
	}
	a.copyPages(p, from)
	err := a.relocateBlock(p, from)
	if err != nil {
		a.states.Clear(first, end)
	}
	return err
}

func overlapError(p Profile) error {
	return disk.Corrupt(disk.RegionRW, p.Ref().Offset(), "a MethodData block that overlaps another")
}

// waitForClaimer yields to the claimer of a block. Relocation takes microseconds, or longer with a page fault.
func waitForClaimer(tries int) {
	if tries < 100 {
		runtime.Gosched()
		return
	}
	time.Sleep(20 * time.Microsecond)
}

// relocateBlock relocates the pointers of one block. The bitmap must have a slot for each pointer cell of the entries.
func (a *adoption) relocateBlock(p Profile, from int64) error {
	n, err := a.slots.Apply(a.rw, from, from+int64(p.place.byteSize()), a.move, p.countPointers())
	a.relocated.Add(uint64(n))
	return err
}

func (p Profile) countPointers() (n int64) {
	block := p.trainedBlock()
	masks := p.s.masks.Load()
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		n += masks.countPointers(block.Section(s))
		if block.Presence()&disk.HasSections == 0 {
			break // there is no other section of entries
		}
	}
	return n
}
