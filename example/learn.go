package example

import (
	"errors"
	"sync/atomic"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/reader"
)

// The VM looks at the archive when it turns out to be slow: it opens the archive after
// openAfter slow instructions, and looks for a function after adoptAfter that the function
// has run. By then these have cost about as much as that costs, so that a program of which
// little runs does not wait for profiles that it does not need.
const (
	openAfter  = 8192
	adoptAfter = 8
)

// An archived is what earlier runs have learnt.
type archived struct {
	path    string        // "" if there is none
	store   *reader.Store // nil until it is opened
	err     error         // why it could not be opened
	classes map[string]*class
	bound   []*class // by the number that a type is bound to, less 1
}

// A state says where a function counts.
type state uint8

const (
	unsought state = iota // in the VM: it was not looked for in the archive yet
	unknown               // in the VM: the archive does not have it
	adopted               // in the archive
)

// Use names the archive of earlier runs.
func (vm *VM) Use(path string) { vm.archive.path = path }

// Err returns why the archive could not be opened: the VM runs without it then. It is nil if
// that was not tried.
func (vm *VM) Err() error { return vm.archive.err }

// Close ends the use of the archive. The program must not run any more.
func (vm *VM) Close() error {
	if vm.archive.store == nil {
		return nil
	}
	return vm.archive.store.Close()
}

// open opens and adopts the archive, which takes as long for any size.
func (a *archived) open(p *Program) error {
	s, err := reader.Open(a.path, archive.Options{Expect: archive.Expect{Domain: domain, ProducerID: producerID}})
	if err != nil {
		return err
	}
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		return errors.Join(err, s.Close())
	}
	a.store, a.classes = s, map[string]*class{intClass.Name: intClass, floatClass.Name: floatClass}
	for _, c := range p.Classes {
		a.classes[c.Name] = c
	}
	return nil
}

// warm looks at the archive for a function that is slow.
func (vm *VM) warm(f *Function) {
	a := &vm.archive
	if a.path == "" || a.err != nil || f.state != unsought {
		return
	}
	if a.store == nil {
		if vm.Slow < openAfter {
			return
		}
		if a.err = a.open(vm.program); a.err != nil {
			return
		}
	}
	f.state = unknown
	if vm.adopt(f) {
		f.state = adopted
	}
}

// adopt lets a function go on where earlier runs have left off: it counts in the archive
// from here on, and has its instructions quickened by the archive's profile. It is false if the
// archive does not have the function, or has it with other code.
func (vm *VM) adopt(f *Function) bool {
	p, err := vm.archive.store.Profile(f.Key(), f.id)
	if err != nil {
		return false // not there, or damaged: the VM can do without
	}
	if p, err = p.Claim(); err != nil {
		return false
	}
	if calls, ok := p.Invocations(); ok {
		f.calls = moved(f.calls, calls)
	}
	f.profile = p
	for e := range p.Entries() {
		if in := f.at(e.Point()); in != nil {
			vm.adoptSite(f, in, e)
		}
	}
	return true
}

// at returns the instruction of a profile point, nil if it has no site: points come from a file.
func (f *Function) at(point int32) *instr {
	if point < 0 || int(point) >= len(f.Code) || f.Code[point].Site < 0 {
		return nil
	}
	return &f.Code[point]
}

// adoptSite makes a site count in an entry of the archive.
func (vm *VM) adoptSite(f *Function, in *instr, e reader.Entry) {
	s := &f.sites[in.Site]
	if e.Tag() == tagBranch && in.Op == opUnless {
		s.taken, s.notTaken = moved(s.taken, e.Cell(0)), moved(s.notTaken, e.Cell(1))
		return
	}
	r, ok := e.Receivers()
	if !ok || in.Op == opUnless || r.Len() != receiverRows {
		return
	}
	own := s.rows
	s.other, s.adopted = moved(s.other, r.Other()), true
	for i := range s.rows {
		s.rows[i] = row{}
		if t, ok := r.Row(i); ok {
			s.rows[i].class = vm.archive.class(t.Type)
			s.rows[i].count, _ = t.Count.Word()
		}
	}
	for _, o := range own {
		if o.class != nil {
			vm.recordOwn(f, in, o)
		}
	}
	vm.quicken(in, s)
}

// moved adds what a counter of the VM has to one of the archive, and returns the word of
// the latter, to be counted in from now on.
func moved(own *atomic.Uint64, to reader.Counter) *atomic.Uint64 {
	w, ok := to.Word()
	if !ok {
		return own
	}
	w.Add(own.Load())
	return w
}

// recordOwn moves what a site has counted of a class into the archive.
func (vm *VM) recordOwn(f *Function, in *instr, own row) {
	s, n := &f.sites[in.Site], own.count.Load()
	if s.row(own.class) == nil {
		vm.recordNew(f, in, own.class)
		n--
	}
	if r := s.row(own.class); r != nil {
		r.count.Add(n)
	} else {
		s.other.Add(n)
	}
}

// row returns the row of a class, nil if it has none.
func (s *site) row(c *class) *row {
	for i := range s.rows {
		if s.rows[i].class == c {
			return &s.rows[i]
		}
	}
	return nil
}

// recordNew records a class that the archive does not have at this site, once. It takes a
// free row there, if there is one, which then is the class's.
func (vm *VM) recordNew(f *Function, in *instr, c *class) {
	t, err := vm.archive.store.LateType(c.Name, "")
	if err != nil {
		return
	}
	e, _ := f.profile.At(f.point(in))
	r, _ := e.Receivers()
	i, err := r.Record(t)
	if err != nil || i == reader.OtherRow {
		return
	}
	if found, ok := r.Row(i); ok {
		w, _ := found.Count.Word()
		f.sites[in.Site].rows[i] = row{class: c, count: w}
	}
}

// point returns the profile point of an instruction.
func (f *Function) point(in *instr) int32 {
	for pc := range f.Code {
		if &f.Code[pc] == in {
			return int32(pc)
		}
	}
	return -1
}

// class returns the class of a type, which it binds when it meets it first; nil if the
// program has no such class any more.
func (a *archived) class(t reader.Type) *class {
	n, state := a.store.Binding(t)
	switch state {
	case reader.BindingBound:
		return a.bound[n-1]
	case reader.BindingExcluded:
		return nil
	}
	name, err := t.Name()
	if err != nil {
		return nil
	}
	c := a.classes[name.String()]
	if c == nil {
		_ = a.store.Exclude(t)
		return nil
	}
	a.bound = append(a.bound, c)
	_ = a.store.Bind(t, uint64(len(a.bound)))
	return c
}
