package reader

import (
	"encoding/binary"
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

var le = binary.LittleEndian

// A Profile is one MethodData. The zero Profile is none.
type Profile struct {
	s       *Store
	place   place // of the block; as it lies in the file it alone decides where things lie
	adopted bool
}

// ProfileAt returns the profile whose block lies at n; the error matches
// ErrNotFound for 0.
func (s *Store) ProfileAt(n layout.Ref) (Profile, error) {
	if n == 0 {
		return Profile{}, ErrNotFound
	}
	b, err := s.block(n)
	if err != nil {
		return Profile{}, err
	}
	return Profile{s: s, place: placeOf(n, b)}, nil
}

// Valid reports whether p is a profile.
func (p Profile) Valid() bool { return p.s != nil }

// Ref is the place of the block.
func (p Profile) Ref() layout.Ref { return p.place.at }

// Bytes returns the trained MethodData block as it lies in the file. It must not
// be written to, and is valid while p is reachable.
func (p Profile) Bytes() []byte { return p.block() }

func (p Profile) block() disk.Block {
	if p.s == nil {
		return nil
	}
	return p.s.trained(p.place)
}

// live is the adopted block, nil if p is not adopted.
func (p Profile) live() []byte {
	if !p.adopted {
		return nil
	}
	return p.s.live(p.place)
}

// Method is the method that the profile is of.
func (p Profile) Method() (Method, error) {
	if p.s == nil {
		return Method{}, ErrNotFound
	}
	return p.s.MethodAt(p.block().Method())
}

// Code is the id of the code that the profile is of, 0 if it is not known.
func (p Profile) Code() uint64 {
	f := p.trained(disk.HasCode)
	if f == nil {
		return 0
	}
	code := le.Uint64(f)
	runtime.KeepAlive(p.s)
	return code
}

// Context is the calling context; ok is false if the profile holds for every
// caller.
func (p Profile) Context() (c Context, ok bool, err error) {
	f := p.trained(disk.HasLinks)
	if f == nil {
		return Context{}, false, nil
	}
	n := layout.Ref(le.Uint32(f))
	if n == 0 {
		return Context{}, false, nil
	}
	c, err = p.s.context(n)
	return c, err == nil, err
}

// trained is the bytes from an optional field on as they lie in the file, nil
// if the block lacks it.
func (p Profile) trained(f disk.Presence) []byte {
	if p.s == nil {
		return nil
	}
	return p.block().Field(f)
}

// current is the bytes from an optional field on, of the adopted block if there
// is one.
func (p Profile) current(f disk.Presence) []byte {
	b := p.trained(f)
	if b == nil || !p.adopted {
		return b
	}
	return p.live()[p.place.size()-len(b):]
}

// Size returns the size in bytes of the method's code and of the VM's own
// MethodData, each 0 if not known.
func (p Profile) Size() (code, host uint32) {
	if f := p.trained(disk.HasSize); f != nil {
		code, host = le.Uint32(f), le.Uint32(f[4:])
		runtime.KeepAlive(p.s)
	}
	return code, host
}

// Invocations is how often the method was called. ok is false if the profile
// does not have the counter.
func (p Profile) Invocations() (c Counter, ok bool) { return p.counter(disk.HasInvocations) }

// Backedges is how often the method's loops went round. ok is false if the
// profile does not have the counter.
func (p Profile) Backedges() (c Counter, ok bool) { return p.counter(disk.HasBackedges) }

// Interpreted is how often the interpreter ran the method. ok is false if the
// profile does not have the counter.
func (p Profile) Interpreted() (c Counter, ok bool) { return p.counter(disk.HasInterpreted) }

func (p Profile) counter(f disk.Presence) (Counter, bool) {
	b := p.trained(f)
	if b == nil {
		return Counter{}, false
	}
	return counterAt(p.s, p.block(), p.live(), p.place.size()-len(b)), true
}
