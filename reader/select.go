package reader

import (
	"errors"
	"iter"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// AnyCode asks for the profile of whatever version of the code there is. Where
// there are several, one whose code is not known is found with [Method.Profiles]
// alone.
const AnyCode = 0

// Profile looks the profile up for a version of the code (AnyCode if there is
// only one) in a calling context, the direct caller first. It gives the profile
// with the longest context that is a prefix of frames, down to the one without
// a context, and the number of frames that it took. It allocates nothing. The
// error matches ErrNotFound if there is none, or ErrAmbiguous if AnyCode was
// asked for and there are several versions.
func (m Method) Profile(code uint64, frames ...Frame) (p Profile, depth int, err error) {
	if m.s == nil {
		return Profile{}, 0, ErrNotFound
	}
	c := m.chain(m.profiles(), 0)
	if err = c.ofCode(code, &p); err != nil {
		p = Profile{}
	}
	if m.head.Flags()&disk.MethodInContext == 0 || len(frames) == 0 || fatal(err) {
		return p, 0, err
	}
	t, damage := m.trie()
	if damage != nil {
		return Profile{}, 0, damage
	}
	down := t.descend()
	for i, f := range frames {
		if fatal(err) {
			return Profile{}, 0, err
		}
		if f.Caller.s != m.s || f.Caller.hasRow() { // no context leads to a row
			break
		}
		profiles, damage := down.step(f.Caller.at, f.Point)
		if damage == ErrNotFound {
			break
		} else if damage != nil {
			return Profile{}, 0, damage
		}
		c = m.chain(profiles, down.at)
		var q Profile
		if e := c.ofCode(code, &q); e == nil {
			p, depth, err = q, i+1, nil
		} else if !errors.Is(e, ErrNotFound) {
			p, depth, err = Profile{}, i+1, e
		}
	}
	return p, depth, err
}

// fatal reports whether a lookup in a longer context can not mend the error.
func fatal(err error) bool {
	return err != nil && err != ErrNotFound && err != ErrAmbiguous
}

// Profiles iterates over all profiles of the method: those without a context
// first, then by context; by code id within.
func (m Method) Profiles() iter.Seq2[Profile, error] {
	return func(yield func(Profile, error) bool) {
		if m.s == nil || !m.yieldChain(m.profiles(), 0, yield) {
			return
		}
		for c, err := range m.Contexts() {
			if err != nil {
				yield(Profile{}, err)
				return
			}
			if !m.yieldChain(c.rec.Profiles, c.at, yield) {
				return
			}
		}
	}
}

// yieldChain yields one chain and reports whether to go on.
func (m Method) yieldChain(first, context layout.Ref, yield func(Profile, error) bool) bool {
	for c := m.chain(first, context); ; {
		var p Profile
		if err := c.step(&p); err != nil {
			yield(Profile{}, err)
			return false
		}
		if !p.Valid() {
			return true
		}
		if !yield(p, nil) {
			return false
		}
	}
}
