package llvm

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
)

// A rawSpec says what a raw file of one module shall hold.
type rawSpec struct {
	version   int
	variant   Variant
	big       bool
	pointer   int // size in bytes, 0 for 8
	packed    bool
	before    int // bytes of padding before the counters
	binaryIDs []string
	functions []rawSpecFunction
	vtables   []rawSpecVTable
	unnamed   int // so many functions have no name in the file
}

type rawSpecFunction struct {
	name    string
	hash    uint64
	counts  []uint64
	stamp   uint64
	address uint64
	bitmap  []byte
	sites   [3][][]builder.Value // by kind; values as the process saw them
}

type rawSpecVTable struct {
	name    string
	address uint64
	size    uint32
}

// A rawBytes writes numbers as a machine does.
type rawBytes struct {
	*rawSpec
	b []byte
}

func (w *rawBytes) put(size int, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	if w.big {
		binary.BigEndian.PutUint64(b[:], v)
		w.b = append(w.b, b[8-size:]...)
		return
	}
	w.b = append(w.b, b[:size]...)
}

func (w *rawBytes) words(words ...uint64) {
	for _, v := range words {
		w.put(8, v)
	}
}

func (w *rawBytes) address(v uint64) { w.put(w.pointer, v) }

func (w *rawBytes) pad() {
	for len(w.b)%8 != 0 {
		w.b = append(w.b, 0)
	}
}

func (s *rawSpec) section(fill func(w *rawBytes)) []byte {
	w := &rawBytes{rawSpec: s}
	fill(w)
	return w.b
}

// Where the sections were in the process. They wrap round the end of the address space of a 32-bit machine.
const (
	rawDataAddress    = 0xfffff000
	rawCounterAddress = 0xfffffff8
	rawBitmapAddress  = 0x7000
)

// encode writes the module.
func (s rawSpec) encode(t testing.TB) []byte {
	t.Helper()
	if s.pointer == 0 {
		s.pointer = 8
	}
	ids := s.section((*rawBytes).writeBinaryIDs)
	counters, counterOffsets := s.counters()
	bitmaps, bitmapOffsets := s.bitmaps()
	data := s.data(counterOffsets, bitmapOffsets)
	names := nameSection(t, s.names(), s.packed)
	vtables, vtableNames := s.vtableSections(t)
	relative := uint64(0)
	if s.version >= 8 {
		relative = rawDataAddress
	}
	counterSize := 8
	if s.variant&VariantByteCoverage != 0 {
		counterSize = 1
	}
	afterCounters, afterBitmap := -len(counters)&7, -len(bitmaps)&7
	return s.section(func(w *rawBytes) {
		w.put(8, s.magic())
		w.words(uint64(s.version)|uint64(s.variant)<<55, uint64(len(ids)), uint64(len(s.functions)), uint64(s.before),
			uint64(len(counters)/counterSize), uint64(afterCounters))
		if s.version >= 9 {
			w.words(uint64(len(bitmaps)), uint64(afterBitmap))
		}
		if s.version >= 11 {
			w.words(2, 8, 0)
		}
		w.words(uint64(len(names)), rawCounterAddress-relative)
		if s.version >= 9 {
			w.words(rawBitmapAddress - relative)
		}
		w.words(0xdead)
		if s.version >= 10 {
			w.words(uint64(len(s.vtables)), uint64(len(vtableNames)), 2)
		} else {
			w.words(1)
		}
		w.b = append(w.b, ids...)
		w.b = append(w.b, data...)
		w.b = append(w.b, make([]byte, s.before)...)
		w.b = append(w.b, counters...)
		w.b = append(w.b, make([]byte, afterCounters)...)
		w.b = append(w.b, bitmaps...)
		w.b = append(w.b, make([]byte, afterBitmap)...)
		if s.version >= 11 {
			w.b = append(w.b, make([]byte, 2*8+8)...)
		}
		w.b = append(w.b, names...)
		w.pad()
		w.b = append(w.b, vtables...)
		w.pad()
		w.b = append(w.b, vtableNames...)
		w.pad()
		for _, f := range s.functions {
			w.values(&f)
		}
	})
}

func (s *rawSpec) magic() uint64 {
	m := uint64(0xff6c70726f667281)
	if s.pointer == 4 {
		m = 0xff6c70726f665281
	}
	return m
}

func (w *rawBytes) writeBinaryIDs() {
	for _, id := range w.binaryIDs {
		w.words(uint64(len(id)))
		w.b = append(w.b, id...)
		w.pad()
	}
}

