package spill

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/file/mmap"
	"github.com/profarc/profarc/internal/file/words"
)

// A View reads a store that is not changed meanwhile. It maps the file, so that several goroutines can read strings
// in any order.
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
	if p.slab == 0 {
		return nil
	}
	slab := &v.store.slabs[p.slab-1]
	if slab.bytes != nil {
		return slab.bytes[p.offset : p.offset+p.Size : p.offset+p.Size]
	}
	at := slab.at + int64(p.offset)
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
