package profarc

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// own is a counter that the archive does not have.
type own struct {
	word   Word
	dumped uint64 // at the last checkpoint that was written
}

// A dump records what functions have counted in words of their own.
type dump struct {
	b      *builder.Builder
	totals bool
	read   []reading
}

// A reading is what a counter had when a dump read it: the next checkpoint counts from there.
type reading struct {
	of    *own
	count uint64
}

// count returns what was counted since the last checkpoint, or, for totals, at all.
func (d *dump) count(o *own) uint64 {
	n := o.word.Load()
	if d.totals {
		return n
	}
	d.read = append(d.read, reading{o, n})
	return n - o.dumped
}

// keep notes that the dump has been written.
func (d *dump) keep() {
	for _, r := range d.read {
		r.of.dumped = r.count
	}
}

// function records a function. Points without a count are recorded too: the next run counts them in the archive.
func (d *dump) function(f *Function) error {
	sites := f.ownSites()
	if f.profile.Valid() && sites == nil && f.calls.word.Load() == 0 && f.loops.word.Load() == 0 {
		return nil // the archive has words for it all
	}
	p := d.b.Profile(f.key, f.code)
	p.Invocations(d.count(&f.calls))
	p.Backedges(d.count(&f.loops))
	for s := sites; s != nil; s = s.next {
		d.site(p, s)
	}
	return p.Done()
}

// ownSites returns the first of the sites that the archive lacks so far.
func (f *Function) ownSites() *site {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	return f.sites
}

// site records an entry.
func (d *dump) site(p *builder.Profile, s *site) {
	cells := make([]uint64, len(s.words))
	for i := range cells {
		if s.kinds == nil || s.kinds[i].Kind == layout.CellCount {
			cells[i] = d.count(&s.words[i])
		} else {
			cells[i] = s.words[i].word.Load()
		}
	}
	switch s.at.tag {
	case layout.TagSuccessors:
		p.Branch(builder.At{Bci: s.at.point}, builder.Branch{Taken: cells[0], NotTaken: cells[1]})
	case layout.TagReceivers:
		p.Receivers(builder.Receivers{Point: s.at.point, Sub: s.at.sub, Other: cells[len(s.types)]}, d.rows(s, cells)...)
	default:
		p.Custom(builder.Custom{Point: s.at.point, Tag: s.at.tag, Cells: cells})
	}
}

// rows returns the rows of a type profile. Their counts were read before: a row that has one has a type.
func (d *dump) rows(s *site, counts []uint64) []builder.Row {
	rows := make([]builder.Row, len(s.types))
	for i := range s.types {
		if t := s.types[i].Load(); t != nil {
			rows[i] = builder.Row{Type: d.b.Type(builder.TypeKey{Name: t.name}), Count: counts[i]}
		}
	}
	return rows
}
