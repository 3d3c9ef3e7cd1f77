package reader

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Type is a type of the archive or a late type. The zero Type is invalid. Types of one store are comparable with ==.
type Type struct {
	s       *Store
	ordinal uint32
}

func (s *Store) readTypeRecord(n layout.Ref) (disk.TypeRecord, error) {
	if !s.isType(n) {
		return disk.TypeRecord{}, s.corruptError(disk.RegionRO, n.Offset(), "no type record begins here")
	}
	b, err := s.m.Bytes(disk.RegionRO, n.Offset(), disk.TypeSize)
	if err != nil {
		return disk.TypeRecord{}, err
	}
	rec := disk.ParseType(b)
	runtime.KeepAlive(s)
	return rec, nil
}

func (s *Store) typeOfRecord(n layout.Ref) Type {
	return Type{s, uint32((n.Offset() - s.h.Parts[disk.PartTypes].Offset) / disk.TypeSize)}
}

func (s *Store) typeOffset(ordinal uint32) int64 {
	return s.h.Parts[disk.PartTypes].Offset + int64(ordinal)*disk.TypeSize
}

// Type returns the type with that ordinal. Types of the archive have ordinals from 0 to Header().Counts.Types-1,
// followed by late types. The error matches ErrNotFound if there is no such type.
func (s *Store) Type(ordinal uint32) (Type, error) {
	t := Type{s, ordinal}
	if t.Late() {
		if _, ok := s.lateTypeKey(ordinal); !ok {
			return Type{}, ErrNotFound
		}
		return t, nil
	}
	if _, err := t.readRecord(); err != nil {
		return Type{}, err
	}
	return t, nil
}

// TypeAt returns the type whose record is at n. The error matches ErrNotFound if n is 0.
func (s *Store) TypeAt(n layout.Ref) (Type, error) {
	if n == 0 {
		return Type{}, ErrNotFound
	}
	if _, err := s.readTypeRecord(n); err != nil {
		return Type{}, err
	}
	return s.typeOfRecord(n), nil
}

// Valid reports whether t is not the zero Type.
func (t Type) Valid() bool { return t.s != nil }

// Ordinal returns the number of the type in its store.
func (t Type) Ordinal() uint32 { return t.ordinal }

// Late reports whether the archive lacks the type and LateType created it.
func (t Type) Late() bool { return t.s != nil && uint64(t.ordinal) >= t.s.h.Counts.Types }

// Address returns the value of pointer cells to the type in adopted profiles; ok is false if the store is not adopted.
func (t Type) Address() (address uint64, ok bool) {
	if t.s == nil {
		return 0, false
	}
	a := t.s.adoption.Load()
	if a == nil {
		return 0, false
	}
	return a.pointerTo(t), true
}

func (t Type) readRecord() (disk.TypeRecord, error) {
	if t.s == nil {
		return disk.TypeRecord{}, ErrNotFound
	}
	if t.Late() {
		k, _ := t.s.lateTypeKey(t.ordinal)
		return disk.TypeRecord{ID: layout.TypeID(string(k.name), string(k.loader))}, nil
	}
	return t.s.readTypeRecord(disk.RefOf(t.s.typeOffset(t.ordinal)))
}

// Name returns the name of the type as the domain spells it.
func (t Type) Name() (Name, error) {
	if t.Late() {
		k, _ := t.s.lateTypeKey(t.ordinal)
		return Name{t.s, k.name}, nil
	}
	rec, err := t.readRecord()
	return t.symbolName(rec.Name, err)
}

// Loader returns the identity of the class loader; empty for the boot loader or if unknown.
func (t Type) Loader() (Name, error) {
	if t.Late() {
		k, _ := t.s.lateTypeKey(t.ordinal)
		return Name{t.s, k.loader}, nil
	}
	rec, err := t.readRecord()
	return t.symbolName(rec.Loader, err)
}

// Alias returns the name as the producer spelled it; empty if it equals Name.
func (t Type) Alias() (Name, error) {
	rec, err := t.readRecord()
	return t.symbolName(rec.Alias, err)
}

// symbolName returns the symbol at n. A non-nil err from reading the record is returned unchanged.
func (t Type) symbolName(n layout.Ref, err error) (Name, error) {
	if err != nil {
		return Name{}, err
	}
	return t.s.readSymbol(n)
}

// ID returns the id of the type, which is the layout.TypeID of its name and loader.
func (t Type) ID() (uint64, error) {
	rec, err := t.readRecord()
	return rec.ID, err
}

// Flags returns the flags of the type; 0 for a late type.
func (t Type) Flags() (layout.TypeFlags, error) {
	rec, err := t.readRecord()
	return rec.Flags, err
}

const maxLateTypes = 65536

