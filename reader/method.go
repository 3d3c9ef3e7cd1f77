package reader

import (
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Method is a method of the archive. The zero Method is none.
//
// It is small enough to go from call to call in registers: it has what most
// lookups need, and reads the rest of its record when it is asked for that.
type Method struct {
	s    *Store
	id   uint64 // of a row, which has none, its signature and its class
	head disk.MethodHead
	at   layout.Ref
}

// maxMethodFields is the size of a method record with all its optional fields.
const maxMethodFields = disk.MinMethodSize + 3*8

// method fetches the method record at n.
func (s *Store) method(n layout.Ref) (Method, error) {
	section := &s.h.Parts[disk.PartMethods]
	at := n.Offset()
	if !s.inMethods(n) {
		return Method{}, s.corrupt(layout.RegionRO, at, "a method record outside the methods section")
	}
	if err := s.m.Check(layout.RegionRO, at, min(maxMethodFields, section.End()-at)); err != nil {
		return Method{}, err
	}
	m := Method{s: s, at: n}
	m.id, m.head = disk.ParseMethodHead(s.data[at:])
	if !m.head.Fits() || !section.Holds(at, m.head.Size()) {
		return Method{}, s.corrupt(layout.RegionRO, at, "a method record of %d units with flags 0x%x, %d bytes before the end of its section",
			m.head.Units(), uint16(m.head.Flags()), section.End()-at)
	}
	return m, nil
}

// referred fetches the method record to which something else than the index or a
// walk refers. Bytes inside a record can look like one: what is a method the index
// leads to, under the id that is recorded there.
func (s *Store) referred(n layout.Ref) (Method, error) {
	m, err := s.method(n)
	if err != nil {
		return Method{}, err
	}
	for q := s.search(m.id, disk.KindMethod); ; {
		switch to, err := q.next(); {
		case err != nil:
			return Method{}, err
		case to == n:
			return m, nil
		case to == 0:
			return Method{}, s.corrupt(layout.RegionRO, n.Offset(), "no method begins here: the index does not lead to it")
		}
	}
}

// Record returns the method's record as it lies in the file, or what the record of
// a row would be. It is for the packages of this module.
func (m Method) Record() disk.MethodRecord { return m.record() }

// record decodes the whole record. It was checked; it is empty if the file was
// changed since.
func (m Method) record() (r disk.MethodRecord) {
	if m.s == nil {
		return r
	}
	if m.hasRow() {
		return m.rowRecord()
	}
	at := m.at.Offset()
	if r.Parse(m.s.data[at:at+m.head.Size()]) != nil {
		r = disk.MethodRecord{}
	}
	runtime.KeepAlive(m.s)
	return r
}

// profiles is the first profile without a context, 0 if there is none.
func (m Method) profiles() layout.Ref {
	if m.head.Flags()&(disk.MethodNamed|disk.MethodProfiled) == 0 {
		return 0
	}
	n := m.head.Profiles(m.s.data[m.at.Offset():])
	runtime.KeepAlive(m.s)
	return n
}

// MethodAt returns the method whose record or row lies at n; the error matches
// ErrNotFound for 0.
func (s *Store) MethodAt(n layout.Ref) (Method, error) {
	if n == 0 {
		return Method{}, ErrNotFound
	}
	if s.inNeverRan(n) {
		return s.neverRanAt(n)
	}
	return s.referred(n)
}

// Valid reports whether m is a method.
func (m Method) Valid() bool { return m.s != nil }

// ID is the method's id. That of a method that never ran is worked out from its
// key, and is 0 if that cannot be read.
func (m Method) ID() uint64 {
	if !m.hasRow() {
		return m.id
	}
	k, err := m.Key()
	if err != nil {
		return 0
	}
	return k.ID(m.s.h.Domain)
}

// Indexed reports whether Lookup finds the method by its id. Most methods that
// never ran are found by their keys alone.
func (m Method) Indexed() bool { return m.s != nil && !m.hasRow() }

// Ref is the place of the method's record or row.
func (m Method) Ref() layout.Ref { return m.at }

// Flags are the method's flags.
func (m Method) Flags() layout.MethodFlags { return m.head.Flags() }

// Unexecuted reports whether the training run saw the method and did not execute it.
func (m Method) Unexecuted() bool { return m.head.Flags()&layout.MethodUnexecuted != 0 }

// Profiled reports whether the method has a profile without a context.
func (m Method) Profiled() bool { return m.profiles() != 0 }

// Access is the access flags as in a class file, 0 if unknown.
func (m Method) Access() uint32 { return m.record().Access }

// Key is the method's key, copied.
func (m Method) Key() (k layout.Key, err error) {
	name, err := m.Name()
	if err != nil {
		return layout.Key{}, err
	}
	k.Name = name.String()
	rec := m.record()
	signature, err := m.s.signature(rec.Signature)
	if k.Signature = signature.String(); err != nil || rec.Holder == 0 {
		return k, err
	}
	t, err := m.s.typeRecord(rec.Holder)
	if err != nil {
		return layout.Key{}, err
	}
	if k.Class, err = m.s.text(t.Name); err != nil {
		return layout.Key{}, err
	}
	k.Loader, err = m.s.text(t.Loader)
	return k, err
}

func (s *Store) text(n layout.Ref) (string, error) {
	name, err := s.symbol(n)
	return name.String(), err
}

// Name is the method's name, or LLVM's PGO name.
func (m Method) Name() (Name, error) {
	if m.head.Flags()&disk.MethodNamed == 0 {
		return m.s.symbol(m.record().Name)
	}
	b, err := m.held()
	return Name{m.s, disk.RecordName(b)}, err
}

// held is the bytes in which a named record holds its name.
func (m Method) held() ([]byte, error) {
	return m.s.m.Bytes(layout.RegionRO, m.at.Offset()+disk.MinMethodSize, m.head.Size()-disk.MinMethodSize)
}

// holds compares the name that a named record holds with text.
func (m Method) holds(text string) (bool, error) {
	if len(text) > disk.MaxNamed || disk.NamedUnits(len(text)) != m.head.Units() {
		return false, nil
	}
	b, err := m.held()
	if err != nil {
		return false, err
	}
	same := string(b[:len(text)]) == text
	if rest := len(text) % disk.Unit; rest != 0 && le.Uint64(b[len(b)-disk.Unit:])>>(8*rest) != 0 {
		same = false
	}
	runtime.KeepAlive(m.s)
	return same, nil
}

// Signature is the method's signature; it is empty if the domain has none. Where
// the archive has it as a list of names its text is made anew.
func (m Method) Signature() (Name, error) { return m.s.signature(m.record().Signature) }

// Class is the declaring class; ok is false if the domain has none.
func (m Method) Class() (t Type, ok bool, err error) {
	holder := m.record().Holder
	if holder == 0 {
		return Type{}, false, nil
	}
	t, err = m.s.TypeAt(holder)
	return t, err == nil, err
}
