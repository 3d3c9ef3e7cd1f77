package mapped

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// A synthetic is a sound archive of regions of chosen sizes. Its records mean
// nothing: this package does not look at them.
type synthetic struct {
	ro, rw int64
	base   uint64 // that is requested; 0 for an ordinary one
}

// header places the regions, without the root of the sums.
func (s synthetic) header() *layout.Header {
	h := &layout.Header{
		Domain: layout.DomainHotSpot, Base: disk.RequestedBase(0), RWShift: disk.RWShift(s.rw),
		Fingerprint: [16]byte{1, 2, 3}, Buckets: 1, MaxProbe: 1,
	}
	if s.base != 0 {
		h.Base = s.base
	}
	h.Params.TypeProfileWidth = 2
	for ps := int64(8); ; ps = disk.SumTreeOf(h).Size() {
		s.place(h, ps)
		if need := disk.SumTreeOf(h).Size(); need <= ps && ps <= need+disk.LineSize {
			return h
		}
	}
}

func (s synthetic) place(h *layout.Header, ps int64) {
	end := int64(disk.HeaderSize)
	sizes := map[layout.Region]int64{disk.RegionPS: ps, disk.RegionIX: disk.LineSize, disk.RegionRO: s.ro,
		disk.RegionBM: 8, disk.RegionEX: 8, disk.RegionRW: s.rw}
	for r := disk.RegionPS; r <= disk.RegionRW; r++ {
		align := int64(disk.LineSize)
		if r == disk.RegionRW {
			align = 1 << h.RWShift
		}
		span := layout.Span{Offset: disk.AlignUp(end, align), Size: sizes[r]}
		disk.SetRegion(h, r, span)
		end = span.End()
	}
	h.FileSize = end
	ro := disk.RegionOf(h, disk.RegionRO)
	h.Parts = [disk.NumParts]layout.Span{{Offset: ro.Offset, Size: ro.Size}}
	for i := 1; i < disk.NumParts; i++ {
		h.Parts[i] = layout.Span{Offset: ro.End()}
	}
}

// bytes returns the whole archive, its regions filled with noise.
func (s synthetic) bytes() []byte {
	h := s.header()
	data := words.AlignedBytes(int(h.FileSize))
	noise := rand.New(rand.NewPCG(1, 2))
	for r := disk.RegionIX; r <= disk.RegionRW; r++ {
		span := disk.RegionOf(h, r)
		for i := span.Offset; i < span.End(); i++ {
			data[i] = byte(noise.Uint32())
		}
	}
	seal(h, data)
	return data
}

// seal fills in the sums and the header of an archive.
func seal(h *layout.Header, data []byte) {
	tree, ps := disk.SumTreeOf(h), data[disk.RegionOf(h, disk.RegionPS).Offset:]
	for n := range tree.Pages() {
		p := tree.PageSpan(n)
		binary.LittleEndian.PutUint64(ps[tree.SlotOffset(0, n):], disk.Checksum(data[p.Offset:p.End()]))
	}
	h.SumRoot = tree.ComputeLevels(ps)
	copy(data, disk.AppendHeader(nil, h))
}

// writeSparse writes an archive whose regions are zero, as a file that takes little room however large it is.
func (s synthetic) writeSparse(t testing.TB) (path string, h *layout.Header) {
	t.Helper()
	h = s.header()
	tree, ps := disk.SumTreeOf(h), make([]byte, disk.RegionOf(h, disk.RegionPS).Size)
	zeros := make([]byte, disk.PageSize)
	full := disk.Checksum(zeros)
	for n := range tree.Pages() {
		sum := full
		if size := tree.PageSpan(n).Size; size < disk.PageSize {
			sum = disk.Checksum(zeros[:size])
		}
		binary.LittleEndian.PutUint64(ps[tree.SlotOffset(0, n):], sum)
	}
	h.SumRoot = tree.ComputeLevels(ps)
	path = writeFile(t, append(disk.AppendHeader(nil, h), ps...))
	if err := os.Truncate(path, h.FileSize); err != nil {
		t.Fatal(err)
	}
	return path, h
}

func writeFile(t testing.TB, data []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "app.parc")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// openers are the ways to the bytes of an archive.
var openers = map[string]func(t testing.TB, data []byte, o Options) (*Mapping, error){
	"map": func(t testing.TB, data []byte, o Options) (*Mapping, error) { return Open(writeFile(t, data), o) },
	"heap": func(t testing.TB, data []byte, o Options) (*Mapping, error) {
		o.Heap = true
		return Open(writeFile(t, data), o)
	},
	"bytes": func(t testing.TB, data []byte, o Options) (*Mapping, error) { return FromBytes("app.parc", data, o) },
	"misaligned bytes": func(t testing.TB, data []byte, o Options) (*Mapping, error) {
		return FromBytes("app.parc", append(words.AlignedBytes(len(data) + 1)[:1], data...)[1:], o)
	},
}

func mustOpen(t testing.TB, path string, o Options) *Mapping {
	t.Helper()
	m, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustRead(t testing.TB, data []byte, o Options) *Mapping {
	t.Helper()
	m, err := FromBytes("app.parc", data, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
