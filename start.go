package profarc

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// A VM describes the program that learns from its profiles, such as an interpreter or a JIT compiler. ID must be set.
type VM struct {
	// ID identifies archives of this VM. Draw 16 random bytes once, for instance with uuidgen, and draw new ones when the
	// meaning of points, keys or shapes changes.
	ID [16]byte
	// Name is the name and version for people, at most 64 bytes.
	Name string
	// Shapes are the entries for Function.Words, besides branches and type profiles.
	Shapes []layout.EntryShape
	// Rows is the number of types that each point of Function.Receivers distinguishes, at most 64; 0 is 4.
	Rows int
	// Versions is the number of versions of the code that a dump keeps of each key; 0 is 8. It keeps the versions
	// of the last run first, then the ones with the highest counts. The account of the archive names what is left out.
	Versions int
}

const (
	defaultRows     = 4
	defaultVersions = 8
)

// A Run is one run of a VM. Several goroutines may call its methods, and the methods of its functions, types and
// counters, at once.
type Run struct {
	vm     VM
	number uint64        // number of this run in the process, from 0
	path   string        // path of the archive, absolute if possible; Dump writes it by default
	bad    error         // error of the VM's description; nothing can be written
	store  *reader.Store // adopted; nil without an archive
	advice reader.Table  // TableAdvice of the archive, or empty
	hot    reader.Table  // TableHot of the archive, or empty

	mu        sync.Mutex
	functions map[version]*Function
	order     []*Function       // sorted by first use
	blocks    []*wordBlock      // blocks of the functions of order, which checkpoints read
	asked     uint64            // number of functions made
	leaving   []*Function       // released, and not yet encoded
	gone      int               // number of functions in order that are encoded
	released  map[string]string // encoded versions of released functions, by encoded key
	pruned    loss              // released functions that were dropped
	// continued has the counts of functions that were released when the current checkpoint began, and are not now.
	continued map[*wordBlock][]uint64
	types     map[string]*Type
	bound     []*Type // indexed by class number - 1

	dumping sync.Mutex
	form    form
	counted merge.Counted // counts of the archive in earlier checkpoints
	since   [16]byte      // dump ID of the last checkpoint that was written; zero before the first
}

// A version is a function with one code.
type version struct {
	key  layout.Key
	code uint64
}

// Start begins a run. It opens and adopts the archive at path, in a time that does not depend on the archive's size.
//
// The run is never nil and always counts. If the error is not nil, the run starts without an archive. The error matches
// fs.ErrNotExist if the file does not exist, layout.ErrIdentity if the archive belongs to another VM or has another
// shape of a tag or name, and layout.ErrCorrupt, ErrChecksum, ErrVersion or a similar error if the archive cannot be
// used. The next Dump replaces the file unless it belongs to another VM. A VM without an ID or with an invalid shape is
// a mistake in the program. Such a run has no archive, and Dump returns the same error.
func Start(path string, vm VM) (*Run, error) {
	if vm.Rows == 0 {
		vm.Rows = defaultRows
	}
	if vm.Versions <= 0 {
		vm.Versions = defaultVersions
	}
	vm.Shapes = slices.Clone(vm.Shapes)
	r := &Run{vm: vm, path: path, number: runs.Add(1) - 1, functions: map[version]*Function{},
		released: map[string]string{}, pruned: newLoss(), types: map[string]*Type{}}
	if absolute, err := filepath.Abs(path); err == nil && path != "" {
		r.path = absolute // the program can change its directory
	}
	b, err := r.builder(disk.RandomDumpID(), nil)
	if err != nil {
		r.bad = err
		return r, err
	}
	s, err := reader.Open(path, archive.Options{Expect: archive.Expect{Domain: layout.DomainCustom, ProducerID: vm.ID}})
	if err != nil {
		return r, err
	}
	err = checkShapes(b, s)
	if err == nil {
		err = s.Adopt(reader.AdoptOptions{})
	}
	if err != nil {
		return r, errors.Join(err, s.Close())
	}
	r.store = s
	r.readAdvice()
	return r, nil
}

// checkShapes compares the shapes of an archive with the VM's, which b has. Both can have shapes that the other lacks.
func checkShapes(b *builder.Builder, s *reader.Store) error {
	err := b.Internal().Declare((*mapped.Mapping)(s.Mapping()).Shape().Declared.Shapes()...)
	if err == nil {
		return nil
	}
	return &layout.Error{File: s.Mapping().Name(), Offset: -1, Kind: layout.ErrIdentity, Detail: err.Error(),
		Advice: "draw a new VM.ID, as for every change of shapes, or delete the file"}
}

// runs is the number of runs that this process has started.
var runs atomic.Uint64

// Store returns the archive that the run started with, for direct use of package reader. It is nil without an archive.
func (r *Run) Store() *reader.Store { return r.store }

// Close closes the archive. Counters can still be incremented while their function is reachable. If there was an
// archive, Dump and Checkpoint fail from then on.
func (r *Run) Close() error {
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}

