package reader

import (
	"github.com/profarc/profarc/layout"
)

// LeafOf returns the method that a context is remembered to belong to, 0 if it is not remembered.
func (s *Store) LeafOf(n layout.Ref) layout.Ref { return s.methodOfContext(n) }

// MaxLateTypes is how many late types a store takes.
const MaxLateTypes = maxLateTypes

// Depth returns the number of frames of the context.
func (c Context) Depth() int { return c.countFrames() }
