package reader

import (
	"runtime"
	"time"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// The states of a block in the adopted mapping.
const (
	pristine = 0 // as it lies in the file
	busy     = 1 // somebody relocates it
	done     = 2 // may be counted in
	covered  = 3 // no start: a block that is busy or done covers it
)

// Adopt claims the profile: the first caller relocates it if need be, all
// others wait for that. It gives the adopted profile, whose counters can be
// counted. The store must have been adopted, otherwise the error matches
// ErrNotAdopted.
func (p Profile) Adopt() (Profile, error) {
	if p.s == nil {
		return Profile{}, ErrNotFound
	}
	if p.adopted {
		return p, nil
	}
	a := p.s.adoption.Load()
	if a == nil {
		return Profile{}, ErrNotAdopted
	}
	if err := p.s.open(); err != nil {
		return Profile{}, err
	}
	from := p.Ref().Offset() - p.s.h.Region(layout.RegionRW).Offset
	if err := a.claim(p, from); err != nil {
		return Profile{}, disk.InFile(err, p.s.m.Name())
	}
	p.adopted = true
	return p, nil
}

// Adopted reports whether p is an adopted profile.
func (p Profile) Adopted() bool { return p.adopted }

// Address is where the adopted block lies, for native code; 0 if p is not
// adopted. It is valid while p is reachable.
func (p Profile) Address() uintptr { return words.Address(p.live()) }

// claim gets the block at an offset in rw into the state done. A claimer that
// fails returns the block back, so that whoever comes next learns why too.
func (a *adoption) claim(p Profile, from int64) error {
	slot := from / disk.Unit
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
			a.claimed.Add(1)
			return nil
		case covered:
			return overlap(p)
		}
	}
}

// take relocates a block. It covers what lies after the start first, so that no
// other block that overlaps it is relocated too: pointers would be moved twice.
func (a *adoption) take(p Profile, from int64) error {
	first, end := from/disk.Unit+1, from/disk.Unit+int64(p.place.units)
	if !a.states.Fill(first, end, covered) {
		return overlap(p)
	}
	err := a.relocate(p, from)
	if err != nil {
		a.states.Clear(first, end)
	}
	return err
}

// overlap is the error of a block that overlaps one that was claimed.
func overlap(p Profile) error {
	return disk.Corrupt(layout.RegionRW, p.Ref().Offset(), "a MethodData block that overlaps another")
}

// wait lets the claimer of a block go on: relocating takes microseconds, a page
// fault in it more.
func wait(tries int) {
	if tries < 100 {
		runtime.Gosched()
		return
	}
	time.Sleep(20 * time.Microsecond)
}

// relocate moves the pointers of one block, which must be exactly those that
// its entries have.
func (a *adoption) relocate(p Profile, from int64) error {
	if a.slots == nil {
		return nil
	}
	n, err := a.slots.Apply(a.rw, from, from+int64(p.place.size()), a.move, p.pointers())
	a.relocated.Add(uint64(n))
	return err
}

// pointers counts the pointer cells of the block.
func (p Profile) pointers() (n int64) {
	for s := layout.SectionData; s < layout.SectionDirectory; s++ {
		for e := range p.Section(s) {
			for range p.s.shape.Pointers(e.raw()) {
				n++
			}
		}
	}
	return n
}
