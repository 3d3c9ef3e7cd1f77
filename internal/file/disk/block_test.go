package disk

import (
	"testing"

	"github.com/profarc/profarc/layout"
)

// The offset of a field is the sum of the sizes of all present fields before it.
func TestFieldsFollowEachOther(t *testing.T) {
	t.Parallel()
	const traps = 13                                                        // 16 bytes with padding
	sizes := [NumFields]int64{8, 8, 16, 8, 8, 8, 8, 8, 16, 8, 32, 8, 16, 8} // for HasTraps it is the minimum
	b := make(Block, 512)
	for have := range presenceEnd {
		clear(b)
		le.PutUint32(b[BlockPresence:], uint32(have))
		at := int64(BlockHeaderSize)
		for i := range NumFields {
			f := Presence(1) << i
			if got, ok := b.FieldOffset(f); got != at || ok != (have&f != 0) {
				t.Fatalf("presence 0b%b: field 0b%b at %d, %v, want %d", have, f, got, ok, at)
			}
			if have&f == 0 {
				continue
			}
			if f == HasTraps {
				le.PutUint32(b[at:], traps)
				at += 16
			}
			at += sizes[i]
		}
		if got, _ := b.FieldOffset(presenceEnd); got != at {
			t.Fatalf("presence 0b%b: fields end at %d, want %d", have, got, at)
		}
	}
}

// Sections follow each other after the fields, and Data returns what Section does.
func TestSectionsFollowEachOther(t *testing.T) {
	t.Parallel()
	b := make(Block, 1024)
	for have := range presenceEnd {
		clear(b)
		le.PutUint32(b[BlockPresence:], uint32(have))
		le.PutUint32(b[blockData:], 5)
		sizes := [...]int64{5 * Unit, 0, 0, 0, 0}
		if at, ok := b.FieldOffset(HasSections); ok {
			for i := range 3 {
				le.PutUint32(b[at+4*int64(i):], uint32(i+1))
				sizes[i+1] = int64(i+1) * Unit
			}
		}
		if at, ok := b.FieldOffset(HasDirectory); ok {
			le.PutUint32(b[at:], 7)
			sizes[4] = 7 * DirectoryRowSize
		}
		at, _ := b.FieldOffset(presenceEnd)
		for s := SectionData; s <= SectionDirectory; s++ {
			if got, want := b.SectionSpan(s), (layout.Span{Offset: at, Size: sizes[s]}); got != want {
				t.Fatalf("presence 0b%b: section %s is %v, want %v", have, s, got, want)
			}
			at += sizes[s]
		}
		start, entries, directory := b.Data()
		if span := b.SectionSpan(SectionData); start != span.Offset || int64(len(entries)) != span.Size ||
			int64(len(directory)) != sizes[4] {
			t.Fatalf("presence 0b%b: data at %d, %d bytes, a directory of %d", have, start, len(entries), len(directory))
		}
	}
}

// Fixed agrees with the sizes measured entry by entry.
func TestFixedSizes(t *testing.T) {
	t.Parallel()
	for _, shape := range []Shape{{}, {TypeRows: 2, BciRows: 2}, {TypeRows: 8, BciRows: 3, Gap: 1}} {
		fixed, known := shape.FixedSizes(), 0
		for tag := range fixed.Units {
			units := int(fixed.Units[tag])
			if units == 0 {
				continue
			}
			known++
			b := make([]byte, units*Unit+8)
			b[0] = byte(tag)
			e, _, err := shape.NextEntry(b)
			if err != nil || len(e) != units*Unit {
				t.Fatalf("%v: tag %d has %d units, measured %d bytes, %v", shape, tag, units, len(e), err)
			}
			pointers := 0
			for range shape.Pointers(e) {
				pointers++
			}
			if pointers != int(fixed.Pointers[tag]) {
				t.Errorf("%v: tag %d has %d pointers, counted %d", shape, tag, fixed.Pointers[tag], pointers)
			}
		}
		if known < 5 {
			t.Errorf("%v: only %d tags are of one size", shape, known)
		}
	}
}
