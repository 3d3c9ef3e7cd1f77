package reader

import "github.com/profarc/profarc/layout"

// Find looks a method up by its key. It allocates nothing, unless the key has
// more than some 1,000 bytes. The error matches ErrNotFound if there is none.
func (s *Store) Find(k layout.Key) (m Method, err error) {
	id := k.ID(s.h.Domain)
	q := s.search(id, layout.KindMethod)
	if err := q.find(id, &k, &m); err != nil {
		return Method{}, err
	}
	return m, nil
}

// find puts the method with that key, whose id is id, into m, which is of no
// use if there is an error.
func (q *search) find(id uint64, k *layout.Key, m *Method) error {
	for {
		if err := q.nextMethod(id, m); err != nil {
			return err
		}
		if same, err := m.hasKey(k); same || err != nil {
			return err
		}
	}
}

// Lookup looks a method up by its id (layout.Key.ID). It allocates nothing.
// The error matches ErrNotFound, or ErrAmbiguous if two keys of the archive
// have this id: then only Find can tell them apart.
func (s *Store) Lookup(id uint64) (m Method, err error) {
	q := s.search(id, layout.KindMethod)
	if err := q.lookup(id, &m); err != nil {
		return Method{}, err
	}
	return m, nil
}

// lookup puts the method with that id into m, which is of no use if there is an
// error.
func (q *search) lookup(id uint64, m *Method) error {
	if err := q.nextMethod(id, m); err != nil {
		return err
	}
	if m.rec.Flags&layout.MethodSharedID != 0 {
		return ErrAmbiguous
	}
	return nil
}

// nextMethod puts the next method with that id into m, or gives ErrNotFound.
func (q *search) nextMethod(id uint64, m *Method) error {
	for {
		n, err := q.next()
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNotFound
		}
		if !q.s.inMethods(n) {
			continue
		}
		if err := q.s.readMethod(n, m); m.rec.ID == id || err != nil {
			return err
		}
	}
}

// hasKey compares the text of the key.
func (m *Method) hasKey(k *layout.Key) (bool, error) {
	if same, err := m.isNamed(k.Name); !same || err != nil {
		return false, err
	}
	if m.rec.Flags&layout.MethodNamed != 0 {
		return k.Class == "" && k.Signature == "" && k.Loader == "", nil
	}
	if same, err := m.s.symbolIs(m.rec.Signature, k.Signature); !same || err != nil {
		return false, err
	}
	if m.rec.Holder == 0 {
		return k.Class == "" && k.Loader == "", nil
	}
	t, err := m.s.typeRecord(m.rec.Holder)
	if err != nil {
		return false, err
	}
	return m.s.typeIs(t, k.Class, k.Loader)
}

// FindType looks a type up by name and loader. It allocates nothing, unless
// they have more than some 1,000 bytes. The error matches ErrNotFound if there is none.
func (s *Store) FindType(name, loader string) (Type, error) {
	id := layout.TypeID(name, loader)
	for q := s.search(id, layout.KindType); ; {
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

func (s *Store) typeIs(t layout.TypeRecord, name, loader string) (bool, error) {
	if same, err := s.symbolIs(t.Name, name); !same || err != nil {
		return false, err
	}
	return s.symbolIs(t.Loader, loader)
}
