package verify

import (
	"math/bits"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/relocate"
)

// openSlots opens the relocation bitmaps.
func (p *proof) openSlots() bool {
	slots, err := relocate.Open(p.m, p.h.Region(disk.RegionBM), p.h.Region(disk.RegionRW))
	p.slots = slots
	return err == nil
}

// blocks walks the blocks of a span, which they must fill, and compares the pointers in
// them with the relocation bitmaps. It sums pages as it reaches them.
func (w *worker) blocks(span layout.Span, pages *summer) bool {
	rw := w.h.Region(disk.RegionRW)
	from := span.Offset - rw.Offset
	types := w.h.Parts[disk.PartTypes]
	walk := blockWalker{worker: w, first: from / disk.Unit &^ 63, mark: marker{places: &w.starts.blocks},
		types: w.h.Base + uint64(types.Offset), typesSize: uint64(types.Size)}
	w.want = append(w.want[:0], make([]uint64, (span.End()-rw.Offset)/disk.Unit/64-walk.first/64+1)...)
	at := span.Offset
	for at < span.End() {
		if !rw.Holds(at, disk.BlockHeaderSize) {
			return false
		}
		size := disk.BlockSize(w.data[at:])
		if size < disk.BlockHeaderSize || size > span.End()-at || !pages.upTo(at+size) ||
			!walk.block(at, w.data[at:at+size:at+size]) {
			return false
		}
		w.found.blocks++
		at += size
	}
	walk.mark.flush()
	if at != span.End() {
		return false
	}
	for _, word := range w.want {
		w.found.pointers += uint64(bits.OnesCount64(word))
	}
	same, err := w.slots.Matches(from, span.End()-rw.Offset, w.want)
	return same && err == nil
}

// A blockWalker goes over the blocks of a span.
type blockWalker struct {
	*worker
	first            int64  // the word of rw that the first bit of want stands for
	types, typesSize uint64 // where pointers to types lead
	mark             marker
}

// block checks a block, and of the first of a method that the method leads to it.
func (w *blockWalker) block(at int64, b disk.Block) bool {
	fields, ok := b.Geometry()
	method := b.Method()
	if !ok || !w.starts.methods.has(method) || b.Code() == layout.CodeAny {
		return false
	}
	w.mark.add(at)
	if f := b.Field(disk.HasInvocations); f != nil {
		n := le.Uint64(f)
		w.found.invocations.add(n)
		w.found.maxInvocations = max(w.found.maxInvocations, n)
	}
	if !w.sections(at, b, fields) {
		return false
	}
	id, first := b.ID()
	if !first {
		w.found.later++
		return true
	}
	return w.head(at, b, id)
}

// head checks the first block of a method: that the method leads to it, and that both have one key.
func (w *blockWalker) head(at int64, b disk.Block, id uint64) bool {
	method, here := b.Method(), disk.RefOf(at)
	rec := w.record(method.Offset())
	k, ok := w.keyOf(method.Offset(), &rec)
	if !ok || rec.Profiles != here {
		return false
	}
	key, has := b.Key()
	if has == k.named || has && key != k.key {
		return false
	}
	context, next := b.Links()
	if next != 0 {
		w.found.chains = append(w.found.chains, chainStart{method: method, after: here, code: b.Code(), first: next})
	}
	return context == 0 && w.hash(keyedAt(k, &rec, method, here, id))
}

// sections checks the entries of a block, whose fields end at an offset, and the point directory.
func (w *blockWalker) sections(at int64, b disk.Block, fields int64) bool {
	directory := []byte(nil)
	if b.Presence()&disk.HasDirectory != 0 {
		directory = b.Section(layout.SectionDirectory)
	}
	unit := (at-w.h.Region(disk.RegionRW).Offset)/disk.Unit - w.first
	data := b.DataAt(fields)
	n, ok := w.entries(data, unit+fields/disk.Unit, true, directory)
	if !ok || len(directory) != 0 && n*disk.DirectoryRowSize != len(directory) {
		return false
	}
	if b.Presence()&disk.HasSections == 0 {
		return true
	}
	for s := layout.SectionExtra; s < layout.SectionDirectory; s++ {
		span := b.SectionSpan(s)
		if _, ok := w.entries(b.Section(s), unit+span.Offset/disk.Unit, false, nil); !ok {
			return false
		}
	}
	return true
}

// A chainStart leads to blocks that follow others of their method, or lie in a context.
type chainStart struct {
	method, context layout.Ref
	after           layout.Ref // the block before, 0 for the first in a context
	code            uint64     // of that block
	first           layout.Ref
}

// links follows the chains of blocks. Together they have all blocks that are not the first of a method, each
// once: its method and context are those of its chain alone, and chains go forward.
func (p *proof) links() bool {
	chains := p.found.chains
	const atOnce = 1 << 12
	return p.share((len(chains)+atOnce-1)/atOnce, func(w *worker, i int) bool {
		for _, c := range chains[i*atOnce : min((i+1)*atOnce, len(chains))] {
			if !w.chain(c) {
				return false
			}
		}
		return true
	})
}

func (w *worker) chain(c chainStart) bool {
	begun := c.after != 0
	for at := c.first; at != 0; {
		if at <= c.after || !w.starts.blocks.has(at) {
			return false
		}
		rw := w.h.Region(disk.RegionRW)
		size := disk.BlockSize(w.data[at.Offset():])
		if size < disk.BlockHeaderSize || size > rw.End()-at.Offset() {
			return false // the file was changed since
		}
		b := disk.Block(w.data[at.Offset() : at.Offset()+size])
		context, next := b.Links()
		code := b.Code()
		_, head := b.ID()
		if head || b.Method() != c.method || context != c.context || begun && code <= c.code {
			return false
		}
		w.found.linked++
		c.after, c.code, begun = at, code, true
		at = next
	}
	return true
}

// tables follows every reference of the tables of ex.
func (p *proof) tables() bool {
	const atOnce = 1 << 14
	for t, err := range p.s.Tables() {
		if err != nil {
			return false
		}
		sound := p.share((t.Rows+atOnce-1)/atOnce, func(_ *worker, i int) bool {
			for column := range t.Columns() {
				kind := t.Column(column)
				for row := i * atOnce; kind != layout.ColumnWord && row < min((i+1)*atOnce, t.Rows); row++ {
					if n := layout.Ref(t.Cell(column, row)); n != 0 && !p.refers(kind, n) {
						return false
					}
				}
			}
			return true
		})
		if !sound {
			return false
		}
	}
	return true
}

// refers reports whether a record of a kind is at n.
func (p *proof) refers(kind layout.ColumnKind, n layout.Ref) bool {
	switch kind {
	case layout.ColumnSymbol:
		return p.starts.texts.has(n)
	case layout.ColumnType:
		return p.isType(n)
	case layout.ColumnMethod:
		return p.starts.methods.has(n) || p.isRow(n)
	case layout.ColumnProfile:
		return p.starts.blocks.has(n)
	case layout.ColumnContext:
		contexts := p.h.Parts[disk.PartContexts]
		return contexts.Holds(n.Offset(), disk.ContextSize) && (n.Offset()-contexts.Offset)%disk.ContextSize == 0
	}
	return false
}

// isRow reports whether the row of an unexecuted method is at n.
func (p *proof) isRow(n layout.Ref) bool {
	section := p.h.Parts[disk.PartUnexecuted]
	return section.Holds(n.Offset(), disk.UnexecutedRowSize) && n.Offset() >= section.End()-p.rows()*disk.UnexecutedRowSize
}
