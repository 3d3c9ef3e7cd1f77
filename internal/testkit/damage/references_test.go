package damage

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

var le = binary.LittleEndian

// A referenceForm is the encoding of a reference.
type referenceForm uint8

// Forms of references.
const (
	narrowForm  referenceForm = iota // u32, units from the start of the file
	pointerForm                      // u64, requested base and bytes from the start of the file
	offsetForm                       // u64, bytes from the start of the file
	entryForm                        // u32, units from the start of a block's data entries
)

// A reference is a field of an archive that contains a file offset.
type reference struct {
	What string // kind, such as "type name" or "context caller"
	At   int64  // file offset of the field
	Form referenceForm
	base int64 // file offset of the data entries, for form Entry
}

// listReferences lists all references of a sound archive. These are slots of the index, fields of records and rows,
// parts of signatures, links and pointers of blocks, rows of the point directories, the directories of bm and ex, and
// cells of tables.
func listReferences(data []byte) ([]reference, error) {
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		return nil, err
	}
	l := &referenceLister{data: data, h: h, shape: disk.ShapeOfParams(&h.Params)}
	if h.Domain == layout.DomainCustom {
		l.shape.Declared, err = disk.ReadDeclared(h, func(_ layout.Region, offset, size int64) ([]byte, error) {
			return data[offset : offset+size], nil
		})
	}
	if err != nil {
		return nil, err
	}
	l.listIndex()
	l.listSymbols()
	l.addRecords(h.Parts[disk.PartTypes], disk.TypeSize, field{"type name", 8}, field{"type loader", 12},
		field{"type alias", 16})
	l.listMethods()
	l.listUnexecuted()
	l.addRecords(h.Parts[disk.PartContexts], disk.ContextSize, field{"context parent", 0}, field{"context caller", 4},
		field{"context profiles", 12})
	l.listBitmaps()
	l.listTables()
	l.listBlocks()
	return l.all, l.err
}

type referenceLister struct {
	data  []byte
	h     *layout.Header
	shape disk.Shape
	all   []reference
	err   error // first error
}

func (l *referenceLister) addNarrow(what string, at int64) {
	l.all = append(l.all, reference{What: what, At: at, Form: narrowForm})
}

func (l *referenceLister) readU32(at int64) int64 { return int64(le.Uint32(l.data[at:])) }

// A field is a narrow reference in a record.
type field struct {
	what   string
	offset int64 // from the start of the record
}

// addRecords adds the fields of records of equal size.
func (l *referenceLister) addRecords(s layout.Span, size int64, fields ...field) {
	for at := s.Offset; at < s.End(); at += size {
		for _, f := range fields {
			l.addNarrow(f.what, at+f.offset)
		}
	}
}

func (l *referenceLister) listIndex() {
	ix := disk.RegionOf(l.h, disk.RegionIX)
	for line := ix.Offset; line < ix.End(); line += disk.LineSize {
		for i := range int64(disk.LineSlots) {
			if le.Uint16(l.data[line+2*i:]) != 0 {
				l.addNarrow("index slot", line+disk.LineSize-4*(disk.LineSlots-i))
			}
		}
	}
}

func (l *referenceLister) listSymbols() {
	section := l.h.Parts[disk.PartSymbols]
	for at := section.Offset; at < section.End(); {
		parts, list := disk.SymbolParts(l.data[at:])
		if !list {
			at += disk.SymbolSize(int(disk.SymbolLength(l.data[at:])))
			continue
		}
		for i := range parts {
			l.addNarrow("part of a signature", at+4+4*i)
		}
		at += disk.ListSize(int(parts))
	}
}

func (l *referenceLister) listMethods() {
	section := l.h.Parts[disk.PartMethods]
	for at := section.Offset; at < section.End(); {
		head := disk.ParseMethodHead(l.data[at:])
		if head.Flags()&disk.MethodNamed != 0 {
			l.addNarrow("method profiles", at)
		} else {
			l.addNarrow("method name", at)
		}
		field := at + disk.MinMethodSize
		if head.Flags()&disk.MethodHasID != 0 {
			field += 8
		}
		if head.Flags()&disk.MethodDeclared != 0 {
			l.addNarrow("method holder", field)
			l.addNarrow("method signature", field+4)
			field += 8
		}
		if head.Flags()&disk.MethodProfiled != 0 {
			l.addNarrow("method profiles", field)
			field += 8
		}
		if head.Flags()&disk.MethodInContext != 0 {
			l.addNarrow("method contexts", field)
		}
		at += head.Size()
	}
}

