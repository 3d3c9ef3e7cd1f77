package forgery

import "github.com/profarc/profarc/layout"

// Overshare makes the type with the longest name the holder of every method that
// has a record and a holder, and all sums right: so a builder would not share a
// name.
func Overshare(data []byte) error {
	h, err := layout.ParseHeader(data, int64(len(data)))
	if err != nil {
		return err
	}
	var holder layout.Narrow
	longest := int64(-1)
	each(h.Sections[layout.SectionTypes], layout.TypeSize, func(at int64) {
		if n := layout.SymbolLength(data[layout.ParseType(data[at:]).Name.Offset():]); n > longest {
			longest, holder = n, layout.NarrowOf(at)
		}
	})
	section := h.Sections[layout.SectionMethods]
	for at := section.Offset; at < section.End(); {
		_, head := layout.ParseMethodHead(data[at:])
		if head.Flags()&layout.MethodDeclared != 0 {
			le.PutUint32(data[at+layout.MinMethodSize:], uint32(holder))
		}
		at += head.Size()
	}
	resum(data, h)
	return nil
}

// resum makes all sums of an archive right.
func resum(data []byte, h *layout.Header) {
	tree, ps := h.SumTree(), h.Region(layout.RegionPS)
	for n := range tree.Pages() {
		page := tree.PageSpan(n)
		le.PutUint64(data[ps.Offset+tree.Slot(0, n):], layout.Sum(data[page.Offset:page.End()]))
	}
	le.PutUint64(data[sumRootAt:], tree.Fill(data[ps.Offset:ps.End()]))
	layout.Resum(data)
}
