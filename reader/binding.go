package reader

import (
	"fmt"
	"sync/atomic"
)

// A Binding says whether a type of the archive exists in this run.
type Binding uint8

// The states.
const (
	BindingUnbound  Binding = iota // not loaded yet: must not be acted on
	BindingBound                   // tied to a class of the embedder
	BindingExcluded                // will never be loaded, or must not be used
)

// Class numbers that stand for a state.
const (
	classUnbound  = 0
	classExcluded = ^uint64(0)
)

// bindings holds the class of every type, in chunks that are made when the
// first type of one is bound: most types of an archive never are.
type bindings struct {
	table atomic.Pointer[[]atomic.Pointer[bindingChunk]]
}

const bindingChunkTypes = 512

type bindingChunk [bindingChunkTypes]atomic.Uint64

// find returns the class of a type of n, nil if its chunk was not made yet.
func (b *bindings) find(ordinal uint32) *atomic.Uint64 {
	table := b.table.Load()
	if table == nil {
		return nil
	}
	chunk := (*table)[ordinal/bindingChunkTypes].Load()
	if chunk == nil {
		return nil
	}
	return &chunk[ordinal%bindingChunkTypes]
}

// at returns the class of a type, of types that a store can have.
func (b *bindings) at(ordinal uint32, types uint64) *atomic.Uint64 {
	if b.table.Load() == nil {
		table := make([]atomic.Pointer[bindingChunk], (types+bindingChunkTypes-1)/bindingChunkTypes)
		b.table.CompareAndSwap(nil, &table)
	}
	row := &(*b.table.Load())[ordinal/bindingChunkTypes]
	if row.Load() == nil {
		row.CompareAndSwap(nil, new(bindingChunk))
	}
	return &row.Load()[ordinal%bindingChunkTypes]
}

// Bind ties a type to the embedder's class, any number but 0 and the highest.
// Binding it again to another class, or binding an excluded type, is an error
// that matches ErrAmbiguous.
func (s *Store) Bind(t Type, class uint64) error {
	if t.s != s {
		return fmt.Errorf("type of another store: %w", ErrNotFound)
	}
	if class == classUnbound || class == classExcluded {
		return fmt.Errorf("class number %#x is reserved: bind types to other numbers", class)
	}
	c := s.bindings.at(t.ordinal, s.maxTypes())
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

// Exclude says that the type must never be acted on, whether it is bound or
// not.
func (s *Store) Exclude(t Type) error {
	if t.s != s {
		return fmt.Errorf("type of another store: %w", ErrNotFound)
	}
	s.bindings.at(t.ordinal, s.maxTypes()).Store(classExcluded)
	return nil
}

// Binding returns the class that a type is bound to.
func (s *Store) Binding(t Type) (class uint64, state Binding) {
	if t.s != s {
		return 0, BindingUnbound
	}
	c := s.bindings.find(t.ordinal)
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

// maxTypes is how many types the store can have, late ones included.
func (s *Store) maxTypes() uint64 { return s.h.Counts.Types + MaxLateTypes }
