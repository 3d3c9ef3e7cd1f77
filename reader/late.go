package reader

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// MaxLateTypes is how many late types a store takes.
const MaxLateTypes = 65536

// lateTypes are the types that an adopted store met and the archive does not
// know. Their records lie in memory beside the adopted mapping, so that pointer
// cells can lead to them; their names in ordinary memory.
type lateTypes struct {
	count atomic.Int64 // len(keys), for those who only need a bound

	mu      sync.RWMutex
	area    []byte // of the records
	keys    []lateKey
	numbers map[[2]string]uint32 // by name and loader: place in keys
}

type lateKey struct{ name, loader []byte }

// LateType makes a type that the archive does not know, so that it can be
// recorded in adopted profiles; called again with the same key it gives the
// same type. A type that the archive knows is given as it is. The error matches
// ErrNotAdopted if the store is not adopted, and layout.ErrTooLarge beyond
// MaxLateTypes types or for names that no archive could hold.
func (s *Store) LateType(name, loader string) (Type, error) {
	if t, err := s.FindType(name, loader); err != ErrNotFound {
		return t, err
	}
	a := s.adoption.Load()
	if a == nil {
		return Type{}, ErrNotAdopted
	}
	if len(name) > disk.MaxName || len(loader) > disk.MaxName {
		return Type{}, fmt.Errorf("%w: a name of %d bytes, at most %d are possible", layout.ErrTooLarge, max(len(name), len(loader)), disk.MaxName)
	}
	if strings.IndexByte(name, 0) >= 0 || strings.IndexByte(loader, 0) >= 0 {
		return Type{}, fmt.Errorf("a name holds a NUL byte: %.80q", name+" "+loader)
	}
	n, err := a.late.intern(name, loader)
	if err != nil {
		return Type{}, err
	}
	return Type{s, a.firstLate + n}, nil
}

// intern returns the number of a late type.
func (l *lateTypes) intern(name, loader string) (uint32, error) {
	key := [2]string{name, loader}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.numbers[key]; ok {
		return n, nil
	}
	if len(l.keys) == MaxLateTypes {
		return 0, fmt.Errorf("%d types that the archive does not know: %w", MaxLateTypes, layout.ErrTooLarge)
	}
	n := uint32(len(l.keys))
	at := int(n) * disk.TypeSize
	disk.TypeRecord{ID: layout.TypeID(name, loader)}.Append(l.area[at:at])
	if l.numbers == nil {
		l.numbers = map[[2]string]uint32{}
	}
	l.numbers[key] = n
	l.keys = append(l.keys, lateKey{[]byte(name), []byte(loader)})
	l.count.Store(int64(len(l.keys)))
	return n, nil
}

// lateKey returns the name and loader of the late type with that ordinal.
func (s *Store) lateKey(ordinal uint32) (k lateKey, ok bool) {
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
