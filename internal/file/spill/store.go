package spill

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/internal/file/words"
)

// DefaultBudget is the budget of a builder in bytes.
const DefaultBudget = 192 << 20

type Config struct {
	Budget int64  // bytes of strings that stay in memory; 0 or negative for no limit
	Folder string // folder of the file; os.TempDir() if empty
}

// A Store keeps byte strings. The zero value is ready to use. It must be used by one goroutine at a time.
type Store struct {
	Config
	slabs  []slab
	memory int64 // bytes of slabs in memory
	used   int64 // bytes of all kept strings
	freed  int64 // bytes of freed strings, a part of used
	file   *os.File
	end    int64 // end offset of the data in file
	spare  slab  // slab written to file, whose memory the next slab reuses
	err    error // first error of file
	window readWindow
}

// A slab is a block of strings. bytes is nil if it is in the file. The bytes of a large slab are in piece.
type slab struct {
	bytes []byte
	piece *mmap.Piece
	at    int64 // offset in the file
	size  int   // size in the file
}

// A Place is the location of a string in a store. The zero value is nowhere.
type Place struct{ slab, offset, Size uint32 } // slab is counted from 1

// Nowhere reports whether p is the zero value.
func (p Place) Nowhere() bool { return p.slab == 0 }

// Slab sizes double from firstSlab to slabSize.
const (
	firstSlab     = 1 << 12
	slabSize      = firstSlab << slabDoublings
	slabDoublings = 9
)

// Keep stores a copy of p, of less than 4 GiB, which must not be the store's memory. If the file fails, this and all
// later strings stay in memory, and Err returns the error.
func (s *Store) Keep(p []byte) Place {
	if n := len(s.slabs); n == 0 || len(p) > cap(s.slabs[n-1].bytes)-len(s.slabs[n-1].bytes) {
		s.beginSlab(len(p))
	}
	last := &s.slabs[len(s.slabs)-1]
	at := Place{uint32(len(s.slabs)), uint32(len(last.bytes)), uint32(len(p))}
	last.bytes = append(last.bytes, p...)
	s.used += int64(len(p))
	return at
}

// beginSlab starts a slab for at least n bytes. It writes all previous slabs to the file if slabs exceed the budget.
func (s *Store) beginSlab(n int) {
	size := int64(firstSlab) << min(len(s.slabs), slabDoublings)
	budget := s.memoryBudget()
	if budget >= 0 {
		size = min(size, budget)
	}
	size = max(size, int64(n))
	if budget >= 0 && (s.file != nil || s.memory+size > budget) {
		s.writeSlabs()
	}
	next := s.spare
	s.spare = (slab{})
	if int64(cap(next.bytes)) < size {
		next.piece.Release()
		next = newSlab(int(size))
	}
	s.memory += int64(cap(next.bytes))
	s.slabs = append(s.slabs, next)
}

func newSlab(size int) slab {
	if size < slabSize {
		return slab{bytes: make([]byte, 0, size)}
	}
	p := mmap.NewPiece(size)
	return slab{bytes: p.Bytes()[:0], piece: p}
}

// memoryBudget is negative on systems without file mappings, where a View would need the memory again.
func (s *Store) memoryBudget() int64 {
	if !mmap.Available || s.Budget == 0 {
		return -1
	}
	return s.Budget
}

func (s *Store) writeSlabs() {
	first := len(s.slabs)
	for first > 0 && s.slabs[first-1].bytes != nil {
		first--
	}
	for i := first; i < len(s.slabs) && s.err == nil; i++ {
		b := &s.slabs[i]
		s.err = s.writeSlab(b)
		if s.err != nil {
			return
		}
		s.memory -= int64(cap(b.bytes))
		s.spare.piece.Release()
		s.spare = slab{bytes: b.bytes[:0], piece: b.piece}
		b.bytes, b.piece = nil, nil
	}
}

// writeSlab writes a slab at a multiple of its size, since systems keep such blocks in large pages.
func (s *Store) writeSlab(b *slab) error {
	if s.file == nil {
		f, err := publish.CreateUnnamed(s.fileFolder())
		if err != nil {
			return &Error{s.fileFolder(), err}
		}
		s.file = f
	}
	align := int64(min(cap(b.bytes), slabSize))
	at := (s.end + align - 1) / align * align
	if _, err := s.file.WriteAt(b.bytes, at); err != nil {
		return &Error{s.fileFolder(), err}
	}
	b.at = at
	b.size = len(b.bytes)
	s.end = at + int64(len(b.bytes))
	return nil
}

func (s *Store) fileFolder() string {
	if s.Folder == "" {
		return os.TempDir()
	}
	return s.Folder
}

type Error struct {
	Folder string
	Err    error
}

