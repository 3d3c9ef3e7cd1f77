package merge

import (
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The settings that shape entries cannot always be known of a short run: without
// a type profile nothing shows how many rows one has. So what an archive's
// entries do not depend on fits every other.

// useOf is what the entries of an archive depend on.
func useOf(s *reader.Store) (use profileset.ShapeUse, err error) {
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
					use.Types = true
				case layout.TagRet:
					use.Returns = true
				}
			}
		}
	}
	return use, nil
}

// joinShape makes the builder's shape that of an archive that joins, if it can
// be. The first that depends on a part decides it; as long as there is none, the
// largest is taken. The caller holds mu.
func (b target) joinShape(shape disk.Shape, use profileset.ShapeUse) error {
	have := b.Shape
	types := shape.TypeRows != have.TypeRows || shape.Gap != have.Gap
	returns := shape.BciRows != have.BciRows
	if types && use.Types && b.Shaped.Types || returns && use.Returns && b.Shaped.Returns {
		return fmt.Errorf("%w: its VM keeps %s, the others' %s: merge profiles of one release and of the same -XX:TypeProfileWidth and -XX:BciProfileWidth",
			profileset.ErrMismatch, describeShape(shape), describeShape(have))
	}
	if !b.Shaped.Types {
		have.TypeRows, have.Gap = joined(have.TypeRows, shape.TypeRows, use.Types), joined(have.Gap, shape.Gap, use.Types)
	}
	if !b.Shaped.Returns {
		have.BciRows = joined(have.BciRows, shape.BciRows, use.Returns)
	}
	b.Shaped.Types, b.Shaped.Returns = b.Shaped.Types || use.Types, b.Shaped.Returns || use.Returns
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
func (b target) setShape(s disk.Shape) {
	if s == b.Shape {
		return
	}
	b.Shape = s
	p := &b.Heading.Params
	p[layout.ParamTypeProfileWidth], p[layout.ParamBciProfileWidth], p[layout.ParamReceiverGap] = uint32(s.TypeRows), uint32(s.BciRows), uint32(s.Gap)
}
