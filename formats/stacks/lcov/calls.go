package lcov

import (
	"math"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// calls tells how often methods were called.
type calls struct {
	s *reader.Store
	// callers sums the calls that were recorded where they are made.
	callers map[layout.Ref]uint64
	any     bool // some method has a call count
}

// newCalls reads the calls that methods make, which the domain jamaica records.
func newCalls(s *reader.Store) (*calls, error) {
	c := &calls{s: s, callers: map[layout.Ref]uint64{}}
	if s.Header().Domain != layout.DomainJamaica {
		return c, nil
	}
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return nil, err
			}
			for e := range p.Entries() {
				if err := c.addCallees(e); err != nil {
					return nil, err
				}
			}
		}
	}
	return c, nil
}

func (c *calls) addCallees(e reader.Entry) error {
	rows, ok := e.Rows()
	if !ok || e.Tag() != layout.TagCallees {
		return nil
	}
	for i := range rows.Len() {
		m, err := rows.Method(i)
		if err != nil {
			return err
		}
		c.callers[m.Ref()] = disk.SaturatingAdd(c.callers[m.Ref()], rows.Cell(i, 1).Trained())
	}
	return nil
}

// of is how often a method was called; known is false if nothing says whether
// it ran.
func (c *calls) of(m reader.Method) (n uint64, known bool, err error) {
	n, counted := c.callers[m.Ref()]
	ran, native := false, uint64(0)
	for p, err := range m.Profiles() {
		if err != nil {
			return 0, false, err
		}
		in, ok := c.inProfile(p, &native)
		n, counted = disk.SaturatingAdd(n, in), counted || ok
		ran = ran || c.ran(p)
	}
	// A native method has both: its own count has calls from everywhere.
	if native > 0 {
		n, counted = max(n, native), true
	}
	c.any = c.any || counted
	if n == 0 && ran {
		n = 1
	}
	return n, counted || ran || m.NeverRan(), nil
}

// inProfile is the calls that a profile counts. Those of a native method go to
// native.
func (c *calls) inProfile(p reader.Profile, native *uint64) (n uint64, ok bool) {
	if invocations, ok := p.Invocations(); ok {
		return invocations.Trained(), true
	}
	for e := range p.Entries() {
		switch {
		case e.Tag() == layout.TagCount && e.Sub() == layout.SubCalls:
			n, ok = disk.SaturatingAdd(n, e.Cell(0).Trained()), true
		case e.Tag() == layout.TagCount && e.Sub() == layout.SubNativeCalls:
			*native = disk.SaturatingAdd(*native, e.Cell(0).Trained())
		case e.Tag() == layout.TagCounters && e.Cells() > 0:
			return entryCount(e.Cell(0).Trained()), true
		}
	}
	return n, ok
}

// entryCount is LLVM's first counter. The two highest numbers say of a sampled
// function that it is hot or warm.
func entryCount(n uint64) uint64 {
	if n >= math.MaxUint64-1 {
		return 1
	}
	return n
}

// ran reports whether anything in a profile was counted.
func (c *calls) ran(p reader.Profile) bool {
	shape := disk.ShapeOf(&c.s.Header().Params)
	for e := range p.Entries() {
		for cell := range shape.Counts(e.Raw()) {
			if e.Raw().Cell(cell) != 0 {
				return true
			}
		}
	}
	return false
}
