package llvm

import (
	"encoding/binary"

	"github.com/profarc/profarc/internal/file/disk"
)

// smallText is a text by hand.
const smallText = `# a comment
:ir
:temporal_prof_traces
# Num Temporal Profile Traces:
2
9
3
main, f,a.cpp;_ZL3addll
1
f

main
# Func Hash:
0x8000000000000005
3
1
0
18446744073709551615
$2
0x01
255
2
0
2
3
f:12
elsewhere:5
** External Symbol **:2
0
2
1
1
std::vtable name:4

f
7
1
0
$swift
8
1
12
`

// smallIndexed returns an indexed file of a version: two names, and one has two
// hashes, in two buckets; and all sections that the version has.
func smallIndexed(version int) []byte {
	w := &rawBytes{rawSpec: &rawSpec{}}
	offsets := []int{32}
	w.words(indexedMagic, uint64(version)|uint64(VariantIR|VariantTemporal)<<55, 0, 0, 0)
	for _, since := range []int{8, 9, 10, 12} {
		if version >= since {
			offsets = append(offsets, len(w.b))
			w.words(0)
		}
	}
	if version >= 4 {
		w.words(1, 1, 42, 10000, 1, 1)
	}
	patch := func(i int) { binary.LittleEndian.PutUint64(w.b[offsets[i]:], uint64(len(w.b))) }
	buckets := []uint64{uint64(len(w.b)), 0}
	w.put(2, 1)
	w.item("f", version, 7)
	buckets[1] = uint64(len(w.b))
	w.put(2, 2)
	w.item("a.cpp;_ZL3addll", version, 9)
	if version >= 2 {
		w.item("main", version, 6, 5, 6)
	} else {
		w.item("main", version, 6)
	}
	w.pad()
	patch(0)
	w.words(4, 3, 0, buckets[1], buckets[0], 0)
	if version >= 9 {
		patch(2)
		w.words(16, 3, 0x636261)
	}
	if version >= 12 {
		patch(4)
		w.words(8)
		w.b = append(w.b, "\x06\x00_ZTV1A"...)
	}
	if version >= 10 {
		patch(3)
		w.words(1, 5, 3, 2, disk.NameRef("main"), disk.NameRef("f"))
	}
	return w.b
}

// item writes the records of a name, one for each hash.
func (w *rawBytes) item(name string, version int, hashes ...uint64) {
	data := w.section(func(w *rawBytes) {
		for _, h := range hashes {
			w.words(h)
			if version >= 2 {
				w.words(2)
			}
			w.words(h*10, 1)
			if version >= 11 {
				w.words(1, 0x81)
			}
			if version >= 3 {
				w.put(4, 40)
				w.put(4, 1)
				w.put(4, 0)
				w.put(4, 2)
				w.b = append(w.b, 0, 1, 0, 0, 0, 0, 0, 0)
				w.words(disk.NameRef("f"), h)
			}
		}
	})
	w.words(disk.NameRef(name), uint64(len(name)), uint64(len(data)))
	w.b = append(w.b, name...)
	w.b = append(w.b, data...)
}
