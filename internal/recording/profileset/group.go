package profileset

import (
	"runtime"

	"github.com/profarc/profarc/internal/file/refindex"
)

// FrameGroup is the number of frames that are looked up together.
const FrameGroup = 128

// An OuterFrame is a frame around a context. Inner can be NoContext.
type OuterFrame struct {
	Inner  ContextRef
	Caller MethodRef
	Point  int32
}

// OuterContexts calls OuterContext for each frame. There must be at most FrameGroup frames. It first prefetches the
// memory that their lookups read.
func (b *Set) OuterContexts(m MethodRef, frames []OuterFrame) []ContextRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Contexts.prefetchContexts(m, frames)
	refs := make([]ContextRef, len(frames))
	for i, f := range frames {
		refs[i] = b.outerContext(contextKey{m, f.Inner, f.Caller, f.Point})
	}
	return refs
}

func (t *contexts) prefetchContexts(m MethodRef, frames []OuterFrame) {
	var hashes, likely [FrameGroup]uint32
	for i, f := range frames {
		hashes[i] = refindex.HashKey(contextKey{m, f.Inner, f.Caller, f.Point})
	}
	t.index.Guess(hashes[:len(frames)], likely[:])
	seen := uint32(0)
	for _, ref := range likely[:len(frames)] {
		if ref != 0 {
			seen += t.At(ref).Depth
		}
	}
	runtime.KeepAlive(seen)
}
