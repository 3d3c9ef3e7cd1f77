package methoddata_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/layout"
)

// shape is the shape of a VM with two receiver rows and one row of a Ret.
var shape = disk.Shape{TypeRows: 2, BciRows: 1, Gap: 1}

// byNumber orders references by their numbers.
type byNumber struct{}

func (byNumber) CompareTypes(x, y uint32) int   { return cmp.Compare(x, y) }
func (byNumber) CompareMethods(x, y uint32) int { return cmp.Compare(x, y) }

// ref returns the cell of a reference.
func ref(number uint64) uint64 { return number << methoddata.RefShift }

// hotspotEntry returns one of HotSpot's entries.
func hotspotEntry(tag layout.Tag, bci uint16, cells ...uint64) disk.Entry {
	_, e := disk.NewEntry(nil, tag, 0, bci, 0, len(cells))
	return withCells(e, cells)
}

// wideEntry returns one of this format's entries.
func wideEntry(tag layout.Tag, sub layout.Sub, point int32, rows int, cells ...uint64) disk.Entry {
	_, e := disk.NewWide(nil, tag, 0, sub, point, len(cells), rows)
	return withCells(e, cells)
}

// receiversEntry returns the type profile of a call. Its rows are pairs of a type and a count.
func receiversEntry(point int32, other uint64, rows ...[2]uint64) disk.Entry {
	cells := []uint64{other, 0}
	for _, r := range rows {
		cells = append(cells, ref(r[0]), r[1])
	}
	return wideEntry(layout.TagReceivers, layout.SubVirtualCall, point, len(rows), cells...)
}

func withCells(e disk.Entry, cells []uint64) disk.Entry {
	for i, v := range cells {
		e.SetCell(i, v)
	}
	return e
}

// blockOf returns the block of a profile with these data entries.
func blockOf(entries ...disk.Entry) disk.Block {
	p := methoddata.BorrowParts()
	defer p.GiveBack()
	data := &p.Sections[disk.SectionData]
	for _, e := range entries {
		start := len(data.Bytes)
		data.Bytes = append(data.Bytes, e...)
		data.Add(start)
	}
	p.Encode()
	return slices.Clone(disk.Block(p.Block))
}

// entriesOf returns the data entries of a block as text.
func entriesOf(b disk.Block) (all []string) {
	methoddata.EachEntryIn(shape, b.Section(disk.SectionData), func(e disk.Entry) {
		var cells []uint64
		for i := range e.Cells() {
			cells = append(cells, e.Cell(i))
		}
		all = append(all, fmt.Sprintf("%s.%d@%d %d", e.Tag(), e.Sub(), e.Point(), cells))
	})
	return all
}

const (
	full     = math.MaxUint64
	freeRow  = math.MaxUint64 // the bci of a row of a Ret that is not in use
	nullSeen = disk.TypeNullSeen
	unknown  = disk.TypeUnknown
)

// oneOf sets EntryOneOf, which marks one of several entries.
func oneOf(e disk.Entry) disk.Entry {
	e.SetFlags(disk.EntryOneOf)
	return e
}

func minus(n int64) uint64 { return uint64(-n) }

