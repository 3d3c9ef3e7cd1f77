package archivewriter

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/fastmem"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// References are first relative to a section or region. When all sizes are known, locate makes them absolute.

func (p *plan) placeBlocks() (size int64) {
	for i := range p.profiles {
		d := &p.profiles[i]
		if i > 0 {
			p.profiles[i-1].padding = paddingBefore(size, int64(d.block.Size))
			size += int64(p.profiles[i-1].padding)
		}
		d.at = disk.RefOf(size)
		size += int64(d.block.Size) + p.addedSize(d)
	}
	return size
}

// paddingBefore returns the number of zero bytes to insert at an offset before a block of this size. They bring the
// part of the block that a lookup by ID reads into one cache line. A small block is not worth padding.
func paddingBefore(at, size int64) uint8 {
	pad := -at & (disk.LineSize - 1)
	if pad >= disk.HeadSize || pad > size/16 {
		return 0
	}
	return uint8(pad)
}

func (d *profilePlan) linked() bool { return d.followed || d.context != profileset.NoContext }

// keyed reports whether the block stores the key of its method. The first profile without a context does, unless the
// method's record already contains its key.
func (p *plan) keyed(d *profilePlan) bool {
	return d.head && p.records[d.method].flags&disk.MethodNamed == 0
}

// addedSize returns the size of the fields that appendBlock adds. They precede all entries.
func (p *plan) addedSize(d *profilePlan) (n int64) {
	const idSize, linksSize, keySize = 8, 8, 16
	if d.head {
		n += idSize
	}
	if d.linked() {
		n += linksSize
	}
	if p.keyed(d) {
		n += keySize
	}
	return n
}

func (p *plan) collectPointers() {
	for i := range p.profiles {
		d := &p.profiles[i]
		at := d.at.Offset() + p.addedSize(d)
		p.slots.each(d.slots, func(word uint32, _ bool) { p.pointers.Add(at + int64(word)*disk.Unit) })
	}
}

// placeRegions assigns offsets to the regions. The size of the page checksums and the size of the file depend on each
// other, so ps grows until it is large enough.
func (p *plan) placeRegions() error {
	h := &p.header
	for {
		end := int64(disk.HeaderSize)
		h.RWShift = disk.RWShift(p.sizeOf(disk.RegionRW))
		for r := disk.RegionPS; r <= disk.RegionRW; r++ {
			align := int64(disk.LineSize)
			if r == disk.RegionRW {
				align = 1 << h.RWShift
			}
			from := disk.AlignUp(end, align)
			disk.SetRegion(h, r, layout.Span{Offset: from, Size: p.sizeOf(r)})
			end = from + p.sizeOf(r)
		}
		h.FileSize = end
		need := disk.SumTreeOf(h).Size()
		if p.sizeOf(disk.RegionPS) >= need {
			break
		}
		p.setSize(disk.RegionPS, need)
	}
	if h.FileSize > disk.MaxFileSize {
		return fmt.Errorf("builder: %w: the archive would have %d bytes, at most %d are possible: split it",
			layout.ErrTooLarge, h.FileSize, int64(disk.MaxFileSize))
	}
	at := p.regionStart(disk.RegionRO)
	for s, n := range p.section {
		h.Parts[s] = layout.Span{Offset: at, Size: n}
		at += n
	}
	return nil
}

// checkKeyText returns an error if keys share names so often that their text exceeds the limit for an archive of this
// size.
func (p *plan) checkKeyText() error {
	b := p.b
	most := disk.MaxKeyText(p.header.FileSize)
	var types, methods int64
	size := p.keyTexts()
	holders := make([]int64, b.Types.Len()+1) // indexed by TypeRef
	for ref, t := range b.Types.All {
		holders[ref] = size[t.Name] + size[t.Loader]
		types += holders[ref] + size[t.Alias]
	}
	for ref, m := range b.Methods.All {
		if declared := m.Holder != 0 || m.Signature != 0; declared ||
			p.records[p.o.methodRank[ref-1]].flags&disk.MethodNamed == 0 {
			methods += holders[m.Holder] + size[m.Name] + size[m.Signature]
		}
	}
	if text := max(types, methods); text > most {
		return fmt.Errorf("builder: %w: the keys of %d methods and %d types share names so often that they have %d bytes "+
			"of text, an archive of %d bytes may have %d: leave out what has the longest names",
			layout.ErrTooLarge, b.Methods.Len(), b.Types.Len(), text, p.header.FileSize, most)
	}
	return nil
}

func (p *plan) keyTexts() []int64 {
	size := fastmem.AllocateLarge[int64](p.b.Symbols.Len() + 1)
	for s := range size[1:] {
		size[s+1] = p.keyText(intern.SymbolRef(s + 1))
	}
	return size
}

// keyText returns the number of bytes that a symbol adds to the text of a key.
func (p *plan) keyText(s intern.SymbolRef) int64 {
	parts := p.lists.listOf(s)
	if s == 0 || len(parts) == 0 {
		return int64(p.b.Symbols.Place(s).Size)
	}
	size := disk.ListText(int64(len(parts))) + int64(max(len(parts), 2)) // text between the parts
	for _, part := range parts {
		size += int64(p.b.Symbols.Place(part).Size)
	}
	return size
}

func (p *plan) locate() error {
	symbols := disk.RefOf(p.sectionStart(disk.PartSymbols) - disk.Unit)
	for _, ref := range p.symbolRefs {
		p.symbols[ref-1] += symbols
	}
	at := p.sectionStart(disk.PartMethods)
	p.methods = fastmem.AllocateLarge[layout.Ref](len(p.records))
	for i := range p.records {
		p.methods[i] = disk.RefOf(at)
		at += int64(p.records[i].units) * disk.Unit
	}
	p.locateNeverRan()
	rw := disk.RefOf(p.regionStart(disk.RegionRW))
	for i := range p.profiles {
		p.profiles[i].at += rw
	}
	return nil
}

func (p *plan) symbolAt(s intern.SymbolRef) layout.Ref {
	if s == 0 {
		return 0
	}
	return p.symbols[s-1]
}

func (p *plan) typeAt(t profileset.TypeRef) layout.Ref {
	if t == 0 {
		return 0
	}
	return disk.RefOf(p.sectionStart(disk.PartTypes) + int64(p.o.typeRank[t-1])*disk.TypeSize)
}

func (p *plan) methodAt(m profileset.MethodRef) layout.Ref {
	if m == 0 {
		return 0
	}
	return p.methods[p.o.methodRank[m-1]]
}

func (p *plan) contextAt(c profileset.ContextRef) layout.Ref {
	if c == profileset.NoContext {
		return 0
	}
	return disk.RefOf(p.sectionStart(disk.PartContexts) + int64(p.o.contextRank[c-1])*disk.ContextSize)
}

func (p *plan) firstBlock(first uint32) layout.Ref {
	if first == 0 {
		return 0
	}
	return p.profiles[first-1].at
}

// blockAt returns a profile's block. Few archives need it, so the first call builds the slice.
func (p *plan) blockAt(ref profileset.ProfileRef) layout.Ref {
	if ref == 0 {
		return 0
	}
	if p.blocks == nil {
		p.blocks = make([]layout.Ref, len(p.profiles))
		for i, ref := range p.o.profiles {
			p.blocks[ref-1] = p.profiles[i].at
		}
	}
	return p.blocks[ref-1]
}
