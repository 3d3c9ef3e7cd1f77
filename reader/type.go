package reader

import (
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Type is a type of the archive, or a late one. The zero Type is none.
type Type struct {
	s       *Store
	ordinal uint32
}

// typeRecord fetches the type record at n.
func (s *Store) typeRecord(n layout.Ref) (disk.TypeRecord, error) {
	if !s.isType(n) {
		return disk.TypeRecord{}, s.corrupt(layout.RegionRO, n.Offset(), "no type record begins here")
	}
	b, err := s.m.Bytes(layout.RegionRO, n.Offset(), disk.TypeSize)
	if err != nil {
		return disk.TypeRecord{}, err
	}
	rec := disk.ParseType(b)
	runtime.KeepAlive(s)
	return rec, nil
}

// typeOf is the type whose record lies at n, a place that isType accepts.
func (s *Store) typeOf(n layout.Ref) Type {
	return Type{s, uint32((n.Offset() - s.h.Parts[disk.PartTypes].Offset) / disk.TypeSize)}
}

// typeOffset is where in the file the record of a type of the archive lies.
func (s *Store) typeOffset(ordinal uint32) int64 {
	return s.h.Parts[disk.PartTypes].Offset + int64(ordinal)*disk.TypeSize
}

// Type is the type with that ordinal; the ordinals of an archive are 0 to
// Header().Counts.Types-1, those of late types follow. The error matches
// ErrNotFound if no type has it.
func (s *Store) Type(ordinal uint32) (Type, error) {
	t := Type{s, ordinal}
	if t.Late() {
		if _, ok := s.lateKey(ordinal); !ok {
			return Type{}, ErrNotFound
		}
		return t, nil
	}
	if _, err := t.record(); err != nil {
		return Type{}, err
	}
	return t, nil
}

// TypeAt returns the type whose record lies at n; the error matches ErrNotFound
// for 0.
func (s *Store) TypeAt(n layout.Ref) (Type, error) {
	if n == 0 {
		return Type{}, ErrNotFound
	}
	if _, err := s.typeRecord(n); err != nil {
		return Type{}, err
	}
	return s.typeOf(n), nil
}

// Valid reports whether t is a type.
func (t Type) Valid() bool { return t.s != nil }

// Ordinal is the type's number in its store.
func (t Type) Ordinal() uint32 { return t.ordinal }

// Late reports whether the type is one that the archive does not know, which
// LateType made.
func (t Type) Late() bool { return t.s != nil && uint64(t.ordinal) >= t.s.h.Counts.Types }

// record fetches the record of a type of the archive.
func (t Type) record() (disk.TypeRecord, error) {
	if t.s == nil {
		return disk.TypeRecord{}, ErrNotFound
	}
	return t.s.typeRecord(disk.RefOf(t.s.typeOffset(t.ordinal)))
}

// Name is the type's name in the domain's own spelling.
func (t Type) Name() (Name, error) {
	if t.Late() {
		k, _ := t.s.lateKey(t.ordinal)
		return Name{t.s, k.name}, nil
	}
	rec, err := t.record()
	if err != nil {
		return Name{}, err
	}
	return t.s.symbol(rec.Name)
}

// Loader is the identity of the type's class loader, empty for the boot loader
// or if it is not known.
func (t Type) Loader() (Name, error) {
	if t.Late() {
		k, _ := t.s.lateKey(t.ordinal)
		return Name{t.s, k.loader}, nil
	}
	rec, err := t.record()
	if err != nil {
		return Name{}, err
	}
	return t.s.symbol(rec.Loader)
}

// Alias is the name as the producer spelled it, empty if that is the name.
func (t Type) Alias() (Name, error) {
	if t.Late() {
		return Name{s: t.s}, nil
	}
	rec, err := t.record()
	if err != nil {
		return Name{}, err
	}
	return t.s.symbol(rec.Alias)
}

// ID is the type's id, layout.TypeID of its name and loader.
func (t Type) ID() (uint64, error) {
	if t.Late() {
		k, _ := t.s.lateKey(t.ordinal)
		return layout.TypeID(string(k.name), string(k.loader)), nil
	}
	rec, err := t.record()
	return rec.ID, err
}

// Flags are the type's flags, 0 for a late type.
func (t Type) Flags() (layout.TypeFlags, error) {
	if t.Late() {
		return 0, nil
	}
	rec, err := t.record()
	return rec.Flags, err
}

// Equal reports whether t and u are the same type of the same store.
func (t Type) Equal(u Type) bool { return t == u }
