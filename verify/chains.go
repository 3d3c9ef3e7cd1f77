package verify

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// findContexts records that the method at offset at has contexts. They must follow the contexts of the previous method.
func (w *walk) findContexts(at int64, rec *disk.MethodRecord) {
	contexts := w.h.Parts[disk.PartContexts]
	first := contexts.Offset + int64(w.records.Contexts)*disk.ContextSize
	if rec.Contexts.Offset() != first || !contexts.Holds(first, int64(rec.NumContexts)*disk.ContextSize) {
		w.doubt()
		return
	}
	w.inContext = append(w.inContext, at)
	w.records.Contexts += uint64(rec.NumContexts)
}

func (w *walk) isContext(n layout.Ref) bool {
	contexts := w.h.Parts[disk.PartContexts]
	return contexts.Holds(n.Offset(), disk.ContextSize) && (n.Offset()-contexts.Offset)%disk.ContextSize == 0
}

// contexts checks the contexts of the method whose record begins at offset method.
func (w *worker) contexts(method int64) {
	rec := w.record(method)
	n := disk.RefOf(method)
	first := rec.Contexts
	level, depth := n, 0
	var last disk.ContextRecord
	for i := range int64(rec.NumContexts) {
		at := first + layout.Ref(i*disk.ContextSize/disk.Unit)
		c := disk.ParseContext(w.data[at.Offset():])
		inside := c.Parent >= first && c.Parent < at && w.isContext(c.Parent)
		if c.Parent != n && !inside || last.Compare(c) >= 0 || !w.starts.methods.has(c.Caller) {
			w.doubt()
			return
		}
		if c.Parent >= level {
			level = at
			depth++
		}
		if depth > disk.MaxDepth || disk.ParseMethodHead(w.data[c.Caller.Offset():]).Flags()&disk.MethodUnexecuted != 0 {
			w.doubt()
			return
		}
		if c.Profiles != 0 {
			w.found.chains = append(w.found.chains, chainStart{method: n, context: at, first: c.Profiles})
		}
		last = c
	}
}

// A chainStart refers to a chain of blocks, those after a method's first one or those of a context.
type chainStart struct {
	method, context layout.Ref
	after           layout.Ref // preceding block; 0 for a context
	code            uint64     // code ID of the preceding block
	first           layout.Ref
}

// links follows all chains. Chains only lead forward, and all blocks of a chain have the same method and context.
// Therefore each block that is not a method's first is counted once.
func (w *walk) links() {
	chains := w.found.chains
	const atOnce = 1 << 12
	w.share((len(chains)+atOnce-1)/atOnce, func(w *worker, i int) {
		for _, c := range chains[i*atOnce : min((i+1)*atOnce, len(chains))] {
			w.chain(c)
		}
	})
}

func (w *worker) chain(c chainStart) {
	rw := disk.RegionOf(w.h, disk.RegionRW)
	begun := c.after != 0
	for at := c.first; at != 0; {
		size := int64(0)
		if at > c.after && w.starts.blocks.has(at) {
			size = disk.BlockSize(w.data[at.Offset():])
		}
		if size < disk.BlockHeaderSize || size > rw.End()-at.Offset() {
			w.doubt()
			return
		}
		b := disk.Block(w.data[at.Offset() : at.Offset()+size])
		context, next := b.Links()
		code := b.Code()
		_, head := b.ID()
		if head || b.Method() != c.method || context != c.context || begun && code <= c.code {
			w.doubt()
			return
		}
		w.found.linked++
		c.after, c.code, begun = at, code, true
		at = next
	}
}
