package methoddata

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// AppendStored appends a copy of a file's block without the file's own fields and without padding. ok is false if
// Parts.Encode would give another block for the same fields and entries.
func AppendStored(to []byte, shape disk.Shape, b disk.Block) (all []byte, ok bool) {
	if !hasEncodedFields(b) || !hasEncodedEntries(shape, b) {
		return to, false
	}
	start := len(to)
	to = append(to, b[:disk.BlockHeaderSize]...)
	to = append(to, fieldBytes(b, disk.HasInvocations)...)
	others, _ := b.FieldOffset(disk.HasCode)
	to = append(to, b[others:b.SectionSpan(disk.SectionDirectory).End()]...)
	le.PutUint32(to[start:], uint32((len(to)-start)/disk.Unit))
	le.PutUint32(to[start+disk.BlockMethod:], 0)
	le.PutUint32(to[start+disk.BlockPresence:], uint32(b.Presence()&^disk.FileFields))
	return to, true
}

// hasEncodedFields reports whether no field is empty, and unused bytes are 0.
func hasEncodedFields(b disk.Block) bool {
	const uncommon = disk.HasTraps | disk.HasSections | disk.HasDirectory
	unused := uint32(0)
	if b.Presence()&uncommon != 0 {
		if f := fieldBytes(b, disk.HasTraps); f != nil {
			unused |= le.Uint32(f[4:])
			for _, v := range f[min(disk.Unit+int(le.Uint32(f)), len(f)):] {
				unused |= uint32(v)
			}
		}
		if f := fieldBytes(b, disk.HasSections); f != nil {
			unused |= le.Uint32(f[12:])
			if le.Uint32(f)|le.Uint32(f[4:])|le.Uint32(f[8:]) == 0 {
				return false
			}
		}
		if f := fieldBytes(b, disk.HasDirectory); f != nil {
			unused |= le.Uint32(f[4:])
		}
	}
	return unused == 0 && (b.Presence()&disk.HasCode == 0 || b.Code() != 0)
}

// hasEncodedEntries reports whether the entries are sorted, have a directory if they are many, and have no cells that
// Recording.Add changes.
func hasEncodedEntries(shape disk.Shape, b disk.Block) bool {
	isEncoded := true
	entries := 0
	var before entryOrder
	EachEntry(shape, b, func(section disk.BlockSection, e disk.Entry) {
		order := entryOrder{e.Point(), e.Tag(), e.Sub()}
		if section == disk.SectionData {
			isEncoded = isEncoded && (entries == 0 || before.compare(order) <= 0)
			before = order
			entries++
		}
		if disk.TagByProducer(e.Tag()) || e.Tag() == layout.TagReceivers && e.Cell(1)>>32 != 0 {
			isEncoded = false
		}
	})
	rows := 0
	if f := fieldBytes(b, disk.HasDirectory); f != nil {
		rows = int(le.Uint32(f))
	}
	return isEncoded && (rows == entries || rows == 0) && rows != 0 == (entries >= disk.DirectoryMin) &&
		rows != 0 == (b.Presence()&disk.HasDirectory != 0)
}
