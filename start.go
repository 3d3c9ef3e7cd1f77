package profarc

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// A VM describes the program whose profiles are kept: an interpreter, a JIT, anything that learns as it runs.
type VM struct {
	// ID tells archives of this VM from all others: 16 bytes that are drawn once (uuidgen), and drawn anew when
	// points, keys or shapes get another meaning. It must be set.
	ID [16]byte
	// Name is for people, with a version, at most 64 bytes.
	Name string
	// Shapes are the entries that Function.Words counts in, beside the ones that Function has methods for.
	Shapes []layout.EntryShape
	// Rows is how many types a point of Function.Receivers tells apart, at most 64; 0 is 4.
	Rows int
}

// defaultRows is how many types a point tells apart unless the VM says otherwise.
const defaultRows = 4

// A Run is one run of a VM. Its methods, and the methods of what they return, may be called by several goroutines
// at once.
type Run struct {
	vm     VM
	number uint64        // of the run in this process
	bad    error         // why nothing can be written
	store  *reader.Store // adopted; nil without an archive

	mu        sync.Mutex
	functions map[version]*Function
	order     []*Function // in the order of their first use
	memory    memory
	types     map[string]*Type
	bound     []*Type // by the class that they are bound to, less 1

	dumping sync.Mutex
	form    form
	counted merge.Counted // of the archive, in checkpoints
	since   [16]byte      // the last checkpoint that was written; zero before the first
}

// A version is a function with one code.
type version struct {
	key  layout.Key
	code uint64
}

// Start begins a run. It opens and adopts the archive at path, which takes as long for any size.
//
// The run is never nil and counts in any case; the error says why it begins without an archive. It matches
// fs.ErrNotExist if there is none yet, layout.ErrIdentity if the archive is another VM's, and layout.ErrCorrupt,
// ErrChecksum, ErrVersion or the like if it cannot be used. A VM without an ID or with a shape that cannot be
// declared is a mistake in the program: its runs have no archive, and Dump returns the same error.
func Start(path string, vm VM) (*Run, error) {
	if vm.Rows == 0 {
		vm.Rows = defaultRows
	}
	vm.Shapes = slices.Clone(vm.Shapes)
	r := &Run{vm: vm, number: runs.Add(1) - 1, functions: map[version]*Function{}, types: map[string]*Type{}}
	_, r.bad = r.builder(disk.RandomDumpID(), nil)
	if r.bad != nil {
		return r, r.bad
	}
	s, err := reader.Open(path, archive.Options{Expect: archive.Expect{Domain: layout.DomainCustom, ProducerID: vm.ID}})
	if err != nil {
		return r, err
	}
	if err := s.Adopt(reader.AdoptOptions{}); err != nil {
		return r, errors.Join(err, s.Close())
	}
	r.store = s
	return r, nil
}

// runs is how many runs this process has begun.
var runs atomic.Uint64

// Store returns the archive that the run began with, for what this package has no method for; nil if there is none.
func (r *Run) Store() *reader.Store { return r.store }

// Close closes the archive. Words stay countable as long as their function is reachable, and Dump fails.
func (r *Run) Close() error {
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}

// Function returns the function with that key and code: always the same one, however often it is asked for. It
// counts in the archive's profile of this code, or else in words of its own.
//
// The code is any number that changes when the function's code does, such as the CodeID of its bytecodes.
func (r *Run) Function(key layout.Key, code uint64) *Function {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := version{key, code}
	f := r.functions[v]
	if f == nil {
		f = &Function{run: r, version: v}
		f.claim()
		r.functions[v] = f
		r.order = append(r.order, f)
	}
	return f
}

// CodeID returns a code id of bytecodes, or of anything else that changes when they do: XXH64 of its bytes, never
// layout.CodeUnknown or layout.CodeAny.
func CodeID(code []byte) uint64 {
	id := xxhash.Sum64(code)
	if id == layout.CodeUnknown || id == layout.CodeAny {
		return 1
	}
	return id
}

// A Type is a class of this run that Receivers.Record notes.
type Type struct {
	name string
	in   reader.Type // of the archive, or late; not valid without an archive
}

// Name returns the type's name.
func (t *Type) Name() string { return t.name }

// Type says that a class of that name is loaded. Until then Receivers.All leaves out what the archive has of it.
func (r *Run) Type(name string) *Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.types[name]
	if t == nil {
		t = &Type{name: name}
		r.types[name] = t
		r.bound = append(r.bound, t)
		if r.store != nil {
			r.bind(t, uint64(len(r.bound)))
		}
	}
	return t
}

// bind binds a type to its class in the archive. A type that cannot be bound is recorded without a row.
func (r *Run) bind(t *Type, class uint64) {
	in, err := r.store.LateType(t.name, "")
	if err == nil && r.store.Bind(in, class) == nil {
		t.in = in
	}
}

// typeOf returns the type that a type of the archive is bound to; nil if it is not loaded.
func (r *Run) typeOf(in reader.Type) *Type {
	class, state := r.store.Binding(in)
	r.mu.Lock()
	defer r.mu.Unlock()
	if state != reader.BindingBound || class > uint64(len(r.bound)) {
		return nil
	}
	return r.bound[class-1]
}

// shapeOf returns the shape that the VM declares for a tag.
func (r *Run) shapeOf(tag layout.Tag) layout.EntryShape {
	for _, s := range r.vm.Shapes {
		if s.Tag == tag {
			return s
		}
	}
	panic(fmt.Sprintf("profarc: the VM declares no shape for tag %d", tag))
}
