package reader

import (
	"sync"
	"sync/atomic"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// leaves remember which method each context belongs to, as far as anybody asked:
// the methods' records do not say it the other way round. A chunk of it is made
// when a context of it is met first.
type leaves struct {
	once   sync.Once
	chunks []atomic.Pointer[leafChunk]
}

const leafShift = 10

type leafChunk [1 << leafShift]atomic.Uint32

// of is the method of a context, 0 if it is not known yet. The place must be one
// of a context.
func (l *leaves) of(s *Store, n layout.Ref) layout.Ref {
	chunk, i := l.chunk(s, n)
	if c := chunk.Load(); c != nil {
		return layout.Ref(c[i].Load())
	}
	return 0
}

// note remembers the method of a context.
func (l *leaves) note(s *Store, n, method layout.Ref) {
	chunk, i := l.chunk(s, n)
	if chunk.Load() == nil {
		chunk.CompareAndSwap(nil, new(leafChunk))
	}
	chunk.Load()[i].Store(uint32(method))
}

func (l *leaves) chunk(s *Store, n layout.Ref) (*atomic.Pointer[leafChunk], int64) {
	section := s.h.Parts[disk.PartContexts]
	l.once.Do(func() {
		l.chunks = make([]atomic.Pointer[leafChunk], (section.Size/disk.ContextSize+1<<leafShift-1)>>leafShift)
	})
	i := (n.Offset() - section.Offset) / disk.ContextSize
	return &l.chunks[i>>leafShift], i & (1<<leafShift - 1)
}