// Function returns the function with a key and code. Equal arguments return the same Function. It counts in the
// archive's profile of this code, or in its own counters if the archive lacks the profile.
//
// The code is any number that changes with the function's code, such as the CodeID of its bytecodes. layout.CodeAny
// means layout.CodeUnknown. If no archive can hold the key, because a part has a NUL byte or more than 1 MiB, the
// function counts in this run, and dumps leave it out.
func (r *Run) Function(key layout.Key, code uint64) *Function {
	r.mu.Lock()
	defer r.mu.Unlock()
	if code == layout.CodeAny {
		code = layout.CodeUnknown // no profile can have CodeAny
	}
	v := version{key, code}
	f := r.functions[v]
	if f == nil {
		f = r.newFunction(v)
		if !r.takeReleased(f) {
			r.asked++
			f.first = r.asked
		}
		r.functions[v] = f
		r.enlist(f)
	}
	f.released = false
	return f
}

// enlist adds a function to order. The caller holds mu.
func (r *Run) enlist(f *Function) {
	f.number = len(r.order)
	r.order = append(r.order, f)
	r.blocks = append(r.blocks, f.blocks)
}

// CodeID returns a code ID for bytecodes, or for any other bytes that change with the code. It is their XXH64, or 1
// where that would be layout.CodeUnknown or layout.CodeAny.
func CodeID(code []byte) uint64 {
	id := xxhash.Sum64(code)
	if id == layout.CodeUnknown || id == layout.CodeAny {
		return 1
	}
	return id
}

// A Type is a loaded class, for Receivers.Record.
type Type struct {
	name  string
	class uint64      // its class number, from 1
	bad   error       // why no archive can hold the name; else nil
	in    reader.Type // type of the archive, possibly a late one; not valid without an archive
}

// Name returns the type's name.
func (t *Type) Name() string { return t.name }

// Type registers a class as loaded and returns its Type. Until then Receivers.All skips the class. Equal names return
// the same Type.
func (r *Run) Type(name string) *Type {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.types[name]
	if t == nil {
		t = &Type{name: name, class: uint64(len(r.bound)) + 1, bad: profileset.CheckName(name)}
		r.types[name] = t
		r.bound = append(r.bound, t)
		if r.store != nil {
			r.bind(t, t.class)
		}
	}
	return t
}

// bind binds a type to its class number in the archive. If that fails, arrivals of the type count in Others.
func (r *Run) bind(t *Type, class uint64) {
	in, err := r.store.LateType(t.name, "")
	if err == nil && r.store.Bind(in, class) == nil {
		t.in = in
	}
}

// typeOf returns the loaded type for a type of the archive, or nil.
func (r *Run) typeOf(in reader.Type) *Type {
	class, state := r.store.Binding(in)
	r.mu.Lock()
	defer r.mu.Unlock()
	if state != reader.BindingBound || class > uint64(len(r.bound)) {
		return nil
	}
	return r.bound[class-1]
}

// shapeOf returns the shape with a tag. It panics if the VM declares none.
func (r *Run) shapeOf(tag layout.Tag) layout.EntryShape {
	for _, s := range r.vm.Shapes {
		if s.Tag == tag {
			return s
		}
	}
	panic(fmt.Sprintf("profarc: the VM declares no shape for tag %d", tag))
}

// unusedAfter is the age from which StartIn removes an archive that no start has used.
const unusedAfter = 30 * 24 * time.Hour

// StartIn is like Start for a folder with the archives of many VMs, such as one in os.UserCacheDir. The name of the
// archive is the VM's ID in hexadecimal, with the extension .parc. StartIn creates the folder if necessary, and marks
// the archive as used by its time of modification. It removes archives with such names, and temporary files, that were
// last used more than 30 days ago. Dump with the path "" writes the archive.
func StartIn(dir string, vm VM) (*Run, error) {
	made := os.MkdirAll(dir, 0o755)
	name := hex.EncodeToString(vm.ID[:]) + ".parc"
	path := filepath.Join(dir, name)
	_ = os.Chtimes(path, time.Time{}, time.Now()) // it may not exist
	removeUnused(dir, name)
	r, err := Start(path, vm)
	return r, cmp.Or(made, err)
}

// removeUnused removes old archives and temporary files of a folder, except the archive to keep. It ignores errors.
func removeUnused(dir, keep string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		archived, _ := filepath.Match(strings.Repeat("[0-9a-f]", 32)+".parc", e.Name())
		temporary, _ := filepath.Match(".profarc-*.tmp", e.Name())
		if !archived && !temporary || e.Name() == keep || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err == nil && time.Since(info.ModTime()) > unusedAfter {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// checkTarget returns an error if the file at path is an archive of another VM. A dump replaces damaged archives.
func (r *Run) checkTarget(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil // Commit reports it
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, min(info.Size(), maxHeader))
	if _, err := io.ReadFull(f, head); err != nil {
		return nil
	}
	h, err := disk.ParseHeader(head, info.Size())
	if err != nil || h.Domain == layout.DomainCustom && h.ProducerID == r.vm.ID {
		return nil
	}
	return &layout.Error{File: path, Offset: -1, Kind: layout.ErrIdentity,
		Detail: fmt.Sprintf("it is of %q (domain %s, ID %x), and is not replaced", h.Producer, h.Domain, h.ProducerID),
		Advice: "write to another path, or delete the file first"}
}

// maxHeader is enough for the header of any archive.
const maxHeader = 1 << 16
