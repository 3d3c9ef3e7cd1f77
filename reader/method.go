package reader

import (
	"runtime"

	"github.com/profarc/profarc/layout"
)

// A Method is a method of the archive. The zero Method is none.
type Method struct {
	s   *Store
	at  layout.Narrow
	rec layout.MethodRecord
}

// maxMethodFields is the size of a method record with all its optional fields.
const maxMethodFields = layout.MinMethodSize + 3*8

// method fetches the method record at n.
func (s *Store) method(n layout.Narrow) (m Method, err error) {
	if err := s.readMethod(n, &m); err != nil {
		return Method{}, err
	}
	return m, nil
}

// readMethod is method for the hot path, where a Method is too large to be
// handed from call to call.
func (s *Store) readMethod(n layout.Narrow, m *Method) error {
	section := &s.h.Sections[layout.SectionMethods]
	at := n.Offset()
	if !s.inMethods(n) {
		return s.corrupt(layout.RegionRO, at, "a method record outside the methods section")
	}
	b, err := s.m.Bytes(layout.RegionRO, at, min(maxMethodFields, section.End()-at))
	if err != nil {
		return err
	}
	m.s, m.at = s, n
	if err := m.rec.Parse(b); err != nil {
		return s.corrupt(layout.RegionRO, at, "%v", err)
	}
	if !section.Holds(at, int64(m.rec.Units)*layout.Unit) {
		return s.corrupt(layout.RegionRO, at, "a method record of %d units runs over its section", m.rec.Units)
	}
	return nil
}

// MethodAt gives the method whose record lies at n; the error matches
// ErrNotFound for 0.
func (s *Store) MethodAt(n layout.Narrow) (Method, error) {
	if n == 0 {
		return Method{}, ErrNotFound
	}
	return s.method(n)
}

// Valid reports whether m is a method.
func (m Method) Valid() bool { return m.s != nil }

// ID is the method's id.
func (m Method) ID() uint64 { return m.rec.ID }

// Ref is the place of the method's record.
func (m Method) Ref() layout.Narrow { return m.at }

// Flags are the method's flags.
func (m Method) Flags() layout.MethodFlags { return m.rec.Flags }

// NeverRan reports whether the method was seen and never ran.
func (m Method) NeverRan() bool { return m.rec.Flags&layout.MethodNeverRan != 0 }

// Profiled reports whether the method has a profile without a context.
func (m Method) Profiled() bool { return m.rec.Profiles != 0 }

// Access is the access flags as in a class file, 0 if not known.
func (m Method) Access() uint32 { return m.rec.Access }

// Key is the method's key, copied.
func (m Method) Key() (k layout.Key, err error) {
	name, err := m.Name()
	if err != nil {
		return layout.Key{}, err
	}
	k.Name = name.String()
	if k.Signature, err = m.s.text(m.rec.Signature); err != nil || m.rec.Holder == 0 {
		return k, err
	}
	t, err := m.s.typeRecord(m.rec.Holder)
	if err != nil {
		return layout.Key{}, err
	}
	if k.Class, err = m.s.text(t.Name); err != nil {
		return layout.Key{}, err
	}
	k.Loader, err = m.s.text(t.Loader)
	return k, err
}

func (s *Store) text(n layout.Narrow) (string, error) {
	name, err := s.symbol(n)
	return name.String(), err
}

// Name is the method's name, or LLVM's PGO name.
func (m Method) Name() (Name, error) {
	if m.rec.Flags&layout.MethodNamed == 0 {
		return m.s.symbol(m.rec.Name)
	}
	b, err := m.held()
	return Name{m.s, layout.RecordName(b)}, err
}

// held is the bytes in which a named record holds its name.
func (m *Method) held() ([]byte, error) {
	return m.s.m.Bytes(layout.RegionRO, m.at.Offset()+layout.MinMethodSize, int64(m.rec.Units)*layout.Unit-layout.MinMethodSize)
}

// isNamed compares the method's name with text.
func (m *Method) isNamed(text string) (bool, error) {
	if m.rec.Flags&layout.MethodNamed == 0 {
		return m.s.symbolIs(m.rec.Name, text)
	}
	if len(text) > layout.MaxNamed || layout.NamedUnits(len(text)) != m.rec.Units {
		return false, nil
	}
	b, err := m.held()
	if err != nil {
		return false, err
	}
	same := string(b[:len(text)]) == text
	for _, padding := range b[len(text):] {
		same = same && padding == 0
	}
	runtime.KeepAlive(m.s)
	return same, nil
}

// Signature is the method's signature; it is empty if the domain has none.
func (m Method) Signature() (Name, error) { return m.s.symbol(m.rec.Signature) }

// Class is the declaring class; ok is false if the domain has none.
func (m Method) Class() (t Type, ok bool, err error) {
	if m.rec.Holder == 0 {
		return Type{}, false, nil
	}
	t, err = m.s.TypeAt(m.rec.Holder)
	return t, err == nil, err
}