// TestMergeOfTwoBlocks merges the entries of two blocks, in both orders.
func TestMergeOfTwoBlocks(t *testing.T) {
	t.Parallel()
	type entries []disk.Entry
	counters := func(counts ...uint64) disk.Entry { return wideEntry(layout.TagCounters, 0, 0, len(counts), counts...) }
	call := func(count, gap uint64, rows ...uint64) disk.Entry {
		return hotspotEntry(layout.TagVirtualCall, 7, append([]uint64{count, gap}, rows...)...)
	}
	for _, test := range []struct {
		name     string
		x, y     entries
		want     entries
		unmerged uint64
	}{
		{"counts are summed", entries{hotspotEntry(layout.TagBranch, 3, 10, 32, 5)},
			entries{hotspotEntry(layout.TagBranch, 3, 1, 32, 2)}, entries{hotspotEntry(layout.TagBranch, 3, 11, 32, 7)}, 0},
		{"sums saturate", entries{hotspotEntry(layout.TagJump, 3, full-1, 32)},
			entries{hotspotEntry(layout.TagJump, 3, 5, 32)}, entries{hotspotEntry(layout.TagJump, 3, full, 32)}, 0},
		{"other points stay apart", entries{counters(1)}, entries{hotspotEntry(layout.TagCounter, 2, 3)},
			entries{counters(1), hotspotEntry(layout.TagCounter, 2, 3)}, 0},
		{"the longer array stays", entries{counters(1, 2)}, entries{counters(5, 6, 7)}, entries{counters(5, 6, 7)}, 1},
		{"bits are united", entries{wideEntry(layout.TagBitmap, 0, 0, 2, 0b0101)},
			entries{wideEntry(layout.TagBitmap, 0, 0, 2, 0b0011)}, entries{wideEntry(layout.TagBitmap, 0, 0, 2, 0b0111)}, 0},
		{"rows are united, the highest count first", entries{receiversEntry(7, 1, [2]uint64{1, 10}, [2]uint64{2, 9})},
			entries{receiversEntry(7, 2, [2]uint64{2, 5}, [2]uint64{3, 10})},
			entries{receiversEntry(7, 3, [2]uint64{2, 14}, [2]uint64{1, 10}, [2]uint64{3, 10})}, 0},
		{"HotSpot's rows stay while they fit", entries{call(4, 1, ref(1), 10, 0, 0)},
			entries{call(5, 2, ref(2), 20, ref(1), 3)}, entries{call(9, 3, ref(2), 20, ref(1), 13)}, 0},
		{"HotSpot's rows that do not fit become wide",
			entries{call(4, 1, ref(1), 10, ref(2), 8)},
			entries{call(5, 0, ref(3), 20, 0, 0)},
			entries{receiversEntry(7, 9, [2]uint64{3, 20}, [2]uint64{1, 10}, [2]uint64{2, 8}),
				wideEntry(layout.TagCount, disk.SubUnprofiled, 7, 0, 1)}, 0},
		{"a failed type check is counted down",
			entries{hotspotEntry(layout.TagReceiverType, 7, minus(3), 0, ref(1), 1, 0, 0)},
			entries{hotspotEntry(layout.TagReceiverType, 7, minus(4), 0, ref(1), 1, 0, 0)},
			entries{hotspotEntry(layout.TagReceiverType, 7, minus(7), 0, ref(1), 2, 0, 0)}, 0},
		{"a free row of a Ret", entries{hotspotEntry(layout.TagRet, 7, 1, freeRow, 0, 0)},
			entries{hotspotEntry(layout.TagRet, 7, 2, 30, 4, 16)}, entries{hotspotEntry(layout.TagRet, 7, 3, 30, 4, 16)}, 0},
		{"returns that do not fit become successors",
			entries{hotspotEntry(layout.TagRet, 7, 1, 30, 4, 16)},
			entries{hotspotEntry(layout.TagRet, 7, 2, 40, 5, 24)},
			entries{hotspotEntry(layout.TagRet, 7, 3, freeRow, 0, 0),
				wideEntry(layout.TagSuccessors, disk.SubReturn, 7, 2, disk.PackSuccessor(30, 16), 4,
					disk.PackSuccessor(40, 24), 5)}, 0},
		{"one type of an argument stays", entries{hotspotEntry(layout.TagCallType, 7, 1, 2, 0, ref(1)|nullSeen)},
			entries{hotspotEntry(layout.TagCallType, 7, 1, 2, 0, ref(1))},
			entries{hotspotEntry(layout.TagCallType, 7, 2, 2, 0, ref(1)|nullSeen)}, 0},
		{"two types of an argument are unknown", entries{hotspotEntry(layout.TagCallType, 7, 1, 2, 0, ref(1)|nullSeen)},
			entries{hotspotEntry(layout.TagCallType, 7, 1, 2, 0, ref(2))},
			entries{hotspotEntry(layout.TagCallType, 7, 2, 2, 0, nullSeen|unknown)}, 0},
		{"values are keys, and 0 is one", entries{wideEntry(layout.TagValueSite, layout.SubMemOpSize, 0, 2, 0, 5, 64, 1)},
			entries{wideEntry(layout.TagValueSite, layout.SubMemOpSize, 0, 2, 64, 2, 0, 4)},
			entries{wideEntry(layout.TagValueSite, layout.SubMemOpSize, 0, 2, 0, 9, 64, 3)}, 0},
		{"equal words that were not decoded stay", entries{wideEntry(disk.TagUndecoded, 0, 0, 2, 14, 1)},
			entries{wideEntry(disk.TagUndecoded, 0, 0, 2, 14, 1)}, entries{wideEntry(disk.TagUndecoded, 0, 0, 2, 14, 1)}, 0},
		{"of words that were not decoded one entry stays", entries{wideEntry(disk.TagUndecoded, 0, 0, 2, 14, 1)},
			entries{wideEntry(disk.TagUndecoded, 0, 0, 2, 14, 2)},
			entries{oneOf(wideEntry(disk.TagUndecoded, 0, 0, 2, 14, 2))}, 0},
		{"the longer of words that were not decoded stays",
			entries{hotspotEntry(layout.TagCounter, 0, 5), wideEntry(disk.TagUndecoded, 0, 2, 2, 14, 9)},
			entries{hotspotEntry(layout.TagCounter, 0, 6), wideEntry(disk.TagUndecoded, 0, 2, 3, 14, 1, 1),
				hotspotEntry(layout.TagCounter, 3, 1)},
			entries{hotspotEntry(layout.TagCounter, 0, 11), oneOf(wideEntry(disk.TagUndecoded, 0, 2, 3, 14, 1, 1)),
				hotspotEntry(layout.TagCounter, 3, 1)}, 0},
		{"other kinds of a point stay apart",
			entries{wideEntry(layout.TagCount, layout.SubCalls, 7, 0, 5)},
			entries{wideEntry(layout.TagCount, layout.SubSamples, 7, 0, 6)},
			entries{wideEntry(layout.TagCount, layout.SubCalls, 7, 0, 5),
				wideEntry(layout.TagCount, layout.SubSamples, 7, 0, 6)}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := entriesOf(blockOf(test.want...))
			for _, order := range [][2]entries{{test.x, test.y}, {test.y, test.x}} {
				m := methoddata.Merger{Shape: shape, Refs: byNumber{}, Rules: methoddata.Rules{Weight: layout.WeightOne}}
				if got := entriesOf(m.Merge(blockOf(order[0]...), blockOf(order[1]...))); !slices.Equal(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
				if m.Unmerged != test.unmerged {
					t.Errorf("%d entries unmerged, want %d", m.Unmerged, test.unmerged)
				}
			}
		})
	}
}

