package copier

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

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