func (e *Error) Error() string {
	return fmt.Sprintf("profiles beyond the memory budget go to a file without a name in %s: %v: free space there, "+
		"name another folder, or raise the budget", e.Folder, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// HasAdvice returns true; see layout.Error.
func (e *Error) HasAdvice() bool { return true }

func (s *Store) Err() error { return s.err }

// Memory returns the string at p, nil if it is not in memory. It can be changed and is valid until the next Keep.
func (s *Store) Memory(p Place) []byte {
	if p.slab == 0 || s.slabs[p.slab-1].bytes == nil {
		return nil
	}
	return s.slabs[p.slab-1].bytes[p.offset : p.offset+p.Size : p.offset+p.Size]
}

// Read returns the string at p, nil for nowhere. It must not be changed and is valid until the next call of a method.
func (s *Store) Read(p Place) ([]byte, error) {
	if b := s.Memory(p); b != nil || p.slab == 0 {
		return b, nil
	}
	b, err := s.window.readThrough(s.file, s.slabs[p.slab-1].at+int64(p.offset), int(p.Size), s.end)
	if err != nil {
		return nil, &Error{s.fileFolder(), err}
	}
	return b, nil
}

// A readWindow buffers a part of the file. It grows while requests are inside it or just behind it.
type readWindow struct {
	at     int64
	bytes  []byte
	length int // bytes to read the next time
}

const (
	minWindow = 1 << 12
	maxWindow = 1 << 19
)

func (w *readWindow) readThrough(f io.ReaderAt, at int64, size int, end int64) ([]byte, error) {
	if at < w.at || at+int64(size) > w.at+int64(len(w.bytes)) {
		if near := w.at + int64(len(w.bytes)); at >= w.at && at < near+minWindow {
			w.length = min(2*w.length, maxWindow)
		} else {
			w.length = minWindow
		}
		if err := w.loadWindow(f, at, int(min(int64(max(w.length, size)), end-at))); err != nil {
			return nil, err
		}
	}
	from := int(at - w.at)
	return w.bytes[from : from+size : from+size], nil
}

func (w *readWindow) loadWindow(f io.ReaderAt, at int64, n int) error {
	if cap(w.bytes) < n {
		w.bytes = make([]byte, n)
	}
	w.at = at
	w.bytes = w.bytes[:n]
	if _, err := f.ReadAt(w.bytes, at); err != nil {
		w.bytes = w.bytes[:0]
		return err
	}
	return nil
}

// A State records how far a store was filled, for Restore.
type State struct {
	slabs, last int // number of slabs, bytes in the last of them
	used, freed int64
	err         error
}

func (s *Store) State() State {
	t := State{slabs: len(s.slabs), used: s.used, freed: s.freed, err: s.err}
	if t.slabs > 0 {
		t.last = s.slabs[t.slabs-1].filledBytes()
	}
	return t
}

func (b *slab) filledBytes() int {
	if b.bytes == nil {
		return b.size
	}
	return len(b.bytes)
}

// Holds reports whether the string at p was kept before the state was taken.
func (t State) Holds(p Place) bool {
	return int(p.slab) < t.slabs || int(p.slab) == t.slabs && int(p.offset) < t.last
}

// Restore drops the strings that were kept since t. A slab that was written to the file since stays there.
func (s *Store) Restore(t State) {
	for _, b := range s.slabs[t.slabs:] {
		s.memory -= int64(cap(b.bytes))
		b.piece.Release()
	}
	clear(s.slabs[t.slabs:])
	s.slabs = s.slabs[:t.slabs]
	s.used = t.used
	s.freed = t.freed
	s.err = t.err
	if t.slabs > 0 && s.slabs[t.slabs-1].bytes != nil {
		last := &s.slabs[t.slabs-1]
		last.bytes = last.bytes[:t.last]
	}
	s.window = readWindow{}
}

// Free marks the string at p as unused. Its bytes stay until the store is copied.
func (s *Store) Free(p Place) { s.freed += int64(p.Size) }

// Wasteful reports whether most of the strings were freed.
func (s *Store) Wasteful() bool { return s.freed > slabSize && s.freed > s.used/2 }

func (s *Store) Close() {
	if s.file != nil {
		_ = s.file.Close()
	}
	for _, b := range s.slabs {
		b.piece.Release()
	}
	s.spare.piece.Release()
	*s = Store{Config: s.Config}
}

// A View reads a store. The store must not change while the View is in use. A View maps the file, so that several
// goroutines can read strings in any order.
type View struct {
	store  *Store
	mapped *mmap.View // nil if there is no file
	file   []byte
}

// View maps the file. The view must be closed before the store is changed.
func (s *Store) View() (*View, error) {
	v := &View{store: s}
	if s.file == nil || s.end == 0 {
		return v, nil
	}
	mapped, err := mmap.NewView(s.file, s.end)
	if err != nil {
		return nil, &Error{s.fileFolder(), err}
	}
	v.mapped, v.file = mapped, mapped.Bytes()
	return v, nil
}

// At returns the string at p, nil for nowhere. It must not be changed. Access bytes of the file only within Guard.
func (v *View) At(p Place) []byte {
	if b := v.store.Memory(p); b != nil || p.slab == 0 {
		return b
	}
	at := v.store.slabs[p.slab-1].at + int64(p.offset)
	return v.file[at : at+int64(p.Size) : at+int64(p.Size)]
}

// Guard calls f. If the file cannot be read, f is aborted and Guard returns an error.
func (v *View) Guard(f func() error) error {
	if v.mapped == nil {
		return f()
	}
	start := words.AddressOfBytes(v.file)
	owns := func(address uintptr) bool { return address >= start && address < start+uintptr(len(v.file)) }
	err := mmap.Guard(owns, f)
	if fault := (*mmap.Fault)(nil); errors.As(err, &fault) {
		return &Error{v.store.fileFolder(), fmt.Errorf("%w at byte %d", errUnreadable, fault.Address-start)}
	}
	return err
}

var errUnreadable = errors.New("it cannot be read back")

// Forget lets the system reclaim the mapped pages. They are read again on the next access.
func (v *View) Forget() {
	if v.mapped != nil {
		v.mapped.Forget()
	}
}

func (v *View) Close() {
	if v.mapped != nil {
		_ = v.mapped.Unmap()
	}
	*v = View{}
}