func (l *referenceLister) listUnexecuted() {
	section := l.h.Parts[disk.PartUnexecuted]
	if section.Size == 0 {
		return
	}
	classes, rows, err := disk.ParseUnexecuted(section, l.data[section.Offset:])
	if l.recordError(err) {
		return
	}
	l.addRecords(classes, disk.ClassRowSize, field{"class of rows", 0})
	l.addRecords(rows, disk.UnexecutedRowSize, field{"row name", 0}, field{"row signature", 4})
}

func (l *referenceLister) listBitmaps() {
	bm := disk.RegionOf(l.h, disk.RegionBM)
	directory := layout.Span{Offset: bm.Offset + 8, Size: 8 * l.readU32(bm.Offset)}
	l.addRecords(directory, 8, field{"bitmap", 0})
}

func (l *referenceLister) listTables() {
	ex := disk.RegionOf(l.h, disk.RegionEX)
	if ex.Size == 0 {
		return
	}
	for i := range l.readU32(ex.Offset) {
		row := ex.Offset + disk.TablesHeaderSize + i*disk.TableRowSize
		l.all = append(l.all, reference{What: "table", At: row + 8, Form: offsetForm})
		l.listTable(layout.Span{Offset: int64(le.Uint64(l.data[row+8:])), Size: int64(le.Uint64(l.data[row+16:]))})
	}
}

func (l *referenceLister) listTable(s layout.Span) {
	t, err := disk.ParseTable(l.data[s.Offset:s.End()])
	if l.recordError(err) {
		return
	}
	at := s.Offset + 16 + disk.AlignUp(int64(t.Columns()), disk.Unit)
	for i := range t.Columns() {
		if t.Column(i) == disk.ColumnWord {
			at += 8 * int64(t.Rows)
			continue
		}
		cells := layout.Span{Offset: at, Size: 4 * int64(t.Rows)}
		l.addRecords(cells, 4, field{t.Column(i).String() + " cell", 0})
		at += disk.AlignUp(cells.Size, disk.Unit)
	}
}

func (l *referenceLister) listBlocks() {
	rw := disk.RegionOf(l.h, disk.RegionRW)
	for at := rw.Offset; at < rw.End(); {
		b, err := disk.ParseBlock(l.data[at : at+disk.BlockSize(l.data[at:])])
		if l.recordError(err) {
			return
		}
		l.addNarrow("block method", at+4)
		if links, ok := b.FieldOffset(disk.HasLinks); ok {
			l.addNarrow("block context", at+links)
			l.addNarrow("next block", at+links+4)
		}
		if key, ok := b.FieldOffset(disk.HasKey); ok {
			for i, part := range []string{"class", "name", "signature", "loader"} {
				l.addNarrow("block "+part, at+key+4*int64(i))
			}
		}
		for s := disk.SectionData; s < disk.SectionDirectory; s++ {
			l.listEntries(at+b.SectionSpan(s).Offset, b.Section(s))
		}
		directory := b.SectionSpan(disk.SectionDirectory)
		for i := range disk.DirectoryLen(b.Section(disk.SectionDirectory)) {
			l.all = append(l.all, reference{What: "directory row", At: at + directory.Offset + 8*int64(i) + 4, Form: entryForm,
				base: at + b.SectionSpan(disk.SectionData).Offset})
		}
		at += int64(len(b))
	}
}

func (l *referenceLister) listEntries(at int64, section []byte) {
	for len(section) > 0 {
		e, rest, err := l.shape.NextEntry(section)
		if l.recordError(err) {
			return
		}
		for cell, kind := range l.shape.Pointers(e) {
			l.all = append(l.all, reference{What: pointerNames[kind], At: at + int64(e.CellOffset(cell)), Form: pointerForm})
		}
		at += int64(len(e))
		section = rest
	}
}

var pointerNames = map[disk.CellKind]string{
	disk.CellType: "type pointer", disk.CellTypeWord: "type word", disk.CellMethod: "method pointer",
}

func (l *referenceLister) recordError(err error) bool {
	if l.err == nil {
		l.err = err
	}
	return l.err != nil
}
