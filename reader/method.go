package reader

import (
	"cmp"
	"errors"
	"runtime"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Method is a method of the archive. The zero Method is invalid.
//
// It is small enough to be passed in registers. It has the fields that most lookups need and reads the rest of its
// record on demand.
type Method struct {
	s       *Store
	rowWord uint64 // signature and class if the method is a row, see rowRecord
	head    disk.MethodHead
	at      layout.Ref
}

// maxMethodFields is the maximum size in bytes of the fields of a method record.
const maxMethodFields = disk.MinMethodSize + 4*8

func (s *Store) readMethod(n layout.Ref) (Method, error) {
	section := &s.h.Parts[disk.PartMethods]
	at := n.Offset()
	if !s.isInMethods(n) {
		return Method{}, s.corruptError(disk.RegionRO, at, "a method record outside the methods section")
	}
	if err := s.m.Check(disk.RegionRO, at, min(maxMethodFields, section.End()-at)); err != nil {
		return Method{}, err
	}
	m := Method{s: s, at: n}
	m.head = disk.ParseMethodHead(s.data[at:])
	if !m.head.HasValidSize() || !section.Holds(at, m.head.Size()) {
		return Method{}, s.corruptError(disk.RegionRO, at,
			"a method record of %d units with flags 0x%x, %d bytes before the end of its section",
			m.head.Units(), uint16(m.head.Flags()), section.End()-at)
	}
	if hasID := m.head.Flags()&disk.MethodHasID != 0; hasID != (m.firstProfile() == 0) {
		return Method{}, s.corruptError(disk.RegionRO, at, "a method record with an id: %v, and with a profile: %v", hasID,
			!hasID)
	}
	return m, nil
}

// readReferredMethod returns the method for a reference from outside the index. Bytes inside a record can look like a
// record, so the index must have the reference under the id of the method.
func (s *Store) readReferredMethod(n layout.Ref) (Method, error) {
	m, err := s.readMethod(n)
	if err != nil {
		return Method{}, err
	}
	id, err := m.indexedID()
	if err != nil {
		return Method{}, err
	}
	for q, first := s.searchIndex(id, disk.KindMethod), m.firstProfile(); ; {
		switch to, err := q.nextCandidate(); {
		case err != nil:
			return Method{}, err
		case to == n || to == first && first != 0:
			return m, nil
		case to == 0:
			if found, err := q.isCrowded(id, n); found || err != nil {
				return m, err
			}
			return Method{}, s.corruptError(disk.RegionRO, n.Offset(), "no method begins here: the index does not lead to it")
		}
	}
}

// indexedID returns the id of a method with a record. It is the id in the first profile, or else that in the record.
// If the first profile is damaged, the id is computed from the key, so that the other profiles of the method remain
// readable.
func (m Method) indexedID() (uint64, error) {
	if id, ok := m.head.ID(m.s.data[m.at.Offset():]); ok {
		return id, nil
	}
	first := m.firstProfile()
	if first == 0 {
		return 0, m.s.corruptError(disk.RegionRO, m.at.Offset(), "a method without an id")
	}
	b, err := m.s.readBlock(first)
	if errors.Is(err, layout.ErrCorrupt) {
		k, err := m.Key()
		return k.ID(m.s.h.Domain), err
	}
	if err != nil {
		return 0, err
	}
	id, ok := b.ID()
	if !ok || b.Method() != m.at {
		return 0, m.s.corruptError(disk.RegionRW, first.Offset(),
			"the method at 0x%x leads to a profile that is not its first", m.at.Offset())
	}
	return id, nil
}

func (m Method) readRecord() (r disk.MethodRecord) {
	if m.s == nil {
		return r
	}
	if m.isRow() {
		return m.rowRecord()
	}
	at := m.at.Offset()
	if r.Parse(m.s.data[at:at+m.head.Size()]) != nil {
		r = disk.MethodRecord{}
	}
	runtime.KeepAlive(m.s)
	return r
}

func (m Method) firstProfile() layout.Ref {
	if m.head.Flags()&(disk.MethodNamed|disk.MethodProfiled) == 0 {
		return 0
	}
	n := m.head.Profiles(m.s.data[m.at.Offset():])
	runtime.KeepAlive(m.s)
	return n
}

// MethodAt returns the method whose record or row is at n. The error matches ErrNotFound if n is 0.
func (s *Store) MethodAt(n layout.Ref) (Method, error) {
	if n == 0 {
		return Method{}, ErrNotFound
	}
	if s.h.Parts[disk.PartUnexecuted].Holds(n.Offset(), disk.UnexecutedRowSize) {
		return s.methodOfRow(n)
	}
	return s.readReferredMethod(n)
}

// Valid reports whether m is not the zero Method.
func (m Method) Valid() bool { return m.s != nil }

// ID returns the id of the method; 0 if it cannot be read. It computes the id from the key if the method has no record.
func (m Method) ID() uint64 {
	if m.s == nil {
		return 0
	}
	if !m.isRow() {
		id, err := m.indexedID()
		if err != nil {
			return 0
		}
		return id
	}
	k, err := m.Key()
	if err != nil {
		return 0
	}
	return k.ID(m.s.h.Domain)
}

// Ref returns the reference of the method's record or row.
func (m Method) Ref() layout.Ref           { return m.at }
func (m Method) Flags() layout.MethodFlags { return m.head.Flags() }

// Unexecuted reports whether the training run loaded the method but did not execute it.
func (m Method) Unexecuted() bool { return m.head.Flags()&disk.MethodUnexecuted != 0 }

// Profiled reports whether the method has a profile without context.
func (m Method) Profiled() bool { return m.firstProfile() != 0 }

// Access returns the access flags of the class file; 0 if unknown.
func (m Method) Access() uint32 { return m.readRecord().Access }

// Key returns a copy of the method's key.
func (m Method) Key() (k layout.Key, err error) {
	name, err := m.Name()
	if err != nil {
		return layout.Key{}, err
	}
	k.Name = name.String()
	rec := m.readRecord()
	signature, err := m.s.readSignature(rec.Signature)
	k.Signature = signature.String()
	if err != nil || rec.Holder == 0 {
		return k, err
	}
	t, err := m.s.readTypeRecord(rec.Holder)
	if err != nil {
		return layout.Key{}, err
	}
	k.Class, err = m.s.symbolText(t.Name)
	if err != nil {
		return layout.Key{}, err
	}
	k.Loader, err = m.s.symbolText(t.Loader)
	return k, err
}

func (s *Store) symbolText(n layout.Ref) (string, error) {
	name, err := s.readSymbol(n)
	return name.String(), err
}

// Name returns the name of the method, or LLVM's PGO name.
func (m Method) Name() (Name, error) {
	if m.head.Flags()&disk.MethodNamed == 0 {
		return m.s.readSymbol(m.readRecord().Name)
	}
	b, err := m.heldName()
	return Name{m.s, disk.RecordName(b)}, err
}

// heldName returns the name in a named record, with its padding.
func (m Method) heldName() ([]byte, error) {
	return m.s.m.Bytes(disk.RegionRO, m.at.Offset()+m.head.FieldsSize(), m.head.Size()-m.head.FieldsSize())
}

func (m Method) heldNameEquals(text string) (bool, error) {
	if len(text) > disk.MaxNamed || disk.NamedUnits(m.head.Flags(), len(text)) != m.head.Units() {
		return false, nil
	}
	b, err := m.heldName()
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

// Signature returns the signature, "" if the domain has none. It is copied if the archive stores it as a list of names.
func (m Method) Signature() (Name, error) { return m.s.readSignature(m.readRecord().Signature) }

// Class returns the declaring class; ok is false if the domain has none.
func (m Method) Class() (t Type, ok bool, err error) {
	holder := m.readRecord().Holder
	if holder == 0 {
		return Type{}, false, nil
	}
	t, err = m.s.TypeAt(holder)
	return t, err == nil, err
}

// isRow reports whether the method is a row, an unexecuted method with no properties but the key (disk.UnexecutedRow).
func (m Method) isRow() bool { return m.s != nil && m.head.Units() == 0 }

func (m Method) rowRecord() disk.MethodRecord {
	return disk.MethodRecord{Name: m.head.FirstField(), Flags: m.head.Flags(), Holder: layout.Ref(m.rowWord),
		Signature: layout.Ref(m.rowWord >> 32)}
}

func (s *Store) unexecutedSpans() (classes, rows layout.Span, err error) {
	section := s.h.Parts[disk.PartUnexecuted]
	head, err := s.m.Bytes(disk.RegionRO, section.Offset, disk.UnexecutedHeaderSize)
	if err != nil {
		return layout.Span{}, layout.Span{}, err
	}
	classes, rows, err = disk.ParseUnexecuted(section, head)
	if err != nil {
		err = s.corruptError(disk.RegionRO, section.Offset, "%v", err)
	}
	return classes, rows, err
}

func (s *Store) methodOfRow(n layout.Ref) (Method, error) {
	classes, rows, err := s.unexecutedSpans()
	if err != nil {
		return Method{}, err
	}
	if !rows.Holds(n.Offset(), disk.UnexecutedRowSize) {
		return Method{}, s.corruptError(disk.RegionRO, n.Offset(), "a method where the classes of unexecuted methods are")
	}
	row := (n.Offset() - rows.Offset) / disk.UnexecutedRowSize
	class, _, err := s.searchClasses(classes, func(c disk.ClassRow) int { return cmp.Compare(int64(c.End), row+1) })
	if err != nil {
		return Method{}, err
	}
	if class == countClassRows(classes) {
		return Method{}, s.corruptError(disk.RegionRO, n.Offset(), "an unexecuted method of no class")
	}
	c, err := s.readClassRow(classes, class)
	if err != nil {
		return Method{}, err
	}
	return s.rowOfClass(c.Holder, n)
}

func (s *Store) rowOfClass(holder, n layout.Ref) (Method, error) {
	b, err := s.m.Bytes(disk.RegionRO, n.Offset(), disk.UnexecutedRowSize)
	if err != nil {
		return Method{}, err
	}
	row := disk.ParseUnexecutedRow(b)
	return Method{s, uint64(row.Signature)<<32 | uint64(holder), row.Head(), n}, nil
}

func countClassRows(classes layout.Span) int64 { return classes.Size / disk.ClassRowSize }

func (s *Store) readClassRow(classes layout.Span, i int64) (disk.ClassRow, error) {
	b, err := s.m.Bytes(disk.RegionRO, classes.Offset+i*disk.ClassRowSize, disk.ClassRowSize)
	if err != nil {
		return disk.ClassRow{}, err
	}
	return disk.ParseClassRow(b), nil
}

func (s *Store) searchClasses(classes layout.Span, compare func(disk.ClassRow) int) (at int64, found bool, err error) {
	return searchRows(0, countClassRows(classes), func(i int64) (int, error) {
		c, err := s.readClassRow(classes, i)
		return compare(c), err
	})
}

func searchRows(low, high int64, compare func(i int64) (int, error)) (at int64, found bool, err error) {
	for low < high {
		middle := low + (high-low)/2
		c, err := compare(middle)
		if err != nil {
			return 0, false, err
		}
		if c < 0 {
			low = middle + 1
		} else {
			high = middle
			found = c == 0
		}
	}
	return low, found, nil
}

func (s *Store) findMethodRow(k *layout.Key) (Method, error) {
	if s.h.Parts[disk.PartUnexecuted].Size == 0 || k.Class == "" || k.Loader != "" {
		return Method{}, ErrNotFound
	}
	t, err := s.FindType(k.Class, "")
	if err != nil {
		return Method{}, err
	}
	holder := disk.RefOf(s.typeOffset(t.Ordinal()))
	from, to, at, err := s.rowsOfClass(holder)
	if err != nil {
		return Method{}, err
	}
	i, found, err := searchRows(from, to, func(i int64) (int, error) {
		return s.compareRow(at+i*disk.UnexecutedRowSize, k)
	})
	if err != nil {
		return Method{}, err
	}
	if !found {
		return Method{}, ErrNotFound
	}
	return s.rowOfClass(holder, disk.RefOf(at+i*disk.UnexecutedRowSize))
}

// rowsOfClass returns the range of row numbers of a class, and the offset of row 0; ErrNotFound if it has no rows.
func (s *Store) rowsOfClass(holder layout.Ref) (from, to, at int64, err error) {
	classes, rows, err := s.unexecutedSpans()
	if err != nil {
		return 0, 0, 0, err
	}
	i, found, err := s.searchClasses(classes, func(c disk.ClassRow) int { return cmp.Compare(c.Holder, holder) })
	if err != nil {
		return 0, 0, 0, err
	}
	if !found {
		return 0, 0, 0, ErrNotFound
	}
	c, err := s.readClassRow(classes, i)
	if err == nil && i > 0 {
		var before disk.ClassRow
		before, err = s.readClassRow(classes, i-1)
		from = int64(before.End)
	}
	to = int64(c.End)
	if err == nil && (from >= to || to > rows.Size/disk.UnexecutedRowSize) {
		err = s.corruptError(disk.RegionRO, classes.Offset+i*disk.ClassRowSize, "a class of the rows %d to %d", from, to)
	}
	return from, to, rows.Offset, err
}

func (s *Store) compareRow(at int64, k *layout.Key) (int, error) {
	b, err := s.m.Bytes(disk.RegionRO, at, disk.UnexecutedRowSize)
	if err != nil {
		return 0, err
	}
	row := disk.ParseUnexecutedRow(b)
	name, err := s.readSymbol(row.Name)
	if c := name.compareTo(k.Name); c != 0 || err != nil {
		return c, err
	}
	return s.compareSignature(row.Signature, k.Signature)
}
