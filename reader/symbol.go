package reader

import (
	"runtime"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// A Name is a string in the archive. The zero Name is empty.
type Name struct {
	s    *Store
	text []byte
}

// String returns a copy of the string.
func (n Name) String() string {
	text := string(n.text)
	runtime.KeepAlive(n.s)
	return text
}

// Len returns the length in bytes.
func (n Name) Len() int { return len(n.text) }

// AppendTo appends the string to b and returns the extended slice.
func (n Name) AppendTo(b []byte) []byte {
	b = append(b, n.text...)
	runtime.KeepAlive(n.s)
	return b
}

const lengthSize = 4

func (s *Store) readSymbol(n layout.Ref) (Name, error) {
	if n == 0 {
		return Name{s: s}, nil
	}
	at := n.Offset()
	head, err := s.m.Bytes(disk.RegionRO, at, lengthSize)
	if err != nil {
		return Name{}, err
	}
	size := disk.SymbolLength(head)
	if size > disk.MaxBlob || !s.h.Parts[disk.PartSymbols].Holds(at, lengthSize+size) {
		return Name{}, s.corruptError(disk.RegionRO, at, "a symbol of %d bytes", size)
	}
	text, err := s.m.Bytes(disk.RegionRO, at+lengthSize, size)
	return Name{s, text}, err
}

func (s *Store) symbolEquals(n layout.Ref, text string) (bool, error) {
	size := lengthSize + int64(len(text))
	if n == 0 || !s.h.Parts[disk.PartSymbols].Holds(n.Offset(), size) {
		name, err := s.readSymbol(n)
		return err == nil && name.compareTo(text) == 0, err
	}
	b, err := s.m.Bytes(disk.RegionRO, n.Offset(), size)
	if err != nil {
		return false, err
	}
	same := disk.SymbolLength(b) == int64(len(text)) && string(b[lengthSize:]) == text
	runtime.KeepAlive(s)
	return same, nil
}

// SymbolAt returns the symbol at n; the empty string for 0.
func (s *Store) SymbolAt(n layout.Ref) (Name, error) { return s.readSymbol(n) }

// readSignature returns a signature. If its symbol is a list (disk.SymbolParts), the parts are joined on the heap.
func (s *Store) readSignature(n layout.Ref) (Name, error) {
	_, list, err := s.readSymbolList(n)
	switch {
	case err != nil:
		return Name{}, err
	case !list:
		return s.readSymbol(n)
	}
	var text []byte
	err = s.eachPiece(n, func(piece []byte) bool {
		text = append(text, piece...)
		return true
	})
	return Name{s, text}, err
}

func (s *Store) compareSignature(n layout.Ref, text string) (result int, err error) {
	err = s.eachPiece(n, func(piece []byte) bool {
		k := min(len(piece), len(text))
		result = compareText(piece[:k], text[:k])
		if result == 0 && k < len(piece) {
			result = 1
		}
		text = text[k:]
		return result == 0
	})
	runtime.KeepAlive(s)
	if result == 0 && text != "" {
		result = -1
	}
	return result, err
}

func (s *Store) signatureEquals(n layout.Ref, text string) (bool, error) {
	_, list, err := s.readSymbolList(n)
	switch {
	case err != nil:
		return false, err
	case !list:
		return s.symbolEquals(n, text)
	}
	c, err := s.compareSignature(n, text)
	return c == 0, err
}

func (n Name) compareTo(s string) int {
	c := compareText(n.text, s)
	runtime.KeepAlive(n.s)
	return c
}

func compareText(b []byte, s string) int {
	switch {
	case string(b) == s:
		return 0
	case string(b) < s:
		return -1
	}
	return 1
}

// The separators of the parts of a list.
var (
	opening = []byte("(")
	between = []byte(",")
	closing = []byte(")")
)

// eachPiece calls yield for the pieces of a signature until it returns false. One that is not a list is one piece.
func (s *Store) eachPiece(n layout.Ref, yield func(piece []byte) bool) error {
	list, ok, err := s.readSymbolList(n)
	if err != nil {
		return err
	}
	if !ok {
		name, err := s.readSymbol(n)
		if err == nil {
			yield(name.text)
		}
		return err
	}
	parts, _ := disk.SymbolParts(list)
	total := int64(0)
	for i := range parts {
		part, err := s.readSymbol(disk.SymbolPart(list, i))
		if err != nil {
			return err
		}
		if total += int64(part.Len()) + 1; total > disk.MaxName {
			return s.corruptError(disk.RegionRO, n.Offset(), "a signature of more than %d bytes", disk.MaxName)
		}
		if i > 1 && !yield(between) || !yield(part.text) || i == 0 && !yield(opening) {
			return nil
		}
	}
	yield(closing)
	return nil
}

func (s *Store) readSymbolList(n layout.Ref) (list []byte, ok bool, err error) {
	if n == 0 {
		return nil, false, nil
	}
	head, err := s.m.Bytes(disk.RegionRO, n.Offset(), lengthSize)
	if err != nil {
		return nil, false, err
	}
	parts, ok := disk.SymbolParts(head)
	if !ok {
		return nil, false, nil
	}
	size := lengthSize + 4*parts
	if parts == 0 || parts > disk.MaxName || !s.h.Parts[disk.PartSymbols].Holds(n.Offset(), size) {
		return nil, true, s.corruptError(disk.RegionRO, n.Offset(), "a list of %d symbols", parts)
	}
	list, err = s.m.Bytes(disk.RegionRO, n.Offset(), size)
	return list, true, err
}
