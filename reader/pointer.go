package reader

import (
	"github.com/profarc/profarc/internal/disk"
)

// A pointer cell of a trained profile is relative to the requested base, one of
// an adopted profile to the base at which the archive lies. Native code may
// have written any value into the latter: what leads nowhere counts as none.

// pointsTo returns the type that a pointer cell holds.
func (e Entry) pointsTo(cell uint64) (Type, bool) {
	if cell == 0 {
		return Type{}, false
	}
	base := e.s.h.Base
	if e.kind.adopted {
		a := e.s.adoption.Load()
		if t, ok := a.lateAt(e.s, cell); ok {
			return t, true
		}
		base = a.base
	}
	offset, ok := disk.PointerOffset(cell, base, e.s.h.FileSize)
	if !ok || offset%disk.Unit != 0 || !e.s.isType(disk.RefOf(offset)) {
		return Type{}, false
	}
	return e.s.typeOf(disk.RefOf(offset)), true
}

// MethodCell returns the method to which cell i points, the zero Method if it is
// empty. Nothing records methods in place, so the trained cell, which was
// checked, is the live one too.
func (e Entry) MethodCell(i int) (Method, error) {
	cell := e.Cell(i).Trained()
	if cell == 0 {
		return Method{}, nil
	}
	return e.s.referred(disk.RefOf(int64(cell - e.s.h.Base)))
}

// pointer returns the cell value for a type in an adopted profile.
func (a *adoption) pointer(t Type) uint64 {
	if t.Late() {
		return a.lateBase + uint64(t.ordinal-a.firstLate)*disk.TypeSize
	}
	return disk.Pointer(a.base, t.s.typeOffset(t.ordinal))
}

// lateAt returns the late type whose record lies at an address.
func (a *adoption) lateAt(s *Store, address uint64) (Type, bool) {
	d := address - a.lateBase
	if d%disk.TypeSize != 0 || d/disk.TypeSize >= uint64(a.late.count.Load()) {
		return Type{}, false
	}
	return Type{s, a.firstLate + uint32(d/disk.TypeSize)}, true
}