// TestWeightIsOfTheSecondBlock: counts of the second block are multiplied, also in entries that the first block lacks.
func TestWeightIsOfTheSecondBlock(t *testing.T) {
	t.Parallel()
	m := methoddata.Merger{Shape: shape, Refs: byNumber{}, Rules: methoddata.Rules{Weight: layout.WeightOne * 5 / 2}}
	x := blockOf(hotspotEntry(layout.TagBranch, 3, 10, 32, 5))
	y := blockOf(hotspotEntry(layout.TagBranch, 3, 4, 32, 2), hotspotEntry(layout.TagCounter, 9, 6))
	want := entriesOf(blockOf(hotspotEntry(layout.TagBranch, 3, 20, 32, 10), hotspotEntry(layout.TagCounter, 9, 15)))
	if got := entriesOf(m.Merge(x, y)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSumsInPlaceAreTheMerge: if a block can be added in place, the result equals Merge's.
func TestSumsInPlaceAreTheMerge(t *testing.T) {
	t.Parallel()
	counter := func(n uint64) disk.Block {
		return blockOf(hotspotEntry(layout.TagCounter, 2, n), wideEntry(layout.TagCounters, 0, 9, 2, n, 2*n))
	}
	branch := blockOf(hotspotEntry(layout.TagBranch, 2, 5, 32, 5))
	m := methoddata.Merger{Shape: shape, Refs: byNumber{}, Rules: methoddata.Rules{Weight: 3 * layout.WeightOne}}
	merged := slices.Clone(m.Merge(counter(7), counter(5)))
	inPlace := counter(7)
	if !m.AddInPlace(inPlace, counter(5)) {
		t.Error("blocks that differ in counts alone are not added in place")
	}
	if !bytes.Equal(inPlace, merged) {
		t.Errorf("%q, want %q", entriesOf(inPlace), entriesOf(merged))
	}
	before := slices.Clone(inPlace)
	if m.AddInPlace(inPlace, branch) {
		t.Error("blocks with other entries are added in place")
	}
	if !bytes.Equal(inPlace, before) {
		t.Error("a block that could not be added in place has changed")
	}
}

// TestMergeOfFields merges the optional fields, each of which has a rule.
func TestMergeOfFields(t *testing.T) {
	t.Parallel()
	words := func(n ...uint32) (b []byte) {
		for _, v := range n {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	for _, test := range []struct {
		name       string
		field      disk.Presence
		x, y, want []byte
	}{
		{"the higher size", disk.HasSize, words(10, 640), words(12, 600), words(12, 640)},
		{"history saturates", disk.HasHistory, words(1, 2, 3, math.MaxUint32-1), words(4, 0, 0, 5),
			words(5, 2, 3, math.MaxUint32)},
		{"invocations are summed", disk.HasInvocations, words(7, 0), words(5, 1), words(12, 1)},
		{"only one has it", disk.HasInvocations, nil, words(5, 0), words(5, 0)},
		{"escape analysis that holds in both", disk.HasEscape, words(0b00011, 0, 0b11, 0, 0b01, 0, 0b01, 0),
			words(0b01001, 0, 0b10, 0, 0b11, 0, 0b10, 0), words(0b01001, 0, 0b10, 0, 0b01, 0, 0b11, 0)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			block := func(field []byte) disk.Block {
				p := methoddata.BorrowParts()
				defer p.GiveBack()
				if field != nil {
					f := p.Field(test.field)
					*f = append(*f, field...)
				}
				p.Encode()
				return slices.Clone(disk.Block(p.Block))
			}
			for _, order := range [][2][]byte{{test.x, test.y}, {test.y, test.x}} {
				m := methoddata.Merger{Shape: shape, Refs: byNumber{}, Rules: methoddata.Rules{Weight: layout.WeightOne}}
				if got := disk.Block(m.Merge(block(order[0]), block(order[1]))).Field(test.field); !bytes.Equal(got, test.want) {
					t.Errorf("%x, want %x", got, test.want)
				}
			}
		})
	}
}