// lateTypes are types added to an adopted store. Their records are in memory next to the adopted mapping, so that
// pointer cells can point to them. Their names are on the heap.
type lateTypes struct {
	count atomic.Int64 // len(keys), for reading without mu

	mu      sync.RWMutex
	records []byte // memory of the records
	keys    []lateKey
	numbers map[[2]string]uint32 // index in keys by name and loader
}

type lateKey struct{ name, loader []byte }

// LateType returns the type with a name and loader. If the archive lacks the type, LateType adds it to the store, so
// that adopted profiles can record it. The error matches ErrNotAdopted if the store is not adopted, and
// layout.ErrTooLarge beyond 65,536 late types or for names too long for an archive.
func (s *Store) LateType(name, loader string) (Type, error) {
	if t, err := s.FindType(name, loader); err != ErrNotFound {
		return t, err
	}
	a := s.adoption.Load()
	if a == nil {
		return Type{}, ErrNotAdopted
	}
	if len(name) > disk.MaxName || len(loader) > disk.MaxName {
		return Type{}, fmt.Errorf("%w: a name of %d bytes, at most %d are possible", layout.ErrTooLarge,
			max(len(name), len(loader)), disk.MaxName)
	}
	if strings.IndexByte(name, 0) >= 0 || strings.IndexByte(loader, 0) >= 0 {
		return Type{}, fmt.Errorf("a name holds a NUL byte: %.80q", name+" "+loader)
	}
	n, err := a.late.internType(name, loader)
	if err != nil {
		return Type{}, err
	}
	return Type{s, a.firstLate + n}, nil
}

func (l *lateTypes) internType(name, loader string) (uint32, error) {
	key := [2]string{name, loader}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.numbers[key]; ok {
		return n, nil
	}
	if len(l.keys) == maxLateTypes {
		return 0, fmt.Errorf("%d types that the archive does not know: %w", maxLateTypes, layout.ErrTooLarge)
	}
	n := uint32(len(l.keys))
	at := int(n) * disk.TypeSize
	disk.TypeRecord{ID: layout.TypeID(name, loader)}.Append(l.records[at:at])
	if l.numbers == nil {
		l.numbers = map[[2]string]uint32{}
	}
	l.numbers[key] = n
	l.keys = append(l.keys, lateKey{[]byte(name), []byte(loader)})
	l.count.Store(int64(len(l.keys)))
	return n, nil
}

func (s *Store) lateTypeKey(ordinal uint32) (k lateKey, ok bool) {
	a := s.adoption.Load()
	if a == nil || ordinal < a.firstLate {
		return lateKey{}, false
	}
	a.late.mu.RLock()
	defer a.late.mu.RUnlock()
	if n := ordinal - a.firstLate; int(n) < len(a.late.keys) {
		return a.late.keys[n], true
	}
	return lateKey{}, false
}

// A Binding is the state of a type in this run. The zero value is BindingUnbound.
type Binding uint8

// The states.
const (
	BindingUnbound  Binding = iota // not loaded yet, must not be used
	BindingBound                   // tied to a class of the embedder
	BindingExcluded                // will never be loaded, or must not be used
)

var errForeignType = fmt.Errorf("type of another store: %w", ErrNotFound)

// The reserved class numbers.
const (
	classUnbound  = 0
	classExcluded = ^uint64(0)
)

// Bind ties a type to the embedder's class number, which must not be 0 or the maximum. The error matches ErrAmbiguous
// if the type is excluded or bound to another class.
func (s *Store) Bind(t Type, class uint64) error {
	if t.s != s {
		return errForeignType
	}
	if class == classUnbound || class == classExcluded {
		return fmt.Errorf("class number %#x is reserved: bind types to other numbers", class)
	}
	c := s.bindings.At(int64(t.ordinal))
	if c.CompareAndSwap(classUnbound, class) {
		return nil
	}
	switch now := c.Load(); now {
	case class:
		return nil
	case classExcluded:
		return fmt.Errorf("type %d is excluded: %w", t.ordinal, ErrAmbiguous)
	default:
		return fmt.Errorf("type %d is bound to class %#x, not to %#x: %w", t.ordinal, now, class, ErrAmbiguous)
	}
}

// Exclude marks a type as one that must not be used, whether it is bound or not.
func (s *Store) Exclude(t Type) error {
	if t.s != s {
		return errForeignType
	}
	s.bindings.At(int64(t.ordinal)).Store(classExcluded)
	return nil
}

// Binding returns the class that a type is bound to, and its state. class is 0 unless the state is BindingBound.
func (s *Store) Binding(t Type) (class uint64, state Binding) {
	if t.s != s {
		return 0, BindingUnbound
	}
	c := s.bindings.Find(int64(t.ordinal))
	if c == nil {
		return 0, BindingUnbound
	}
	switch class := c.Load(); class {
	case classUnbound:
		return 0, BindingUnbound
	case classExcluded:
		return 0, BindingExcluded
	default:
		return class, BindingBound
	}
}
