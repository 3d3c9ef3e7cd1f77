package reader

import (
	"encoding/binary"
	"runtime"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

var le = binary.LittleEndian

// A Profile is a MethodData block. The zero Profile is invalid.
type Profile struct {
	s       *Store
	place   extentInFile // range of the block in the file
	first   uint8        // lowest presence bits of the block
	adopted words.View   // adopted block; empty if p is not adopted
}

// ProfileAt returns the profile whose block is at n. The error matches ErrNotFound if n is 0.
func (s *Store) ProfileAt(n layout.Ref) (Profile, error) {
	if n == 0 {
		return Profile{}, ErrNotFound
	}
	b, err := s.readBlock(n)
	if err != nil {
		return Profile{}, err
	}
	return s.profileOf(n, b), nil
}

func (s *Store) profileOf(n layout.Ref, b disk.Block) Profile {
	return Profile{s: s, place: extentInFile{n, uint32(len(b) / disk.Unit)}, first: uint8(b.Presence())}
}

// Valid reports whether p is not the zero Profile.
func (p Profile) Valid() bool { return p.s != nil }

// Ref returns the reference of the block.
func (p Profile) Ref() layout.Ref { return p.place.at }

// Bytes returns the trained block in the file. It must not be modified, and is valid while p is reachable.
func (p Profile) Bytes() []byte { return p.trainedBlock() }

func (p Profile) trainedBlock() disk.Block {
	if p.s == nil {
		return nil
	}
	return p.s.trainedBytes(p.place)
}

func (p Profile) liveBlock() []byte {
	if !p.isAdopted() {
		return nil
	}
	return p.s.adoptedBytes(p.place)
}

// Method returns the method that the profile belongs to.
func (p Profile) Method() (Method, error) {
	if p.s == nil {
		return Method{}, ErrNotFound
	}
	return p.s.MethodAt(p.trainedBlock().Method())
}

// Code returns the id of the profiled code, or layout.CodeUnknown.
func (p Profile) Code() uint64 {
	f := p.trainedField(disk.HasCode)
	if f == nil {
		return layout.CodeUnknown
	}
	code := le.Uint64(f)
	runtime.KeepAlive(p.s)
	return code
}

// Context returns the calling context; ok is false if the profile has none and holds for all callers.
func (p Profile) Context() (c Context, ok bool, err error) {
	f := p.trainedField(disk.HasLinks)
	if f == nil {
		return Context{}, false, nil
	}
	n := layout.Ref(le.Uint32(f))
	if n == 0 {
		return Context{}, false, nil
	}
	c, err = p.s.readContext(n)
	return c, err == nil, err
}

func (p Profile) trainedField(f disk.Presence) []byte {
	if p.s == nil {
		return nil
	}
	return p.trainedBlock().Field(f)
}

func (p Profile) currentField(f disk.Presence) []byte {
	b := p.trainedField(f)
	if b == nil || !p.isAdopted() {
		return b
	}
	return p.liveBlock()[p.place.byteSize()-len(b):]
}

// Size returns the sizes in bytes of the method's code and of the VM's own MethodData; 0 if unknown.
func (p Profile) Size() (code, host uint32) {
	if f := p.trainedField(disk.HasSize); f != nil {
		code = le.Uint32(f)
		host = le.Uint32(f[4:])
		runtime.KeepAlive(p.s)
	}
	return code, host
}

// Invocations returns the number of calls of the method; ok is false if the profile lacks the counter.
func (p Profile) Invocations() (c Counter, ok bool) {
	unit, ok := disk.InvocationsUnit(disk.Presence(p.first))
	if !ok {
		return Counter{}, false
	}
	return Counter{p.s, p.s.hit.data.Cell((uint64(p.place.at) + unit) * disk.Unit), p.adopted.Word(unit * disk.Unit)}, true
}

// Backedges returns the number of backward branches taken in the method; ok is false if the profile lacks the counter.
func (p Profile) Backedges() (c Counter, ok bool) { return p.fieldCounter(disk.HasBackedges) }

// Interpreted returns how often the interpreter ran the method; ok is false if the profile lacks the counter.
func (p Profile) Interpreted() (c Counter, ok bool) { return p.fieldCounter(disk.HasInterpreted) }

func (p Profile) fieldCounter(f disk.Presence) (Counter, bool) {
	b := p.trainedField(f)
	if b == nil {
		return Counter{}, false
	}
	return counterAt(p.s, p.trainedBlock(), p.liveBlock(), p.place.byteSize()-len(b)), true
}

// TrapHistory returns the number of traps by reason; nil if the profile has none. The bytes are live if the profile is
// adopted, and valid while p is reachable.
func (p Profile) TrapHistory() []byte {
	f := p.trainedField(disk.HasTraps)
	if f == nil {
		return nil
	}
	n := int64(le.Uint32(f))
	f = p.currentField(disk.HasTraps)[8:]
	runtime.KeepAlive(p.s)
	return f[:min(n, int64(len(f)))]
}

// An extentInFile is a checked range of the file. It has a third of the size of a slice.
type extentInFile struct {
	at    layout.Ref
	units uint32 // size in units of 8 bytes
}

func (p extentInFile) byteRange() (from, to int64) {
	from = p.at.Offset()
	return from, from + int64(p.units)*disk.Unit
}

func (p extentInFile) byteSize() int { return int(p.units) * disk.Unit }

func (s *Store) trainedBytes(p extentInFile) []byte {
	from, to := p.byteRange()
	return s.data[from:to:to]
}

// adoptedBytes returns the bytes of a range of rw in the adopted mapping. The store must be adopted.
func (s *Store) adoptedBytes(p extentInFile) []byte {
	from, to := p.byteRange()
	start := disk.RegionOf(s.h, disk.RegionRW).Offset
	return s.adoption.Load().rw[from-start : to-start : to-start]
}
