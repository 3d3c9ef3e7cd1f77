package llvm

import (
	"errors"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// ValueNames gives the names that values of sites stand for.
type ValueNames struct {
	store   *reader.Store
	vtables map[uint64]string
}

// NewValueNames reads the names of vtables; those of functions are looked up
// when they are asked for.
func NewValueNames(s *reader.Store) (*ValueNames, error) {
	names, err := symbolColumn(s, layout.TableVTables, vtableColumns)
	if err != nil {
		return nil, err
	}
	n := &ValueNames{s, make(map[uint64]string, len(names))}
	for _, name := range names {
		n.vtables[disk.NameRef(name)] = name
	}
	return n, nil
}

// Function is the name of the function with an id; ok is false if the archive
// does not have it, or has two.
func (n *ValueNames) Function(id uint64) (name reader.Name, ok bool, err error) {
	m, ok, err := n.method(id)
	if !ok {
		return reader.Name{}, false, err
	}
	name, err = m.Name()
	return name, err == nil, err
}

func (n *ValueNames) method(id uint64) (m reader.Method, ok bool, err error) {
	m, err = n.store.Lookup(id)
	if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
		return reader.Method{}, false, nil
	}
	return m, err == nil, err
}

// VTable is the name of the vtable with an id; ok is false if the archive does
// not have it.
func (n *ValueNames) VTable(id uint64) (name string, ok bool) {
	name, ok = n.vtables[id]
	return name, ok
}
