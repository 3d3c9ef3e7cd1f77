package coverage

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/llvm/object"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A spec describes a program that is encoded as a compiler would.
type spec struct {
	order     binary.ByteOrder
	version   uint32
	packed    bool
	names     []string // of files; from version 6 on the first is the folder
	functions []functionSpec
}

type functionSpec struct {
	name        string
	hash        uint64
	files       []uint64
	expressions [][2]uint64
	regions     [][]regionSpec // by file
}

// A regionSpec is a region as it is encoded: the header and what follows from it, then
// lines since the region before, column, lines, column.
type regionSpec struct {
	header []uint64
	at     [4]uint64
}

func code(counter, line, column, lines, end uint64) regionSpec {
	return regionSpec{[]uint64{counter}, [4]uint64{line, column, lines, end}}
}

// Encoded counters and kinds of regions.
func ref(n uint64) uint64    { return n<<2 | tagReference }
func minus(n uint64) uint64  { return n<<2 | tagSubtraction }
func plus(n uint64) uint64   { return n<<2 | tagAddition }
func expand(n uint64) uint64 { return n<<3 | expansionBit }

const skip = uint64(skippedRegion) << kindBits

func numbers(b []byte, list ...uint64) []byte {
	for _, n := range list {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// encodedFiles is the list of the names of files.
func (s *spec) encodedFiles() []byte {
	var text []byte
	for _, name := range s.names {
		text = append(numbers(text, uint64(len(name))), name...)
	}
	b := numbers(nil, uint64(len(s.names)), uint64(len(text)))
	if !s.packed {
		return append(numbers(b, 0), text...)
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(text)
	z.Close()
	return append(numbers(b, uint64(packed.Len())), packed.Bytes()...)
}

func (f *functionSpec) encode() []byte {
	b := numbers(numbers(nil, uint64(len(f.files))), f.files...)
	b = numbers(b, uint64(len(f.expressions)))
	for _, e := range f.expressions {
		b = numbers(b, e[:]...)
	}
	for _, list := range f.regions {
		b = numbers(b, uint64(len(list)))
		for _, r := range list {
			b = numbers(numbers(b, r.header...), r.at[:]...)
		}
	}
	return b
}

func aligned(b []byte) []byte { return append(b, make([]byte, -len(b)&(alignment-1))...) }

// sections encodes the program.
func (s *spec) sections() *object.Sections {
	files := s.encodedFiles()
	covmap := make([]byte, headerSize)
	s.order.PutUint32(covmap[4:], uint32(len(files)))
	s.order.PutUint32(covmap[12:], s.version-1)
	covmap = aligned(append(covmap, files...))
	var covfun, names []byte
	for _, f := range s.functions {
		mapping, head := f.encode(), make([]byte, recordSize)
		s.order.PutUint64(head, disk.NameRef(f.name))
		s.order.PutUint32(head[8:], uint32(len(mapping)))
		s.order.PutUint64(head[12:], f.hash)
		s.order.PutUint64(head[20:], fileListHash(files))
		covfun = aligned(append(append(covfun, head...), mapping...))
		names = append(append(numbers(names, uint64(len(f.name)), 0), f.name...), 0)
	}
	list := func(b []byte) []object.Section { return []object.Section{{Data: b}} }
	return &object.Sections{Order: s.order, Covmap: list(covmap), Covfun: list(covfun), Names: list(names)}
}

func (s *spec) mapping(t testing.TB) *Mapping {
	t.Helper()
	m, err := newMapping("app", s.sections())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// small is a program with all kinds of regions and counters.
func small() *spec {
	return &spec{
		order: binary.LittleEndian, version: 7, packed: true, names: []string{"/src", "a.c", "/usr/b.h"},
		functions: []functionSpec{
			{"main", 0x1234, []uint64{1, 1, 2}, [][2]uint64{{ref(0), ref(1)}, {ref(0), ref(2)}}, [][]regionSpec{
				{
					code(ref(0), 3, 12, 9, 2),
					{[]uint64{uint64(branchRegion) << kindBits, ref(1), minus(0)}, [4]uint64{1, 7, 0, 12}},
					code(ref(1), 0, 14, 0, 20),
					code(minus(0), 1, 5, 0, 9|gapBit),
					code(expand(1), 1, 3, 0, 6),
					{[]uint64{skip}, [4]uint64{1, 0, 2, 0}},
					{[]uint64{uint64(decisionRegion) << kindBits, 0, 2}, [4]uint64{3, 1, 0, 5}},
					{[]uint64{uint64(mcdcRegion) << kindBits, ref(1), minus(0), 1, 2, 0}, [4]uint64{0, 1, 0, 5}},
					code(plus(1), 0, 6, 0, 9),
				},
				{code(expand(2), 1, 15, 0, 20)},
				{code(ref(2), 7, 1, 2, 3)},
			}},
			{"unused", 0, []uint64{1}, nil, [][]regionSpec{{code(0, 20, 1, 1, 2)}}},
		},
	}
}

// archiveOf returns an archive with the counters of functions, by name and hash.
func archiveOf(t testing.TB, functions map[string]map[uint64][]uint64) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainLLVMFrontend, builder.Config{})
	for name, hashes := range functions {
		m := b.Method(layout.Key{Name: name})
		for hash, counts := range hashes {
			p := b.ProfileIn(m, hash, profileset.NoContext)
			p.Counters(0, counts...)
			if err := p.Done(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return memstore.Open(t, b)
}

// A profile of the small program.
func smallArchive(t testing.TB) *reader.Store {
	return archiveOf(t, map[string]map[uint64][]uint64{"main": {0x1234: {10, 4, 3}}})
}
