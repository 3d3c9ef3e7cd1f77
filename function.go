package profarc

import (
	"iter"
	"sync/atomic"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Function is one version of a function of the VM, with its words. Ask for them when the function is set up, and
// count in them from then on: to ask takes a lock, to count does not.
type Function struct {
	run *Run
	version
	profile reader.Profile // claimed; not valid if the archive has none
	calls   own
	loops   own
	sites   *site // that the profile lacks
}

// A site is an entry that the archive does not have. Nothing but its counts changes once it is in a list.
type site struct {
	at    place
	words []own                  // one for each cell, or for each type and one for the others
	types []atomic.Pointer[Type] // that a type profile tells apart
	kinds []layout.CellShape     // of the cells of an entry with a shape of the VM
	next  *site                  // of the function
}

// A place tells the entries of a function apart.
type place struct {
	point int32
	tag   layout.Tag
	sub   layout.Sub
}

// claim looks the function up in the archive. Without a sound profile it counts in words of its own.
func (f *Function) claim() {
	if f.run.store == nil {
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

// Trained returns the archive's profile of the function, claimed, with all that the API of package reader can do;
// ok is false if the archive has none of this code.
func (f *Function) Trained() (p reader.Profile, ok bool) { return f.profile, f.profile.Valid() }

// Calls counts how often the function was called.
func (f *Function) Calls() *Word { return f.wordOr(reader.Profile.Invocations, &f.calls) }

// Backedges counts how often its loops went back.
func (f *Function) Backedges() *Word { return f.wordOr(reader.Profile.Backedges, &f.loops) }

func (f *Function) wordOr(of func(reader.Profile) (reader.Counter, bool), o *own) *Word {
	if f.profile.Valid() {
		if c, ok := of(f.profile); ok {
			return counterWord(c)
		}
	}
	return &o.word
}

// Branch counts which way a branch goes. The point is its place in the function's code: any number, with one branch.
func (f *Function) Branch(point int32) (taken, notTaken *Word) {
	at := place{point, layout.TagSuccessors, layout.SubConditional}
	if e, ok := f.entry(at); ok {
		if b, ok := e.Branch(); ok {
			return counterWord(b.Taken), counterWord(b.NotTaken)
		}
	}
	s := f.siteAt(at, 2, 0, nil)
	return &s.words[0].word, &s.words[1].word
}

// Words are the cells of an entry with a shape of VM.Shapes, in the order of the shape. They are the VM's to count
// or to write in. A cell that holds a type or a method has no word: nil. It panics if no shape has the tag.
func (f *Function) Words(point int32, tag layout.Tag) []*Word {
	shape := f.run.shapeOf(tag)
	words := make([]*Word, len(shape.Cells))
	at := place{point: point, tag: tag}
	e, ok := f.entry(at)
	var s *site
	ok = ok && e.Cells() == len(words)
	if !ok {
		s = f.siteAt(at, len(words), 0, shape.Cells)
	}
	for i, cell := range shape.Cells {
		switch {
		case cell.Kind == layout.CellType || cell.Kind == layout.CellMethod:
		case ok:
			words[i] = counterWord(e.Cell(i))
		default:
			words[i] = &s.words[i].word
		}
	}
	return words
}

// Receivers notes which types arrive at a call, or at whatever else the VM would like to guess a type.
func (f *Function) Receivers(point int32) Receivers {
	at := place{point, layout.TagReceivers, layout.SubVirtualCall}
	if e, ok := f.entry(at); ok {
		in, _ := e.Receivers()
		return Receivers{run: f.run, in: in}
	}
	rows := f.run.vm.Rows
	return Receivers{run: f.run, own: f.siteAt(at, rows+1, rows, nil)}
}

// entry returns the entry at a place in the archive.
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

// siteAt returns the function's own entry at a place, which is made if it has none.
func (f *Function) siteAt(at place, words, types int, kinds []layout.CellShape) *site {
	f.run.mu.Lock()
	defer f.run.mu.Unlock()
	for s := f.sites; s != nil; s = s.next {
		if s.at == at {
			return s
		}
	}
	f.sites = f.run.memory.site(site{at: at, kinds: kinds, next: f.sites}, words, types)
	return f.sites
}

// Receivers is a type profile: which types arrived at a point, and how often. A type keeps its row.
type Receivers struct {
	run *Run
	in  reader.Receivers
	own *site // that counts in the place of in; nil if the archive has the point
}

// Record notes a receiver, and returns the word of its row, in which an inline cache may count the next ones. Beyond
// VM.Rows types, or the rows of the archive, it counts as another one, and there is no word: nil.
func (r Receivers) Record(t *Type) *Word {
	switch {
	case r.own != nil:
		return r.own.note(t)
	case t.in.Valid():
		if row, err := r.in.Record(t.in); err == nil && row >= 0 {
			_, count := r.in.Cells(row)
			return counterWord(count)
		}
	default:
		_ = r.in.Other().Add(1) // the archive is adopted
	}
	return nil
}

// note counts a receiver in its row.
func (s *site) note(t *Type) *Word {
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
	w := &s.words[row].word
	w.Count(1)
	if row == len(s.types) {
		return nil
	}
	return w
}

// All iterates over the types that arrived, in training and in this run, with the words of their counts. Types of the
// archive that Run.Type has not been told of are left out: they are not loaded, and must not be acted on.
func (r Receivers) All() iter.Seq2[*Type, *Word] {
	return func(yield func(*Type, *Word) bool) {
		if r.own == nil {
			for row := range r.in.Bound() {
				if t := r.run.typeOf(row.Type); t != nil && !yield(t, counterWord(row.Count)) {
					return
				}
			}
			return
		}
		for row := range r.own.types {
			if t := r.own.types[row].Load(); t != nil && !yield(t, &r.own.words[row].word) {
				return
			}
		}
	}
}

// Others returns how many arrivals found no row.
func (r Receivers) Others() uint64 {
	if r.own == nil {
		return r.in.Other().Load()
	}
	return r.own.words[len(r.own.types)].word.Load()
}
