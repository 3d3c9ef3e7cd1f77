package builder

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The settings that shape entries cannot always be known of a short run: without
// a type profile nothing shows how many rows one has. So what an archive's
// entries do not depend on fits every other.

// A shapeUse says which parts of a shape decide how some entry is laid out.
type shapeUse struct {
	types   bool // receiver rows, and the gap before them
	returns bool // rows of a Ret
}

// useOf is what the entries of an archive depend on.
func useOf(s *reader.Store) (use shapeUse, err error) {
	if s.Header().Domain != layout.DomainHotSpot {
		return use, nil
	}
	for m, err := range s.Methods() {
		if err != nil {
			return use, err
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return use, err
			}
			for e := range p.Entries() {
				switch e.Tag() {
				case layout.TagReceiverType, layout.TagVirtualCall, layout.TagVirtualCallType:
					use.types = true
				case layout.TagRet:
					use.returns = true
				}
			}
		}
	}
	return use, nil
}

// joinShape makes the builder's shape that of an archive that joins, if it can
// be. The first that depends on a part decides it; as long as there is none, the
// largest is taken. The caller holds mu.
func (b *Builder) joinShape(shape disk.Shape, use shapeUse) error {
	have := b.shape
	types := shape.TypeRows != have.TypeRows || shape.Gap != have.Gap
	returns := shape.BciRows != have.BciRows
	if types && use.types && b.shaped.types || returns && use.returns && b.shaped.returns {
		return fmt.Errorf("%w: its VM keeps %s, the others' %s: merge profiles of one release and of the same -XX:TypeProfileWidth and -XX:BciProfileWidth",
			ErrMismatch, describeShape(shape), describeShape(have))
	}
	if !b.shaped.types {
		have.TypeRows, have.Gap = joined(have.TypeRows, shape.TypeRows, use.types), joined(have.Gap, shape.Gap, use.types)
	}
	if !b.shaped.returns {
		have.BciRows = joined(have.BciRows, shape.BciRows, use.returns)
	}
	b.shaped.types, b.shaped.returns = b.shaped.types || use.types, b.shaped.returns || use.returns
	b.setShape(have)
	return nil
}

func describeShape(s disk.Shape) string {
	return fmt.Sprintf("%d receivers a call, %d returns and %d more counts", s.TypeRows, s.BciRows, s.Gap)
}

// joined is a setting that nothing depended on so far.
func joined(have, joins int, decides bool) int {
	if decides {
		return joins
	}
	return max(have, joins)
}

// setShape changes the parts of the shape that no entry depends on.
func (b *Builder) setShape(s disk.Shape) {
	if s == b.shape {
		return
	}
	b.shape = s
	p := &b.config.Params
	p[layout.ParamTypeProfileWidth], p[layout.ParamBciProfileWidth], p[layout.ParamReceiverGap] = uint32(s.TypeRows), uint32(s.BciRows), uint32(s.Gap)
}
