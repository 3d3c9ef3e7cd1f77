package verify

import (
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/reader"
)

// readReferences follows references with the reader in order to name their problems. It covers names of types and
// methods, contexts, and the profiles of each method. The other steps only detect that one of these is wrong.
func (w *walk) readReferences() {
	if !w.naming {
		return
	}
	for _, err := range w.s.Types() {
		if err != nil {
			w.noteError(inTypes, 0, err)
		}
	}
	unlinked := w.starts.blocks
	unlinked.bits = slices.Clone(unlinked.bits)
	next := w.h.Parts[disk.PartContexts].Offset
	for m, err := range w.s.Methods() {
		if err != nil {
			w.refused(inPlaces, 0, err)
			break
		}
		next = w.readContexts(m, next)
		w.readProfiles(m, &unlinked)
		if w.ctx.Err() != nil {
			return
		}
	}
	w.records.Contexts = uint64(next-w.h.Parts[disk.PartContexts].Offset) / disk.ContextSize
	if w.partial.Load() {
		return
	}
	if first, n := unlinked.first(); n != 0 {
		w.wrong(inChains, w.h.FileSize, disk.RegionRW, first.Offset(),
			"%d blocks to which no method leads, this is the first", n)
	}
}

// readContexts reads the contexts of a method, which must begin at offset next. It returns the offset of their end.
func (w *walk) readContexts(m reader.Method, next int64) (end int64) {
	at := m.Ref().Offset()
	for node, err := range m.Contexts() {
		var frame reader.Frame
		if err == nil {
			frame, err = node.Caller()
		}
		if err != nil {
			w.refused(inMethods, at, err)
			return next
		}
		here := node.Ref().Offset()
		caller := frame.Caller
		if !w.starts.methods.mayHave(caller.Ref()) {
			w.wrong(inMethods, at, disk.RegionRO, here, "the caller of a context is at 0x%x, where no method begins",
				caller.Ref().Offset())
		}
		if m.Unexecuted() || caller.Unexecuted() {
			w.wrong(inMethods, at, disk.RegionRO, here, "a context of methods of which one never ran")
		}
		if here != next && !w.partial.Load() {
			w.wrong(inMethods, at, disk.RegionRO, here, "a context of method 0x%x, whose contexts should begin at 0x%x", at,
				next)
			return next
		}
		next += disk.ContextSize
	}
	return next
}

// readProfiles reads the profiles of a method and removes their blocks from unlinked. Each block must be linked once.
func (w *walk) readProfiles(m reader.Method, unlinked *places) {
	at := m.Ref().Offset()
	n := 0
	for p, err := range m.Profiles() {
		if err != nil {
			w.refused(inChains, at, err)
			continue
		}
		if n++; !unlinked.partial && !unlinked.remove(p.Ref()) {
			w.wrong(inChains, at, disk.RegionRW, p.Ref().Offset(), "a profile that begins inside a block, or is linked twice")
		}
	}
	if m.Unexecuted() && n > 0 {
		w.wrong(inChains, at, disk.RegionRO, at, "a method that never ran has %d profiles", n)
	}
}
