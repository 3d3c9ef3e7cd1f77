package forgery

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// Overshare replaces the holder of all methods by the type with the longest name, and updates all checksums. A builder
// would not share a long name that often.
func Overshare(data []byte) error {
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		return err
	}
	var holder layout.Ref
	longest := int64(-1)
	eachRecord(h.Parts[disk.PartTypes], disk.TypeSize, func(at int64) {
		if n := disk.SymbolLength(data[disk.ParseType(data[at:]).Name.Offset():]); n > longest {
			longest = n
			holder = disk.RefOf(at)
		}
	})
	section := h.Parts[disk.PartMethods]
	for at := section.Offset; at < section.End(); {
		head := disk.ParseMethodHead(data[at:])
		if head.Flags()&disk.MethodDeclared != 0 {
			field := int64(disk.MinMethodSize)
			if head.Flags()&disk.MethodHasID != 0 {
				field += 8
			}
			le.PutUint32(data[at+field:], uint32(holder))
		}
		at += head.Size()
	}
	updateAllChecksums(data, h)
	return nil
}

// updateAllChecksums updates all checksums of an archive.
func updateAllChecksums(data []byte, h *layout.Header) {
	tree := disk.SumTreeOf(h)
	ps := h.Region(disk.RegionPS)
	for n := range tree.Pages() {
		page := tree.PageSpan(n)
		le.PutUint64(data[ps.Offset+tree.SlotOffset(0, n):], disk.Checksum(data[page.Offset:page.End()]))
	}
	le.PutUint64(data[sumRootAt:], tree.ComputeLevels(data[ps.Offset:ps.End()]))
	disk.UpdateChecksum(data)
}
