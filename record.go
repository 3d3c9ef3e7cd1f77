package profarc

import (
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// An own is a counter outside the archive.
type own struct {
	word   Word
	dumped uint64 // count at the last checkpoint that was written
}

// A dump records the functions' own counters.
type dump struct {
	b      *builder.Builder
	totals bool
	read   []reading
}

// A reading is the value of a counter when a dump read it. The next checkpoint counts from there.
type reading struct {
	of    *own
	count uint64
}

// count returns the total of a counter, or for checkpoints the increment since the last one.
func (d *dump) count(o *own) uint64 {
	n := o.word.Load()
	if d.totals {
		return n
	}
	d.read = append(d.read, reading{o, n})
	return n - o.dumped
}

// keep remembers the counts of a dump that was written.
func (d *dump) keep() {
	for _, r := range d.read {
		r.of.dumped = r.count
	}
}

// function records the own counters of a function. It includes zero counts, so that the next archive has these points.
func (d *dump) function(f *Function) error {
	sites := f.ownSites()
	if f.profile.Valid() && sites == nil && f.calls.word.Load() == 0 && f.loops.word.Load() == 0 {
		return nil // all counters are in the archive
	}
	p := d.b.Profile(f.key, f.code)
	p.Invocations(d.count(&f.calls))
	p.Backedges(d.count(&f.loops))
	for s := sites; s != nil; s = s.next {
		d.site(p, s)
	}
	return p.Done()
}

// ownSites returns the first site of the list.
func (f *Function) ownSites() *site {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	return f.sites
}

// site records the entry of a site.
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

// rows returns the rows of a type profile. counts must be read before the call, so that each row with a count has its
// type.
func (d *dump) rows(s *site, counts []uint64) []builder.Row {
	rows := make([]builder.Row, len(s.types))
	for i := range s.types {
		if t := s.types[i].Load(); t != nil {
			rows[i] = builder.Row{Type: d.b.Type(builder.TypeKey{Name: t.name}), Count: counts[i]}
		}
	}
	return rows
}