func (s *rawSpec) counters() (section []byte, offsets []int) {
	section = s.section(func(w *rawBytes) {
		for _, f := range s.functions {
			offsets = append(offsets, len(w.b))
			if s.variant&VariantTemporal != 0 {
				w.words(f.stamp)
			}
			for _, c := range f.counts {
				if s.variant&VariantByteCoverage == 0 {
					w.words(c)
				} else {
					w.b = append(w.b, byte(1-c)*0xff)
				}
			}
		}
	})
	return section, offsets
}

func (s *rawSpec) bitmaps() (section []byte, offsets []int) {
	for _, f := range s.functions {
		offsets = append(offsets, len(section))
		section = append(section, f.bitmap...)
	}
	return section, offsets
}

func (s *rawSpec) data(counterOffsets, bitmapOffsets []int) []byte {
	return s.section(func(w *rawBytes) {
		for i, f := range s.functions {
			here := rawDataAddress + uint64(len(w.b))
			if s.version < 8 {
				here = 0
			}
			w.words(disk.NameRef(f.name), f.hash)
			w.address(rawCounterAddress + uint64(counterOffsets[i]) - here)
			if s.version >= 11 {
				w.address(0x1234)
			}
			if s.version >= 9 {
				w.address(rawBitmapAddress + uint64(bitmapOffsets[i]) - here)
			}
			w.address(f.address)
			w.address(0x5678)
			w.numbers(&f)
			w.pad()
		}
	})
}

func (w *rawBytes) numbers(f *rawSpecFunction) {
	n := len(f.counts)
	if w.variant&VariantTemporal != 0 {
		n++
		if w.variant&VariantByteCoverage != 0 {
			n += 7
		}
	}
	w.put(4, uint64(n))
	w.put(2, uint64(len(f.sites[0])))
	w.put(2, uint64(len(f.sites[1])))
	if w.version >= 10 {
		w.put(2, uint64(len(f.sites[2])))
		w.put(2, 0x4242) // a hole, or the size of a wave
	}
	if w.version >= 9 {
		w.put(4, uint64(len(f.bitmap)))
	}
}

func (s *rawSpec) names() (names []string) {
	for _, f := range s.functions[:len(s.functions)-s.unnamed] {
		names = append(names, f.name)
	}
	return names
}

// readNameSection writes names as the linker puts them together: one chunk for each half of them.
func nameSection(t testing.TB, names []string, packed bool) (section []byte) {
	for _, half := range [][]string{names[:len(names)/2], names[len(names)/2:]} {
		text := []byte(strings.Join(half, "\x01"))
		if len(text) == 0 {
			continue
		}
		section = binary.AppendUvarint(section, uint64(len(text)))
		if packed {
			var z bytes.Buffer
			w := zlib.NewWriter(&z)
			if _, err := w.Write(text); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			section = binary.AppendUvarint(section, uint64(z.Len()))
			section = append(section, z.Bytes()...)
		} else {
			section = append(section, 0)
			section = append(section, text...)
		}
		section = append(section, 0, 0, 0)
	}
	return section
}

func (s *rawSpec) vtableSections(t testing.TB) (records, names []byte) {
	if s.version < 10 {
		return nil, nil
	}
	var all []string
	records = s.section(func(w *rawBytes) {
		for _, v := range s.vtables {
			w.words(disk.NameRef(v.name))
			w.address(v.address)
			w.put(4, uint64(v.size))
			w.pad()
			all = append(all, v.name)
		}
	})
	return records, nameSection(t, all, s.packed)
}

// values writes the block of a function that has sites.
func (w *rawBytes) values(f *rawSpecFunction) {
	start, kinds := len(w.b), 0
	for _, sites := range f.sites {
		if len(sites) > 0 {
			kinds++
		}
	}
	if kinds == 0 {
		return
	}
	block := w.section(func(w *rawBytes) {
		for kind, sites := range f.sites {
			if len(sites) == 0 {
				continue
			}
			w.put(4, uint64(kind))
			w.put(4, uint64(len(sites)))
			for _, s := range sites {
				w.put(1, uint64(len(s)))
			}
			w.pad()
			for _, s := range sites {
				for _, v := range s {
					w.words(v.Value, v.Count)
				}
			}
		}
	})
	w.put(4, uint64(len(block)+8))
	w.put(4, uint64(kinds))
	w.b = append(w.b, block...)
	if (len(w.b)-start)%8 != 0 {
		panic("a block of values that is not aligned")
	}
}
