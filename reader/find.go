package reader

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Find looks a method up by its key. It allocates nothing, unless the key has
// more than some 1,000 bytes. The error matches ErrNotFound if there is none.
func (s *Store) Find(k layout.Key) (Method, error) { return s.find(k.ID(s.h.Domain), &k) }

// find returns the method with that key, whose id is id.
func (s *Store) find(id uint64, k *layout.Key) (Method, error) {
	for q := s.search(id, disk.KindMethod); ; {
		m, err := q.nextMethod(id)
		if err == ErrNotFound {
			return s.findNeverRan(k)
		}
		if err != nil {
			return Method{}, err
		}
		if same, err := m.hasKey(k); err != nil {
			return Method{}, err
		} else if same {
			return m, nil
		}
	}
}

// Lookup looks a method up by its id (layout.Key.ID). It allocates nothing.
// The error matches ErrNotFound, or ErrAmbiguous if two keys of the archive
// have this id: then only Find can tell them apart. It finds the methods that are
// Indexed: Find alone finds most of those that never ran.
func (s *Store) Lookup(id uint64) (Method, error) {
	q := s.search(id, disk.KindMethod)
	m, err := q.nextMethod(id)
	if err == nil && m.head.Flags()&layout.MethodSharedID != 0 {
		return Method{}, ErrAmbiguous
	}
	return m, err
}

// nextMethod returns the next method with that id, or ErrNotFound.
func (q *search) nextMethod(id uint64) (Method, error) {
	for {
		n, err := q.next()
		if err != nil {
			return Method{}, err
		}
		if n == 0 {
			return Method{}, ErrNotFound
		}
		if !q.s.inMethods(n) {
			continue
		}
		if m, err := q.s.method(n); m.id == id || err != nil {
			return m, err
		}
	}
}

// hasKey compares the text of the key.
func (m Method) hasKey(k *layout.Key) (bool, error) {
	if m.head.Flags()&disk.MethodNamed != 0 {
		if k.Class != "" || k.Signature != "" || k.Loader != "" {
			return false, nil
		}
		return m.holds(k.Name)
	}
	rec := m.record()
	if same, err := m.s.symbolIs(rec.Name, k.Name); !same || err != nil {
		return false, err
	}
	if same, err := m.s.signatureIs(rec.Signature, k.Signature); !same || err != nil {
		return false, err
	}
	if rec.Holder == 0 {
		return k.Class == "" && k.Loader == "", nil
	}
	t, err := m.s.typeRecord(rec.Holder)
	if err != nil {
		return false, err
	}
	return m.s.typeIs(t, k.Class, k.Loader)
}

// FindType looks a type up by name and loader. It allocates nothing, unless
// they have more than some 1,000 bytes. The error matches ErrNotFound if there is none.
func (s *Store) FindType(name, loader string) (Type, error) {
	id := layout.TypeID(name, loader)
	for q := s.search(id, disk.KindType); ; {
		n, err := q.next()
		if err != nil {
			return Type{}, err
		}
		if n == 0 {
			return Type{}, ErrNotFound
		}
		if !s.isType(n) {
			continue
		}
		t, err := s.typeRecord(n)
		if err != nil {
			return Type{}, err
		}
		if t.ID != id {
			continue
		}
		if same, err := s.typeIs(t, name, loader); err != nil {
			return Type{}, err
		} else if same {
			return s.typeOf(n), nil
		}
	}
}

func (s *Store) typeIs(t disk.TypeRecord, name, loader string) (bool, error) {
	if same, err := s.symbolIs(t.Name, name); !same || err != nil {
		return false, err
	}
	return s.symbolIs(t.Loader, loader)
}
