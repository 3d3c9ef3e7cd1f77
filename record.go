package profarc

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// own is a counter that the archive does not have.
type own struct {
	word   Word
	dumped uint64 // at the last dump that was written
	next   uint64 // at the dump that is being written
}

// since returns what was counted since the last dump that was written, or, for totals, at all.
func (o *own) since(totals bool) uint64 {
	if o.next = o.word.Load(); totals {
		return o.next
	}
	return o.next - o.dumped
}

// keep notes that the dump with what since returned has been written.
func (o *own) keep() { o.dumped = o.next }

// record puts what a function has counted in words of its own into a dump. Points without a count are recorded
// too: the next run counts them in the archive.
func (f *Function) record(b *builder.Builder, totals bool) error {
	sites := f.ownSites()
	if f.profile.Valid() && len(sites) == 0 && f.calls.word.Load() == 0 && f.loops.word.Load() == 0 {
		return nil // the archive has words for it all
	}
	p := b.Profile(f.key, f.code)
	p.Invocations(f.calls.since(totals))
	p.Backedges(f.loops.since(totals))
	for _, s := range sites {
		s.record(b, p, totals)
	}
	return p.Done()
}

// keep notes that the dump with what record put into it has been written.
func (f *Function) keep() {
	f.calls.keep()
	f.loops.keep()
	for _, s := range f.ownSites() {
		for i := range s.words {
			s.words[i].keep()
		}
	}
}

// ownSites returns the sites that the archive lacks so far.
func (f *Function) ownSites() []*site {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	return f.sites[:len(f.sites):len(f.sites)]
}

// record adds an entry to a dump.
func (s *site) record(b *builder.Builder, p *builder.Profile, totals bool) {
	cells := make([]uint64, len(s.words))
	for i := range cells {
		cells[i] = s.words[i].since(totals || s.kinds != nil && s.kinds[i].Kind != layout.CellCount)
	}
	switch s.at.tag {
	case layout.TagSuccessors:
		p.Successors(s.at.point, s.at.sub, builder.Successor{Index: 0, Count: cells[0]},
			builder.Successor{Index: 1, Count: cells[1]})
	case layout.TagReceivers:
		p.Receivers(builder.Receivers{Point: s.at.point, Sub: s.at.sub, Other: cells[len(s.types)]}, s.rows(b, cells)...)
	default:
		p.Custom(builder.Custom{Point: s.at.point, Tag: s.at.tag, Cells: cells})
	}
}

// rows returns the rows of a type profile. Their counts were read before: a row that has one has a type.
func (s *site) rows(b *builder.Builder, counts []uint64) []builder.Row {
	rows := make([]builder.Row, len(s.types))
	for i := range s.types {
		if t := s.types[i].Load(); t != nil {
			rows[i] = builder.Row{Type: b.Type(builder.TypeKey{Name: t.name}), Count: counts[i]}
		}
	}
	return rows
}
