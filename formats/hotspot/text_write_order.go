package hotspot

import (
	"cmp"
	"errors"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// profiles gives the profiles in the order in which they are to be printed.
func (w *textWriter) profiles() ([]reader.Profile, error) {
	ordered, err := w.sourceOrder()
	if err != nil {
		return nil, err
	}
	known := make(map[layout.Ref]bool, len(ordered))
	for _, p := range ordered {
		known[p.Ref()] = true
	}
	var rest []reader.Profile
	for m, err := range w.store.Methods() {
		if err != nil {
			return nil, err
		}
		if m.NeverRan() {
			w.report.Lost.Add(LossNeverRan, 1)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return nil, err
			}
			w.widen(p)
			if !known[p.Ref()] {
				rest = append(rest, p)
			}
		}
	}
	slices.SortStableFunc(rest, func(a, b reader.Profile) int { return cmp.Compare(invocations(b), invocations(a)) })
	return append(ordered, rest...), nil
}

func invocations(p reader.Profile) uint64 {
	c, _ := p.Invocations()
	return c.Load()
}

// sourceOrder gives the profiles that the archive has in the order of a text.
func (w *textWriter) sourceOrder() (profiles []reader.Profile, err error) {
	t, err := w.store.Table(layout.TableOrder)
	if errors.Is(err, reader.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if t.Columns() != 1 || t.Column(0) != layout.ColumnProfile {
		return nil, disk.Corrupt(layout.RegionEX, -1, "the table of the source order does not have one column of profiles")
	}
	for i := range t.Rows {
		p, err := w.store.ProfileAt(layout.Ref(t.Cell(0, i)))
		if err != nil {
			return nil, err
		}
		profiles = append(profiles, p)
	}
	return profiles, nil
}

// widen makes room for the entries of a profile that have more rows than the VM
// has: offsets are then printed as a VM with so many rows would.
func (w *textWriter) widen(p reader.Profile) {
	for e := range p.Entries() {
		switch e.Tag() {
		case layout.TagReceivers:
			w.settings.shape.TypeRows = max(w.settings.shape.TypeRows, e.Raw().Rows())
		case layout.TagSuccessors:
			if e.Sub() == layout.SubReturn {
				w.settings.shape.BciRows = max(w.settings.shape.BciRows, e.Raw().Rows())
			}
		}
	}
}
