package profarc

import (
	"iter"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Function is one version of a function of the VM, with its counters. Get the counters once, when the VM sets up the
// function. Getting them takes a lock, but incrementing them does not.
type Function struct {
	blocks *wordBlock // linked list of the words of sites
	number int        // index in Run.order; -1 if it is not there
	run    *Run
	version
	first    uint64         // number of functions that the run had asked for when it asked for this one, this one included
	noted    notes          // notes in the checkpoints that were written
	released bool           // the VM does not use it any more
	bad      error          // why no archive can hold the key; else nil
	profile  reader.Profile // claimed; not valid if the archive has none
	sites    *site          // linked list of entries that the profile lacks
}

// A site is an entry that the archive lacks. After it is added to a list, only its words and types change.
type site struct {
	at    place
	block *wordBlock
	first int                    // number of the first word in the block
	words []Word                 // one for each cell, or one for each type and one for all other types
	types []atomic.Pointer[Type] // rows of a type profile; nil if free
	kinds []layout.CellShape     // cells of an entry with one of VM.Shapes; else nil
	next  *site                  // next site of the function
}

// A place identifies an entry within a function.
type place struct {
	point int32
	tag   layout.Tag
	sub   layout.Sub
}

// claim looks up and claims the function's profile. If it is missing or damaged, the function uses its own counters.
func (f *Function) claim() {
	if f.run.store == nil || f.bad != nil {
		return
	}
	p, err := f.run.store.Profile(f.key, f.code)
	if err != nil {
		return
	}
	p, err = p.Claim()
	if err == nil {
		f.profile = p
	}
}

// Trained returns the function's profile in the archive, which is claimed; see [reader.Profile.Claim]. ok is false if
// the archive has no sound profile of this code.
func (f *Function) Trained() (p reader.Profile, ok bool) { return f.profile, f.profile.Valid() }

// Calls returns the counter of the function's calls.
func (f *Function) Calls() *Word { return f.wordOr(reader.Profile.Invocations, 0) }

// Backedges returns the counter of the function's loop back edges.
func (f *Function) Backedges() *Word { return f.wordOr(reader.Profile.Backedges, 1) }

// countersAt is the place of the site with the function's own counters of calls and back edges. It is not an entry.
var countersAt = place{}

func (f *Function) wordOr(of func(reader.Profile) (reader.Counter, bool), own int) *Word {
	if f.profile.Valid() {
		if c, ok := of(f.profile); ok {
			return counterWord(c)
		}
	}
	return &f.siteAt(countersAt, 2, 0, nil).words[own]
}

// Branch returns the two counters of a branch. The VM chooses the point, for instance the branch's offset in the code.
// Each point has at most one branch.
func (f *Function) Branch(point int32) (taken, notTaken *Word) {
	at := place{point, layout.TagSuccessors, layout.SubConditional}
	if e, ok := f.entry(at); ok {
		if b, ok := e.Branch(); ok {
			return counterWord(b.Taken), counterWord(b.NotTaken)
		}
	}
	s := f.siteAt(at, 2, 0, nil)
	return &s.words[0], &s.words[1]
}

// Words returns the cells of an entry in the order of its shape, which is the one of VM.Shapes with that tag. The VM
// may count in the cells or store numbers in them. Words is nil at the index of a cell that holds a type or method. It
// panics if no shape has the tag.
func (f *Function) Words(point int32, tag layout.Tag) []*Word {
	shape := f.run.shapeOf(tag)
	words := make([]*Word, len(shape.Cells))
	at := place{point: point, tag: tag}
	e, ok := f.entry(at)
	var s *site
	ok = ok && e.Cells() >= len(words) // rows follow
	if !ok {
		s = f.siteAt(at, len(words), 0, shape.Cells)
	}
	for i, cell := range shape.Cells {
		switch {
		case cell.Kind == layout.CellType || cell.Kind == layout.CellMethod:
		case ok:
			words[i] = counterWord(e.Cell(i))
		default:
			words[i] = &s.words[i]
		}
	}
	return words
}

// Receivers returns the type profile at a point, for instance a call whose receiver the VM wants to predict.
func (f *Function) Receivers(point int32) Receivers {
	at := place{point, layout.TagReceivers, layout.SubVirtualCall}
	if e, ok := f.entry(at); ok {
		in, _ := e.Receivers()
		return Receivers{run: f.run, in: in}
	}
	rows := f.run.vm.Rows
	return Receivers{run: f.run, own: f.siteAt(at, rows+1, rows, nil)}
}

// entry returns the archive's entry with the point, tag and sub of at.
func (f *Function) entry(at place) (e reader.Entry, ok bool) {
	if !f.profile.Valid() {
		return e, false
	}
	for e := range f.profile.Points(at.point) {
		if e.Tag() == at.tag && e.Sub() == at.sub {
			return e, true
		}
	}
	return e, false
}

// siteAt returns the function's own entry with the point, tag and sub of at, and creates it if needed.
func (f *Function) siteAt(at place, words, types int, kinds []layout.CellShape) *site {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	if s := f.findSite(at); s != nil {
		return s
	}
	s := f.newSite(at, words, types, kinds)
	if f.number >= 0 {
		f.run.blocks[f.number] = f.blocks
	}
	return s
}

// findSite returns the site of a place, or nil. The caller holds mu.
func (f *Function) findSite(at place) *site {
	s := f.sites
	for s != nil && s.at != at {
		s = s.next
	}
	return s
}

// Receivers is a type profile. It counts how often each type arrived at a point. A type keeps its row. The zero value
// is not usable; see Function.Receivers.
type Receivers struct {
	run *Run
	in  reader.Receivers
	own *site // replaces in if the archive lacks the point; else nil
}

// Record counts one arrival of a type and returns the counter of its row, in which an inline cache can count later
// ones. If all rows are taken by other types, Record counts the arrival in Others and returns nil. There are VM.Rows
// rows, or as many as the archive's entry has.
func (r Receivers) Record(t *Type) *Word {
	switch {
	case r.own != nil:
		return r.own.countArrival(t)
	case t.in.Valid():
		if row, err := r.in.Record(t.in); err == nil && row >= 0 {
			_, count := r.in.Cells(row)
			return counterWord(count)
		}
	default:
		_ = r.in.Other().Add(1) // never fails, because the archive is adopted
	}
	return nil
}

// countArrival counts an arrival of a type and returns the counter of its row, or nil for a type without a row.
func (s *site) countArrival(t *Type) *Word {
	row := 0
	for ; row < len(s.types); row++ {
		has := s.types[row].Load()
		if has == nil && !s.types[row].CompareAndSwap(nil, t) {
			has = s.types[row].Load()
		}
		if has == nil || has == t {
			break
		}
	}
	w := &s.words[row]
	w.Count(1)
	if row == len(s.types) {
		return nil
	}
	return w
}

// All iterates over the types that arrived in training and in this run, with their counters. It skips types of the
// archive for which Run.Type has not been called. Such types are not loaded, and the VM must not act on them. Others
// has their arrivals. The share of a type is therefore its count divided by the sum of all counts and Others.
func (r Receivers) All() iter.Seq2[*Type, *Word] {
	return func(yield func(*Type, *Word) bool) {
		for row := range r.rows() {
			if t, count := r.row(row); t != nil && !yield(t, count) {
				return
			}
		}
	}
}

// Others returns the number of arrivals that All does not show. Their types have no row, or are not loaded. A point is
// monomorphic only if All shows one type and Others is 0, or a small share of all arrivals.
func (r Receivers) Others() (n uint64) {
	if r.own == nil {
		n = r.in.Other().Load()
	} else {
		n = r.own.words[r.rows()].Load()
	}
	for row := range r.rows() {
		if t, count := r.row(row); t == nil {
			n = disk.SaturatingAdd(n, count.Load())
		}
	}
	return n
}

func (r Receivers) rows() int {
	if r.own == nil {
		return r.in.Len()
	}
	return len(r.own.types)
}

// row returns the type of a row, nil if it is not loaded or the row is empty, and the row's counter.
func (r Receivers) row(i int) (*Type, *Word) {
	if r.own != nil {
		return r.own.types[i].Load(), &r.own.words[i]
	}
	_, count := r.in.Cells(i)
	in, _ := r.in.Row(i)
	return r.run.typeOf(in.Type), counterWord(count)
}

// Loop returns the counter of the iterations of the loop at a point. Backedges counts all loops of the function.
func (f *Function) Loop(point int32) *Word {
	return f.countAt(place{point, layout.TagCount, layout.SubIterations})
}

// Deopts returns the counter of the deoptimizations at a point for one cause. The VM numbers its causes, from 0 to
// layout.MaxDeoptCause.
func (f *Function) Deopts(point int32, cause int) *Word {
	if cause < 0 || cause > layout.MaxDeoptCause {
		panic("profarc: the cause of a deoptimization is not between 0 and layout.MaxDeoptCause")
	}
	return f.countAt(place{point, layout.TagCount, layout.SubDeopts + layout.Sub(cause)})
}

// countAt returns the counter of a Count entry.
func (f *Function) countAt(at place) *Word {
	if e, ok := f.entry(at); ok {
		return counterWord(e.Cell(0))
	}
	return &f.siteAt(at, 1, 0, nil).words[0]
}

// Target returns the loaded type with the most arrivals and its certainty, or nil if no loaded type arrived. The
// certainty is the type's share of all arrivals and one more, so that a single arrival has a certainty of 0.5. Types
// that All skips and Others counts are other types.
func (r Receivers) Target() (target *Type, certainty float64) {
	most := uint64(0)
	all := float64(r.Others()) + 1
	for t, count := range r.All() {
		n := count.Load()
		all += float64(n)
		if n > most {
			target = t
			most = n
		}
	}
	return target, float64(most) / all
}
