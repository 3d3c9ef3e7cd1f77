package damage

import (
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// A forger creates invalid archives with valid checksums. It changes one reference of an archive at a time to any other
// offset.
type forger struct {
	data  []byte
	h     *layout.Header
	tree  disk.SumTree
	edits []edit // differences between the sound archive and data
}

// An edit changes eight bytes of an archive.
type edit struct {
	At       int64
	Old, New uint64
}

// newForger returns a forger of a copy of a sound archive.
func newForger(data []byte) (*forger, error) {
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		return nil, err
	}
	return &forger{data: append(words.AlignedBytes(len(data))[:0], data...), h: h, tree: disk.SumTreeOf(h)}, nil
}

// Bytes returns the archive. The next Set changes it.
func (f *forger) Bytes() []byte { return f.data }

// Set sets a reference to a value, and restores all other references.
func (f *forger) Set(r reference, value uint64) {
	f.Undo()
	f.putNumber(r.At, r.width(), value)
	f.updateChecksums()
}

// putNumber writes a number of width bytes, which must not cross a word.
func (f *forger) putNumber(at int64, width int, value uint64) {
	word := le.Uint64(f.data[at&^7:])
	shift := 8 * (at & 7)
	mask := uint64(1)<<(8*width) - 1 // all ones if width is 8
	f.replaceWord(at&^7, word&^(mask<<shift)|value&mask<<shift)
}

// Undo restores the sound archive.
func (f *forger) Undo() {
	for _, e := range slices.Backward(f.edits) {
		le.PutUint64(f.data[e.At:], e.Old)
	}
	f.edits = f.edits[:0]
}

// Edits returns the changes of the last Set, including checksums.
func (f *forger) Edits() []edit { return f.edits }

func (f *forger) replaceWord(at int64, word uint64) {
	f.edits = append(f.edits, edit{at, le.Uint64(f.data[at:]), word})
	le.PutUint64(f.data[at:], word)
}

// Offsets of header fields. countsAt to producerIDAt are the record counts and the summary.
const (
	headerSumAt  = 32
	sumRootAt    = 96
	countsAt     = 512
	producerIDAt = 608
)

// updateChecksums updates the checksums of the edited pages and of the header.
func (f *forger) updateChecksums() {
	root := uint64(0)
	for _, e := range slices.Clone(f.edits) {
		if e.At >= disk.ChecksummedSpan(f.h).Offset {
			root = f.updatePageChecksums(e.At)
		}
	}
	if root != 0 {
		f.replaceWord(sumRootAt, root)
	}
	old := le.Uint64(f.data[headerSumAt:])
	disk.UpdateChecksum(f.data)
	f.edits = append(f.edits, edit{headerSumAt, old, le.Uint64(f.data[headerSumAt:])})
}

// updatePageChecksums updates the page checksums that depend on the byte at an offset, and returns their root.
func (f *forger) updatePageChecksums(at int64) uint64 {
	ps := disk.RegionOf(f.h, disk.RegionPS).Offset
	n := f.tree.Page(at)
	page := f.tree.PageSpan(n)
	sum := disk.Checksum(f.data[page.Offset:page.End()])
	for level := 0; ; level++ {
		f.replaceWord(ps+f.tree.SlotOffset(level, n), sum)
		n = disk.GroupOf(n)
		group := f.tree.Group(level, n)
		sum = disk.Checksum(f.data[ps+group.Offset : ps+group.End()])
		if level+1 == f.tree.Levels() {
			return sum
		}
	}
}

func (r *reference) width() int {
	if r.Form == narrowForm || r.Form == entryForm {
		return 4
	}
	return 8
}

// Values iterates over values of a reference for all units of the file, for some offsets past its end and, if the form
// can express them, between units. Of the zeros before rw, it uses the ends and every 64th unit.
func (f *forger) Values(r reference) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for at := int64(0); at <= f.h.FileSize; at += disk.Unit {
			if f.isSkipped(at) {
				continue
			}
			for _, v := range f.encodings(r, at) {
				if !yield(v) {
					return
				}
			}
		}
		for _, v := range []uint64{f.h.Base - 8, 1<<29 - 1, 1 << 29, 1<<31 - 1, 1<<32 - 1, 1<<63 - 1, 1<<64 - 1} {
			if !yield(v) {
				return
			}
		}
	}
}

// isSkipped reports whether Values skips an offset between ex and rw.
func (f *forger) isSkipped(at int64) bool {
	from := disk.RegionOf(f.h, disk.RegionEX).End()
	to := disk.RegionOf(f.h, disk.RegionRW).Offset
	return at >= from+64 && at < to-64 && at%512 != 0
}

// encodings returns the values of a reference for an offset and for some offsets between it and the next unit.
func (f *forger) encodings(r reference, at int64) []uint64 {
	switch r.Form {
	case narrowForm:
		return []uint64{uint64(at / disk.Unit)}
	case entryForm:
		return []uint64{uint64((at - r.base) / disk.Unit)}
	case offsetForm:
		return []uint64{uint64(at), uint64(at) + 4}
	}
	v := f.h.Base + uint64(at)
	if at%64 == 0 { // a sample is enough
		return []uint64{v, v + 1, v + 2, v + 3, v + 4}
	}
	return []uint64{v, v + 2}
}

// pickOneIn returns a function that pseudorandomly selects one of n changes. The selection depends only on name. If
// PROFARC_EXHAUSTIVE is set, it selects all changes.
func pickOneIn(n int, name string) (pick func() bool) {
	if n <= 1 || os.Getenv("PROFARC_EXHAUSTIVE") != "" {
		return func() bool { return true }
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 0))
	return func() bool { return r.IntN(n) == 0 }
}

// eachForgery calls yield with forgeries of a sound archive that pick selects. It first changes each reference and then
// each word. The arguments of yield are valid during the call.
func eachForgery(data []byte, pick func() bool, yield func(f *forger, r reference, value uint64)) error {
	f, err := newForger(data)
	if err != nil {
		return err
	}
	references, err := listReferences(data)
	if err != nil {
		return err
	}
	try := func(r reference, values iter.Seq[uint64]) {
		for value := range values {
			if pick() {
				f.Set(r, value)
				yield(f, r, value)
			}
		}
	}
	for _, r := range references {
		try(r, f.Values(r))
	}
	for _, r := range f.words() {
		try(r, slices.Values(f.numbers(r)))
	}
	return nil
}

// words returns each u32 after the page checksums as a reference.
func (f *forger) words() (all []reference) {
	for r := disk.ChecksummedSpan(f.h).Offset; r < f.h.FileSize; r += 4 {
		if !f.isSkipped(r) {
			all = append(all, reference{What: "word of " + disk.RegionAt(f.h, r).String(), At: r, Form: narrowForm})
		}
	}
	return all
}

// numbers returns values for a word that is a number, a size or flags.
func (f *forger) numbers(r reference) []uint64 {
	f.Undo()
	old := uint64(le.Uint32(f.data[r.At:]))
	values := []uint64{0, 1, old + 1, old - 1, 2 * old, 1<<31 - 1, 1<<32 - 1, old ^ 1<<31}
	for bit := range 24 {
		values = append(values, old^1<<bit)
	}
	return values
}
