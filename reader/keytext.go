package reader

import (
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A textBudget bounds the text of the keys that a walk goes past; see
// disk.MaxKeyText. A walk that got to its end within the bounds need not be
// measured again.
type textBudget struct {
	s    *Store
	met  *atomic.Bool // the walk was measured; nil if nothing is to be measured
	text int64
}

func (s *Store) textBudget(met *atomic.Bool) textBudget {
	if met.Load() {
		met = nil
	}
	return textBudget{s: s, met: met}
}

// end notes that the walk got to its end.
func (b *textBudget) end() {
	if b.met != nil {
		b.met.Store(true)
	}
}

// method counts the key of a method.
func (b *textBudget) method(m *Method) error {
	if b.met == nil {
		return nil
	}
	rec := m.record()
	if rec.Flags&disk.MethodNamed != 0 {
		return nil // its name lies in it
	}
	if err := b.names(m.at, rec.Name, rec.Signature); err != nil || rec.Holder == 0 {
		return err
	}
	t, err := b.s.typeRecord(rec.Holder)
	if err != nil {
		return err
	}
	return b.names(m.at, t.Name, t.Loader)
}

// kind counts the names of a type.
func (b *textBudget) kind(t Type) error {
	if b.met == nil {
		return nil
	}
	rec, err := t.record()
	if err != nil {
		return err
	}
	return b.names(disk.RefOf(b.s.typeOffset(t.ordinal)), rec.Name, rec.Loader, rec.Alias)
}

// names counts the texts of symbols for the record at a place.
func (b *textBudget) names(at layout.Ref, symbols ...layout.Ref) error {
	for _, n := range symbols {
		size, err := b.s.textSize(n)
		if err != nil {
			return err
		}
		b.text += size
	}
	if most := disk.MaxKeyText(b.s.h.FileSize); b.text > most {
		return b.s.corrupt(layout.RegionRO, at.Offset(), "names shared so often that the keys up to here have more than %d bytes of text", most)
	}
	return nil
}

// textSize is what the text of a symbol counts.
func (s *Store) textSize(n layout.Ref) (size int64, err error) {
	list, ok, err := s.list(n)
	switch {
	case err != nil || n == 0:
		return 0, err
	case !ok:
		head, err := s.m.Bytes(layout.RegionRO, n.Offset(), lengthSize)
		if err != nil {
			return 0, err
		}
		return disk.SymbolLength(head), nil
	}
	parts, _ := disk.SymbolParts(list)
	size = disk.ListText(parts) + max(parts, 2) // what stands between them
	for i := range parts {
		part := disk.SymbolPart(list, i)
		if part == 0 {
			continue // as empty as a symbol that is not there
		}
		head, err := s.m.Bytes(layout.RegionRO, part.Offset(), lengthSize)
		if err != nil {
			return 0, err
		}
		size += disk.SymbolLength(head)
	}
	return size, nil
}
