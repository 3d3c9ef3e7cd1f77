package verify

import (
	"math/bits"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

func (w *walk) openSlots() {
	slots, err := relocate.Open(w.m, w.h)
	if err != nil {
		w.refused(inBlocks, 0, err)
		return
	}
	w.slots = slots
}

// blocks walks the blocks of a span, which must fill it, and compares their pointers with the relocation bitmaps. It
// verifies pages as it reaches them.
func (w *worker) blocks(span layout.Span, pages *summer) {
	rw := disk.RegionOf(w.h, disk.RegionRW)
	from := span.Offset - rw.Offset
	types := w.h.Parts[disk.PartTypes]
	walk := blockWalker{worker: w, first: from / disk.Unit &^ 63, mark: marker{places: &w.starts.blocks},
		types: w.h.Base + uint64(types.Offset), typesSize: uint64(types.Size)}
	w.want = append(w.want[:0], make([]uint64, (span.End()-rw.Offset)/disk.Unit/64-walk.first/64+1)...)
	at := span.Offset
	for at < span.End() && w.goesOn() {
		size := int64(0)
		if span.End()-at >= disk.BlockHeaderSize {
			size = disk.BlockSize(w.data[at:])
		}
		if size < disk.BlockHeaderSize || size > span.End()-at {
			w.refusedBlock(at)
			break
		}
		pages.upTo(at + size)
		if !walk.block(at, w.data[at:at+size:at+size]) {
			w.refusedBlock(at)
			break
		}
		walk.mark.markRecord(at)
		w.found.blocks++
		if at += size; w.naming {
			walk.compareSlots(at-size-rw.Offset, at-rw.Offset)
		}
	}
	walk.mark.flush()
	for _, word := range w.want {
		w.found.pointers += uint64(bits.OnesCount64(word))
	}
	if !w.naming {
		walk.compareSlots(from, span.End()-rw.Offset)
	}
}

// refusedBlock ends a walk over blocks with the reader's error for the block at offset at.
func (w *worker) refusedBlock(at int64) {
	_, err := w.s.ProfileAt(disk.RefOf(at))
	if w.naming {
		w.starts.blocks.partial = true
	}
	w.refused(inBlocks, at, err)
}

type blockWalker struct {
	*worker
	first            int64  // word of rw for the first bit of want
	types, typesSize uint64 // address range of the type records
	mark             marker
	unlisted         bool // the point directory has a wrong row for an entry of the block
}

func (w *blockWalker) compareSlots(from, to int64) {
	if w.slots == nil {
		return
	}
	rw := disk.RegionOf(w.h, disk.RegionRW).Offset
	bm := disk.RegionOf(w.h, disk.RegionBM).Offset
	same, err := w.slots.Matches(from, to, w.want[from/disk.Unit/64-w.first/64:])
	if err != nil {
		if w.naming {
			w.slots = nil
		}
		w.refused(inBlocks, rw+from, err)
	} else if !same {
		got, want := 0, 0
		for range w.slots.Slots(from, to) {
			got++
		}
		for word := from/disk.Unit - w.first; word < to/disk.Unit-w.first; word++ {
			want += int(w.want[word/64] >> (word % 64) & 1)
		}
		w.wrong(inBlocks, rw+from, disk.RegionBM, bm,
			"the bitmaps name %d pointers in the block at 0x%x, which has %d, or others", got, rw+from, want)
	}
}

func (w *blockWalker) block(at int64, b disk.Block) bool {
	fields, ok := b.Geometry()
	method := b.Method()
	if !ok || !w.holdsMethod(method) {
		return false
	}
	if b.Presence()&disk.HasLinks != 0 {
		if context, _ := b.Links(); context != 0 && !w.isContext(context) {
			return false
		}
	}
	known := w.starts.methods.has(method)
	if !known && !w.starts.methods.partial {
		w.wrong(inBlocks, at, disk.RegionRW, at, "the method of a profile is at 0x%x, where no method begins",
			method.Offset())
	}
	if b.Code() == layout.CodeAny {
		w.wrong(inChains, at, disk.RegionRW, at, "a profile with the code id that stands for any code")
	}
	if f := b.Field(disk.HasInvocations); f != nil {
		n := le.Uint64(f)
		s := &w.found.summary
		s.TotalInvocations = disk.SaturatingAdd(s.TotalInvocations, n)
		s.MaxInvocations = max(s.MaxInvocations, n)
	}
	if !w.sections(at, b, fields) {
		return false
	}
	id, first := b.ID()
	if !first {
		w.found.later++
	} else if known && !w.naming {
		w.firstBlock(at, b, id)
	}
	return true
}

func (w *blockWalker) firstBlock(at int64, b disk.Block, id uint64) {
	method := b.Method()
	here := disk.RefOf(at)
	rec := w.record(method.Offset())
	if k, ok := w.keyOf(method.Offset(), &rec); ok && rec.Profiles == here {
		w.head(k, &rec, method, here, b, id)
		return
	}
	w.doubt()
}

func (w *worker) head(k recordKey, rec *disk.MethodRecord, method, here layout.Ref, b disk.Block, id uint64) {
	found := keyedAt(k, rec, method, here, id)
	if key, has := b.Key(); has == k.named || has && key != k.key {
		found.foreign = here
	}
	w.hash(found)
	if context, next := b.Links(); context != 0 {
		w.doubt()
	} else if next != 0 {
		w.found.chains = append(w.found.chains, chainStart{method: method, after: here, code: b.Code(), first: next})
	}
}

// sections checks the entries of a block and its point directory. fields is the offset of the data entries in the
// block. It returns false if the reader refuses them.
func (w *blockWalker) sections(at int64, b disk.Block, fields int64) bool {
	directory := []byte(nil)
	if b.Presence()&disk.HasDirectory != 0 {
		directory = b.Section(disk.SectionDirectory)
	}
	unit := (at-disk.RegionOf(w.h, disk.RegionRW).Offset)/disk.Unit - w.first
	data := b.DataAt(fields)
	w.unlisted = false
	n, ok := w.entries(data, unit+fields/disk.Unit, true, directory)
	if !ok {
		return false
	}
	if w.unlisted || len(directory) != 0 && n*disk.DirectoryRowSize != len(directory) {
		if _, err := w.s.ProfileAt(disk.RefOf(at)); err != nil {
			return false
		}
	}
	if b.Presence()&disk.HasSections == 0 {
		return true
	}
	for s := disk.SectionExtra; s < disk.SectionDirectory; s++ {
		span := b.SectionSpan(s)
		if _, ok := w.entries(b.Section(s), unit+span.Offset/disk.Unit, false, nil); !ok {
			return false
		}
	}
	return true
}

func (w *walk) holdsMethod(n layout.Ref) bool {
	return w.h.Parts[disk.PartMethods].Holds(n.Offset(), disk.MinMethodSize)
}

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
