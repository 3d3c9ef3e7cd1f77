package profarc

import (
	"fmt"
	"maps"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// A dump records the functions' own counters.
type dump struct {
	b      *builder.Builder
	totals bool
	pruned *loss // released functions left out
	lost   *merge.Dropped
	left   loss                    // functions left out
	others loss                    // rows left out; others have their counts
	read   map[*wordBlock][]uint64 // counts of the recorded functions, from which the next checkpoint counts
	noted  []noting
}

// keep remembers the counts of a checkpoint that was written, and forgets released functions.
func (d *dump) keep(r *Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(d.read, r.continued)
	for b, counts := range d.read {
		b.dumped = counts
	}
	r.released = map[string]string{}
	r.pruned = newLoss()
	for _, n := range d.noted {
		n.of.noted = n.now
	}
}

// function records the own counters of a function. It includes zero counts, so that the next archive has these points.
func (d *dump) function(f *Function) error {
	sites := d.readOwn(f)
	if f.profile.Valid() && sites == nil {
		return nil // all counters are in the archive
	}
	p := d.b.Profile(f.key, f.code)
	counters := make([]uint64, 2)
	for s := sites; s != nil; s = s.next {
		if s.at == countersAt {
			counters = s.countsOf(d.read)
		} else {
			d.site(p, f, s)
		}
	}
	p.Invocations(counters[0])
	p.Backedges(counters[1])
	return p.Done()
}

// readOwn reads the function's own counters, and returns the first site of the list. A dump of totals forgets the
// counters of the function before.
func (d *dump) readOwn(f *Function) *site {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	if d.totals {
		clear(d.read)
	}
	f.readBlocks(d.read)
	return f.sites
}

// functions records all functions with own counters, or for checkpoints those with new counts.
func (d *dump) functions(r *Run) error {
	r.mu.Lock()
	live := r.inUse()
	number := len(r.order) // functions that are asked for later are in released, or in the next checkpoint
	released := maps.Clone(r.released)
	r.continued = map[*wordBlock][]uint64{}
	r.mu.Unlock()
	if !d.totals {
		live = d.touched(r, number)
	}
	for _, f := range live {
		if err := d.record(f); err != nil {
			return err
		}
	}
	for key, versions := range released {
		for _, v := range splitVersions(versions) {
			r.mu.Lock()
			f := r.decodeFunction(parseKey(key), v)
			r.mu.Unlock()
			if err := d.record(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// record records a function, and what TableAdvice says about it.
func (d *dump) record(f *Function) error {
	if f.bad != nil {
		d.leaveOut(f)
		return nil
	}
	if err := d.function(f); err != nil {
		return fmt.Errorf("%s.%s: %w", f.key.Class, f.key.Name, err)
	}
	d.noteFunction(f)
	return nil
}

// touched returns the functions with counts since the last checkpoint, of the first ones in order. The builder already
// has the functions whose counts are in the archive.
func (d *dump) touched(r *Run, number int) []*Function {
	var recorded []version
	set := d.b.Internal()
	set.Locked(func() {
		for _, p := range set.Profiles.All {
			if p.Context == profileset.NoContext {
				recorded = append(recorded, version{set.KeyOf(p.Method), p.Code})
			}
		}
	})
	all := map[*Function]bool{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range recorded {
		if f := r.functions[v]; f != nil && f.number < number {
			all[f] = true
		}
	}
	for i := range number {
		if r.blocks[i].hasCounted() {
			all[r.order[i]] = true
		}
		if i%lockedFunctions == 0 { // let others set up functions
			r.mu.Unlock()
			r.mu.Lock()
		}
	}
	return slices.Collect(maps.Keys(all))
}

// lockedFunctions is the number of functions that touched reads under one lock.
const lockedFunctions = 1 << 10

// isCount reports whether a word of the site is a count.
func (s *site) isCount(word int) bool {
	return s.kinds == nil || s.kinds[word].Kind == layout.CellCount
}

// site records the entry of a site.
func (d *dump) site(p *builder.Profile, f *Function, s *site) {
	cells := s.countsOf(d.read)
	switch s.at.tag {
	case layout.TagSuccessors:
		p.Branch(builder.At{Bci: s.at.point}, builder.Branch{Taken: cells[0], NotTaken: cells[1]})
	case layout.TagCount:
		p.Count(builder.Count{Point: s.at.point, Sub: s.at.sub, N: cells[0]})
	case layout.TagReceivers:
		rows := d.rows(f, s, cells)
		p.Receivers(builder.Receivers{Point: s.at.point, Sub: s.at.sub, Other: cells[len(s.types)]}, rows...)
	default:
		p.Custom(builder.Custom{Point: s.at.point, Tag: s.at.tag, Cells: cells})
	}
}

// rows returns the rows of a type profile. counts must be read before the call, so that each row with a count has its
// type. Types with a name that no archive can hold count as others.
func (d *dump) rows(f *Function, s *site, counts []uint64) []builder.Row {
	rows := make([]builder.Row, len(s.types))
	others := &counts[len(s.types)]
	for i := range s.types {
		t := s.types[i].Load()
		switch {
		case t == nil:
		case t.bad != nil:
			*others = disk.SaturatingAdd(*others, counts[i])
			d.dropRow(f, s, t)
		default:
			rows[i] = builder.Row{Type: d.b.Type(builder.TypeKey{Name: t.name}), Count: counts[i]}
		}
	}
	return rows
}
