package copier

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// contextRefs maps the context nodes of an archive, which all have one size, to references of a set.
type contextRefs struct {
	section layout.Span
	refs    []profileset.ContextRef // NoContext for nodes that are not copied
}

func newContextRefs(h *layout.Header) contextRefs {
	section := h.Parts[disk.PartContexts]
	return contextRefs{section, make([]profileset.ContextRef, section.Size/disk.ContextSize)}
}

// slotOf returns where the reference of the node at n is kept; nil if there is no such node.
func (r *contextRefs) slotOf(n layout.Ref) *profileset.ContextRef {
	offset := n.Offset() - r.section.Offset
	if !r.section.Holds(n.Offset(), disk.ContextSize) || offset%disk.ContextSize != 0 {
		return nil
	}
	return &r.refs[offset/disk.ContextSize]
}

// refOf returns the reference of the node at n, NoContext if it is not copied.
func (r *contextRefs) refOf(n layout.Ref) profileset.ContextRef {
	if ref := r.slotOf(n); ref != nil {
		return *ref
	}
	return profileset.NoContext
}
