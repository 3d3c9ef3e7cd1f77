package archive

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

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
		Domain: layout.DomainHotSpot, Base: layout.RequestedBase(0), RWShift: layout.RWShift(s.rw),
		Fingerprint: [16]byte{1, 2, 3}, Buckets: 1, MaxProbe: 1,
	}
	if s.base != 0 {
		h.Base = s.base
	}
	h.Params[layout.ParamTypeProfileWidth] = 2
	for ps := int64(8); ; ps = h.SumTree().Size() {
		s.place(h, ps)
		if need := h.SumTree().Size(); need <= ps && ps <= need+layout.LineSize {
			return h
		}
	}
}

func (s synthetic) place(h *layout.Header, ps int64) {
	end := int64(layout.HeaderSize)
	sizes := map[layout.Region]int64{layout.RegionPS: ps, layout.RegionIX: layout.LineSize, layout.RegionRO: s.ro,
		layout.RegionBM: 8, layout.RegionEX: 8, layout.RegionRW: s.rw}
	for r := layout.RegionPS; r <= layout.RegionRW; r++ {
		align := int64(layout.LineSize)
		if r == layout.RegionRW && s.rw > 0 {
			align = 1 << h.RWShift
		}
		span := layout.Span{Offset: layout.AlignUp(end, align), Size: sizes[r]}
		h.SetRegion(r, span)
		end = span.End()
	}
	h.FileSize = end
	ro := h.Region(layout.RegionRO)
	h.Sections = [layout.NumSections]layout.Span{{Offset: ro.Offset, Size: ro.Size}}
	for i := 1; i < layout.NumSections; i++ {
		h.Sections[i] = layout.Span{Offset: ro.End()}
	}
}

// bytes is the whole archive, its regions filled with noise.
func (s synthetic) bytes() []byte {
	h := s.header()
	data := layout.Aligned(int(h.FileSize))
	noise := rand.New(rand.NewPCG(1, 2))
	for r := layout.RegionIX; r <= layout.RegionRW; r++ {
		span := h.Region(r)
		for i := span.Offset; i < span.End(); i++ {
			data[i] = byte(noise.Uint32())
		}
	}
	seal(h, data)
	return data
}

// seal fills in the sums and the header of an archive.
func seal(h *layout.Header, data []byte) {
	tree, ps := h.SumTree(), data[h.Region(layout.RegionPS).Offset:]
	for n := range tree.Pages() {
		p := tree.PageSpan(n)
		binary.LittleEndian.PutUint64(ps[tree.Slot(0, n):], layout.Sum(data[p.Offset:p.End()]))
	}
	h.SumRoot = tree.Fill(ps)
	copy(data, h.Append(nil))
}

// writeSparse writes an archive whose regions are zero, as a file that takes
// little room however large it is.
func (s synthetic) writeSparse(t testing.TB) (path string, h *layout.Header) {
	t.Helper()
	h = s.header()
	tree, ps := h.SumTree(), make([]byte, h.Region(layout.RegionPS).Size)
	zeros := make([]byte, layout.PageSize)
	full := layout.Sum(zeros)
	for n := range tree.Pages() {
		sum := full
		if size := tree.PageSpan(n).Size; size < layout.PageSize {
			sum = layout.Sum(zeros[:size])
		}
		binary.LittleEndian.PutUint64(ps[tree.Slot(0, n):], sum)
	}
	h.SumRoot = tree.Fill(ps)
	path = writeFile(t, append(h.Append(nil), ps...))
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
	"map": func(t testing.TB, data []byte, o Options) (*Mapping, error) {
		return Open(writeFile(t, data), o)
	},
	"heap": func(t testing.TB, data []byte, o Options) (*Mapping, error) {
		o.Mode = Heap
		return Open(writeFile(t, data), o)
	},
	"bytes": func(t testing.TB, data []byte, o Options) (*Mapping, error) {
		return FromBytes("app.parc", data, o)
	},
	"misaligned bytes": func(t testing.TB, data []byte, o Options) (*Mapping, error) {
		return FromBytes("app.parc", append(layout.Aligned(len(data) + 1)[:1], data...)[1:], o)
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
