package copier

import (
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// refs maps records of the archive to references of the set. Nearly all records are added and looked up in the order of
// the file, which takes neither hashing nor a search.
type refs[R ~uint32] struct {
	from   []layout.Ref // ascending
	to     []R
	next   int              // index after the last found one
	others map[layout.Ref]R // records that were added out of order
}

func newRefs[R ~uint32](n int) refs[R] {
	return refs[R]{from: make([]layout.Ref, 0, n), to: make([]R, 0, n)}
}

func (r *refs[R]) addRef(n layout.Ref, ref R) {
	if last := len(r.from); last == 0 || r.from[last-1] < n {
		r.from = append(r.from, n)
		r.to = append(r.to, ref)
		return
	}
	if r.others == nil {
		r.others = map[layout.Ref]R{}
	}
	r.others[n] = ref
}

func (r *refs[R]) findRef(n layout.Ref) (ref R, ok bool) {
	if r.next < len(r.from) && r.from[r.next] == n {
		r.next++
		return r.to[r.next-1], true
	}
	if r.next > 0 && r.from[r.next-1] == n {
		return r.to[r.next-1], true
	}
	if at, ok := slices.BinarySearch(r.from, n); ok {
		r.next = at + 1
		return r.to[at], true
	}
	ref, ok = r.others[n]
	return ref, ok
}

type contextRefs struct {
	section layout.Span
	refs    []profileset.ContextRef // NoContext for contexts outside the copy
}

func newContextRefs(h *layout.Header) contextRefs {
	section := h.Parts[disk.PartContexts]
	return contextRefs{section, make([]profileset.ContextRef, section.Size/disk.ContextSize)}
}

func (r *contextRefs) slotOf(n layout.Ref) *profileset.ContextRef {
	offset := n.Offset() - r.section.Offset
	if !r.section.Holds(n.Offset(), disk.ContextSize) || offset%disk.ContextSize != 0 {
		return nil
	}
	return &r.refs[offset/disk.ContextSize]
}

func (r *contextRefs) refOf(n layout.Ref) profileset.ContextRef {
	if ref := r.slotOf(n); ref != nil {
		return *ref
	}
	return profileset.NoContext
}
