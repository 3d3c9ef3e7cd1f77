package verify_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

var le = binary.LittleEndian

// sound returns the bytes of a specimen and their header.
func sound(t *testing.T, name string) ([]byte, *layout.Header) {
	t.Helper()
	for _, s := range specimen.All() {
		if s.Name != name {
			continue
		}
		data, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		h, err := disk.ParseHeader(data, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return data, h
	}
	t.Fatalf("no specimen %s", name)
	return nil, nil
}

// reseal corrects all checksums, so that the archive looks as if it had been written with the change.
func reseal(data []byte, h *layout.Header) {
	tree, ps := disk.SumTreeOf(h), disk.RegionOf(h, disk.RegionPS)
	sums := data[ps.Offset:ps.End()]
	for n := range tree.Pages() {
		page := tree.PageSpan(n)
		le.PutUint64(sums[tree.SlotOffset(0, n):], disk.Checksum(data[page.Offset:page.End()]))
	}
	h.SumRoot = tree.ComputeLevels(sums)
	copy(data, disk.AppendHeader(nil, h))
}

func check(t *testing.T, data []byte) verify.Report {
	t.Helper()
	m, err := archive.FromBytes("app.parc", data, archive.Options{})
	if inArchive(err) {
		return verify.Report{Problems: []error{err}} // the shapes of its entries are read when it is opened
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Store(context.Background(), reader.New(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSpecimensAreSound(t *testing.T) {
	for _, s := range specimen.All() {
		data, h := sound(t, s.Name)
		reseal(data, h)
		r := check(t, data)
		if !r.Sound() {
			t.Errorf("%s: %v", s.Name, r.Problems)
		}
		if r.Counts != h.Counts || r.Summary != h.Summary || r.Bytes != h.FileSize || r.Lines != int64(h.Buckets) {
			t.Errorf("%s: report %+v, header %+v %+v", s.Name, r, h.Counts, h.Summary)
		}
	}
}

// contextsOfAMethod returns the offset of the number of contexts in the record of a method with several, and the offset
// of the first context.
func contextsOfAMethod(data []byte, h *layout.Header) (number, first int64) {
	for at := h.Parts[disk.PartMethods].Offset; ; {
		var m disk.MethodRecord
		if err := m.Parse(data[at:]); err != nil {
			panic(err)
		}
		if at += int64(m.Units) * disk.Unit; m.NumContexts > 1 {
			return at - 4, m.Contexts.Offset()
		}
	}
}

// blockWith returns the offset of an optional field in the first block that has it.
func blockWith(data []byte, h *layout.Header, f disk.Presence) int64 {
	for at := disk.RegionOf(h, disk.RegionRW).Offset; ; at += disk.BlockSize(data[at:]) {
		if field, ok := disk.Block(data[at : at+disk.BlockSize(data[at:])]).FieldOffset(f); ok {
			return at + field
		}
	}
}

// A change is a defect that checksums do not reveal.
type change struct {
	name, specimen string
	make           func(data []byte, h *layout.Header)
	region         layout.Region
	want           string // in the problem's text
}

var changes = []change{
	{"entry order", "hotspot", func(data []byte, h *layout.Header) {
		b := data[disk.RegionOf(h, disk.RegionRW).Offset:]
		for ; disk.Block(b).Presence()&disk.HasDirectory != 0 ||
			len(disk.Block(b[:disk.BlockSize(b)]).Section(disk.SectionData)) < 100; b = b[disk.BlockSize(b):] {
		}
		disk.Block(b[:disk.BlockSize(b)]).Section(disk.SectionData)[3] = 0xff // the high byte of the first bci
	}, disk.RegionRW, "behind one at"},
	{"first block of another method", "sampled", func(data []byte, h *layout.Header) {
		head := disk.RefOf(blockWith(data, h, disk.HasID) - disk.BlockHeaderSize)
		for at := h.Parts[disk.PartMethods].Offset; ; at += disk.ParseMethodHead(data[at:]).Size() {
			if data[at+6] == byte(disk.MethodHasID|disk.MethodInContext) { // it becomes one with a profile
				data[at+6] = byte(disk.MethodProfiled | disk.MethodInContext)
				le.PutUint64(data[at+disk.MinMethodSize:], uint64(head))
				return
			}
		}
	}, disk.RegionRW, "does not have the key"},
	{"symbol padding", "hotspot", func(data []byte, h *layout.Header) {
		at := h.Parts[disk.PartSymbols].Offset
		for disk.SymbolLength(data[at:])%8 == 4 { // has no padding
			at += disk.SymbolSize(int(disk.SymbolLength(data[at:])))
		}
		data[at+disk.SymbolSize(int(disk.SymbolLength(data[at:])))-1] = 1
	}, disk.RegionRO, "not zero"},
	{"type id", "hotspot", func(data []byte, h *layout.Header) { data[h.Parts[disk.PartTypes].Offset] ^= 1 },
		disk.RegionRO, "type "},
	{"type order", "hotspot", func(data []byte, h *layout.Header) {
		at := h.Parts[disk.PartTypes].Offset
		var first [disk.TypeSize]byte
		copy(first[:], data[at:])
		copy(data[at:], data[at+disk.TypeSize:at+2*disk.TypeSize])
		copy(data[at+disk.TypeSize:], first[:])
	}, disk.RegionRO, "sort behind"},
	{"method id", "graal", func(data []byte, h *layout.Header) {
		for at := h.Parts[disk.PartMethods].Offset; ; at += disk.ParseMethodHead(data[at:]).Size() {
			if _, ok := disk.ParseMethodHead(data[at:]).ID(data[at:]); ok {
				data[at+disk.MinMethodSize] ^= 1
				return
			}
		}
	}, disk.RegionRO, "method "},
	{"method id in a profile", "graal", func(data []byte, h *layout.Header) {
		data[blockWith(data, h, disk.HasID)] ^= 1
	}, disk.RegionRO, "method "},
	{"key in a profile", "graal", func(data []byte, h *layout.Header) {
		data[blockWith(data, h, disk.HasKey)] ^= 1
	}, disk.RegionRW, "does not have the key"},
	{"key of no method", "graal", func(data []byte, h *layout.Header) {
		at := blockWith(data, h, disk.HasKey)
		clear(data[at : at+16])
	}, disk.RegionRW, "does not have the key"},
	{"multiplier", "jamaica", func(data []byte, h *layout.Header) {
		data[disk.RegionOf(h, disk.RegionIX).Offset+22] = 2
	}, disk.RegionIX, "multiplier"},
	{"spilled", "jamaica", func(data []byte, h *layout.Header) {
		data[disk.RegionOf(h, disk.RegionIX).Offset+23] = 2
	}, disk.RegionIX, "multiplier"},
	{"another multiplier", "jamaica", func(data []byte, h *layout.Header) {
		for at := disk.RegionOf(h, disk.RegionIX).Offset; at < disk.RegionOf(h, disk.RegionIX).End(); at += disk.LineSize {
			data[at+22] ^= 32
		}
	}, disk.RegionIX, "does not lead"},
	{"shared id", "llvm-ir", func(data []byte, h *layout.Header) {
		data[h.Parts[disk.PartMethods].Offset+6] ^= byte(disk.MethodSharedID)
	}, disk.RegionIX, "does not lead"}, // but to the profile, not to the record
	{"shared id of a method without a profile", "graal", func(data []byte, h *layout.Header) {
		for at := h.Parts[disk.PartMethods].Offset; ; at += disk.ParseMethodHead(data[at:]).Size() {
			if _, ok := disk.ParseMethodHead(data[at:]).ID(data[at:]); ok {
				data[at+6] ^= byte(disk.MethodSharedID)
				return
			}
		}
	}, disk.RegionRO, "shares its id"},
	{"never ran", "llvm-ir", func(data []byte, h *layout.Header) {
		data[h.Parts[disk.PartMethods].Offset+6] ^= byte(disk.MethodUnexecuted)
	}, disk.RegionRO, "never ran"},
	{"context order", "graal", func(data []byte, h *layout.Header) {
		_, at := contextsOfAMethod(data, h)
		one, other := data[at:at+disk.ContextSize], data[at+disk.ContextSize:at+2*disk.ContextSize]
		first := bytes.Clone(one)
		copy(one, other)
		copy(other, first)
	}, disk.RegionRO, "does not sort after"},
	{"context of no method", "graal", func(data []byte, h *layout.Header) {
		number, _ := contextsOfAMethod(data, h)
		data[number]-- // leaves the last out
	}, disk.RegionRO, "should begin at"},
	{"context between methods", "graal", func(data []byte, h *layout.Header) {
		_, at := contextsOfAMethod(data, h)
		le.PutUint32(data[at:], uint32(h.Parts[disk.PartMethods].Offset/disk.Unit))
	}, disk.RegionRO, "with its parent at"},
	{"class without rows", "graal", func(data []byte, h *layout.Header) {
		at := h.Parts[disk.PartUnexecuted].Offset + disk.UnexecutedHeaderSize
		copy(data[at+4:], data[at+disk.ClassRowSize+4:at+2*disk.ClassRowSize]) // the first class has all rows
	}, disk.RegionRO, "does not come behind the one before, or has none"},
	{"rows of no class", "graal", func(data []byte, h *layout.Header) {
		le.PutUint32(data[h.Parts[disk.PartUnexecuted].Offset+disk.UnexecutedHeaderSize+disk.ClassRowSize+4:], 4)
	}, disk.RegionRO, "an unexecuted method of no class"},
	{"class that is not the only one of its name", "graal", func(data []byte, h *layout.Header) {
		at := h.Parts[disk.PartUnexecuted].Offset + disk.UnexecutedHeaderSize
		le.PutUint32(data[at:], uint32(disk.RefOf(h.Parts[disk.PartTypes].Offset))) // the type without a name
	}, disk.RegionRO, "is not the only one of that name"},
	{"more rows than there are", "graal", func(data []byte, h *layout.Header) {
		at := h.Parts[disk.PartUnexecuted].Offset + disk.UnexecutedHeaderSize + disk.ClassRowSize + 4
		le.PutUint32(data[at:], le.Uint32(data[at:])+1)
	}, disk.RegionRO, "classes of another number"},
	{"caller that never ran", "graal", func(data []byte, h *layout.Header) {
		_, at := contextsOfAMethod(data, h)
		le.PutUint32(data[at+4:], uint32(disk.RefOf(h.Parts[disk.PartUnexecuted].End()-disk.UnexecutedRowSize)))
	}, disk.RegionRO, "a method record outside the methods section"},
	{"row order", "graal", func(data []byte, h *layout.Header) {
		at := h.Parts[disk.PartUnexecuted].End() - 2*disk.UnexecutedRowSize
		first := bytes.Clone(data[at : at+disk.UnexecutedRowSize])
		copy(data[at:], data[at+disk.UnexecutedRowSize:at+2*disk.UnexecutedRowSize])
		copy(data[at+disk.UnexecutedRowSize:], first)
	}, disk.RegionRO, "sort behind"},
	{"lost slot", "jamaica", func(data []byte, h *layout.Header) {
		at := disk.RegionOf(h, disk.RegionIX).Offset
		for i := int64(0); ; i++ {
			if slot := at + i/disk.LineSlots*disk.LineSize + 2*(i%disk.LineSlots); le.Uint16(data[slot:]) != 0 {
				le.PutUint16(data[slot:], 0)
				return
			}
		}
	}, disk.RegionIX, "does not lead"},
	{"slot too many", "jamaica", func(data []byte, h *layout.Header) {
		at := disk.RegionOf(h, disk.RegionIX).Offset
		for i := int64(0); ; i++ {
			if slot := at + i/disk.LineSlots*disk.LineSize + 2*(i%disk.LineSlots); le.Uint16(data[slot:]) == 0 {
				le.PutUint16(data[slot:], 7)
				return
			}
		}
	}, disk.RegionIX, "slots in use"},
	{"pointer not listed", "jamaica", func(data []byte, h *layout.Header) {
		// The first bitmap: 16 bytes of head, then the slots.
		bitmap := layout.Ref(le.Uint32(data[disk.RegionOf(h, disk.RegionBM).Offset+8:])).Offset()
		le.PutUint16(data[bitmap+16:], le.Uint16(data[bitmap+16:])-1)
	}, disk.RegionBM, "pointers in the block"},
	{"unlinked block", "llvm-ir", func(data []byte, h *layout.Header) {
		// The link from the first profile of main to the second.
		le.PutUint32(data[blockWith(data, h, disk.HasLinks)+4:], 0)
	}, disk.RegionRW, "no method leads"},
	{"count", "graal", func(data []byte, h *layout.Header) { h.Counts.Entries++ }, disk.RegionHeader, "counts are"},
	{"summary", "llvm-frontend", func(data []byte, h *layout.Header) { h.Summary.MaxCount++ }, disk.RegionHeader,
		"summary"},
	{"counter", "hotspot", func(data []byte, h *layout.Header) {
		rw := disk.RegionOf(h, disk.RegionRW)
		for at := rw.Offset; ; at += disk.BlockSize(data[at:]) {
			if f := disk.Block(data[at : at+disk.BlockSize(data[at:])]).Field(disk.HasInvocations); f != nil {
				f[0]++
				return
			}
		}
	}, disk.RegionHeader, "summary"},
	{"reference of a table", "graal", func(data []byte, h *layout.Header) {
		// The first table begins behind the directory; its first column has types, four bytes each.
		ex := disk.RegionOf(h, disk.RegionEX).Offset
		n := int64(le.Uint32(data[ex:]))
		for i := range n {
			row := ex + disk.TablesHeaderSize + i*disk.TableRowSize
			if disk.TableKind(le.Uint32(data[row:])) == disk.TableMonitors {
				le.PutUint32(data[le.Uint64(data[row+8:])+24:], 1)
			}
		}
	}, disk.RegionRO, "no type record"},
}

// inArchive reports whether a problem is an error of the archive with an offset.
func inArchive(problem error) bool {
	var e *layout.Error
	return errors.As(problem, &e) && errors.Is(problem, layout.ErrCorrupt) && e.File == "app.parc"
}

func TestWhatSumsCannotSeeIsFound(t *testing.T) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			data, h := sound(t, c.specimen)
			c.make(data, h)
			reseal(data, h)
			r := check(t, data)
			for _, p := range r.Problems {
				if !inArchive(p) {
					t.Fatalf("a problem without place: %v", p)
				}
				var e *layout.Error
				errors.As(p, &e)
				if e.Region == c.region && strings.Contains(e.Detail, c.want) {
					return
				}
			}
			t.Errorf("want a problem in %s with %q, have %v", c.region, c.want, r.Problems)
		})
	}
}

func TestDamagedPageIsFound(t *testing.T) {
	for _, s := range specimen.All() {
		data, h := sound(t, s.Name)
		summed := disk.ChecksummedSpan(h)
		for _, at := range []int64{summed.Offset, summed.Offset + summed.Size/2, summed.End() - 1} {
			data[at] ^= 0x40
			if r := check(t, data); r.Sound() || !errors.Is(r.Problems[0], layout.ErrChecksum) {
				t.Errorf("%s: byte 0x%x changed: %v", s.Name, at, r.Problems)
			}
			data[at] ^= 0x40
		}
	}
}

// Pages are damaged apart from each other, so that no record tells of both.
func TestEachDamagedPageIsNamed(t *testing.T) {
	data, h := sound(t, "hotspot")
	damaged := []int64{disk.ChecksummedSpan(h).Offset, h.FileSize - 1}
	for _, at := range damaged {
		data[at] ^= 0x40
	}
	tree := disk.SumTreeOf(h)
	named := map[int64]bool{}
	for _, p := range check(t, data).Problems {
		var e *layout.Error
		if errors.As(p, &e) && errors.Is(p, layout.ErrChecksum) {
			named[e.Offset] = true
		}
	}
	for _, at := range damaged {
		if page := tree.PageSpan(tree.Page(at)); !named[page.Offset] {
			t.Errorf("the page at 0x%x is not named", page.Offset)
		}
	}
}

// A walk takes bytes that are there; of an archive that is read in ranges they are fetched before.
func TestArchiveInRanges(t *testing.T) {
	data, h := sound(t, "graal")
	for _, damaged := range []bool{false, true} {
		if damaged {
			data[h.FileSize-1] ^= 0x40
		}
		m, err := archive.OpenRanges("app.parc", bytes.NewReader(data), int64(len(data)), archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Store(context.Background(), reader.New(m), nil)
		if err != nil || r.Sound() == damaged {
			t.Errorf("damaged %v: %v, %v", damaged, r.Problems, err)
		}
	}
}

func TestPagesLooksAtSumsAlone(t *testing.T) {
	data, h := sound(t, "graal")
	h.Counts.Entries++
	reseal(data, h)
	m, err := archive.FromBytes("app.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var last int64
	r, err := verify.Pages(context.Background(), reader.New(m), func(done, _ int64) { last = done })
	if err != nil || !r.Sound() || r.Pages != disk.SumTreeOf(h).Pages() || last != h.FileSize {
		t.Errorf("report %+v, error %v, progress ended at %d of %d", r, err, last, h.FileSize)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	data, h := sound(t, "hotspot")
	for at := h.Parts[disk.PartTypes].Offset; at < h.Parts[disk.PartTypes].End(); at += disk.TypeSize {
		data[at] ^= 1
	}
	for at := disk.RegionOf(h, disk.RegionIX).Offset; at < disk.RegionOf(h, disk.RegionIX).End(); at++ {
		data[at] = 0
	}
	reseal(data, h)
	if r := check(t, data); len(r.Problems) != 20 || !r.More {
		t.Errorf("%d problems, more %v", len(r.Problems), r.More)
	}
}

func TestInterrupted(t *testing.T) {
	data, _ := sound(t, "graal")
	m, err := archive.FromBytes("app.parc", data, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := verify.Store(ctx, reader.New(m), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
