package reader

import (
	"runtime"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// A Name is text of the archive, in place.
type Name struct {
	s    *Store
	text []byte
}

// String copies the text.
func (n Name) String() string {
	text := string(n.text)
	runtime.KeepAlive(n.s)
	return text
}

// Len is its length in bytes.
func (n Name) Len() int { return len(n.text) }

// Equal compares it with s, without copying.
func (n Name) Equal(s string) bool {
	same := string(n.text) == s
	runtime.KeepAlive(n.s)
	return same
}

// AppendTo appends the text to b.
func (n Name) AppendTo(b []byte) []byte {
	b = append(b, n.text...)
	runtime.KeepAlive(n.s)
	return b
}

// lengthSize is the size of the length at the front of a symbol.
const lengthSize = 4

// symbol fetches a symbol. 0 is empty text.
func (s *Store) symbol(n layout.Ref) (Name, error) {
	if n == 0 {
		return Name{s: s}, nil
	}
	at := n.Offset()
	head, err := s.m.Bytes(layout.RegionRO, at, lengthSize)
	if err != nil {
		return Name{}, err
	}
	size := disk.SymbolLength(head)
	if size > disk.MaxBlob || !s.h.Parts[disk.PartSymbols].Holds(at, lengthSize+size) {
		return Name{}, s.corrupt(layout.RegionRO, at, "a symbol of %d bytes", size)
	}
	text, err := s.m.Bytes(layout.RegionRO, at+lengthSize, size)
	return Name{s, text}, err
}

// symbolIs compares a symbol with text; 0 is empty text. It fetches as much as
// the symbol has if it is the text, so that a hit needs one fetch.
func (s *Store) symbolIs(n layout.Ref, text string) (bool, error) {
	size := lengthSize + int64(len(text))
	if n == 0 || !s.h.Parts[disk.PartSymbols].Holds(n.Offset(), size) {
		name, err := s.symbol(n)
		return err == nil && name.Equal(text), err
	}
	b, err := s.m.Bytes(layout.RegionRO, n.Offset(), size)
	if err != nil {
		return false, err
	}
	same := disk.SymbolLength(b) == int64(len(text)) && string(b[lengthSize:]) == text
	runtime.KeepAlive(s)
	return same, nil
}

// SymbolAt returns the text of a symbol. Like the other calls that follow a
// reference of a table, it gives an error that matches ErrNotFound for 0.
func (s *Store) SymbolAt(n layout.Ref) (Name, error) {
	if n == 0 {
		return Name{}, ErrNotFound
	}
	return s.symbol(n)
}
