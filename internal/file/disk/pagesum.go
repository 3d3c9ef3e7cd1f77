package disk

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/layout"
)

// A SumTree is the geometry of the page checksums. Level 0 has an XXH64 (seed 0) for every page of the span, in file
// order. Pages begin at multiples of [PageSize] in the file, so the first and the last may be partial. Each further
// level has a checksum for every group of 64 checksums (512 bytes) of the level below. The top level has at most 64
// checksums, and the header has its checksum, the root. In ps the levels follow one another from the top. The top is
// then next to the header, which every start reads.
type SumTree struct {
	span   layout.Span
	levels []checksumLevel
}

type checksumLevel struct{ first, count int64 }

// SumGroup is the number of checksums per group. Small groups make the first access to a page cheap.
const SumGroup = 64

func NewSumTree(span layout.Span) SumTree {
	t := SumTree{span: span}
	n := int64(0)
	if span.Size > 0 {
		n = (span.End()-1)>>PageShift - span.Offset>>PageShift + 1
	}
	for n > SumGroup {
		t.levels = append(t.levels, checksumLevel{count: n})
		n = (n + SumGroup - 1) / SumGroup
	}
	t.levels = append(t.levels, checksumLevel{count: n})
	first := int64(0)
	for i := range slices.Backward(t.levels) {
		t.levels[i].first = first
		first += t.levels[i].count
	}
	return t
}

// Size returns the size of all levels in bytes.
func (t SumTree) Size() int64             { return (t.levels[0].first + t.levels[0].count) * 8 }
func (t SumTree) Pages() int64            { return t.levels[0].count }
func (t SumTree) Page(offset int64) int64 { return offset>>PageShift - t.span.Offset>>PageShift }

func (t SumTree) PageSpan(n int64) layout.Span {
	from := (t.span.Offset>>PageShift + n) << PageShift
	to := min(from+PageSize, t.span.End())
	from = max(from, t.span.Offset)
	return layout.Span{Offset: from, Size: to - from}
}

func (t SumTree) TopSpan() layout.Span {
	last := t.levels[len(t.levels)-1]
	return layout.Span{Offset: last.first * 8, Size: last.count * 8}
}

func (t SumTree) Levels() int                         { return len(t.levels) }
func (t SumTree) SlotOffset(level int, n int64) int64 { return (t.levels[level].first + n) * 8 }
func (t SumTree) Count(level int) int64               { return t.levels[level].count }

// Group returns the span, relative to ps, of a group of checksums. Checksum number group of the next level covers it.
func (t SumTree) Group(level int, group int64) layout.Span {
	l := t.levels[level]
	from := group * SumGroup
	return layout.Span{Offset: (l.first + from) * 8, Size: min(SumGroup, l.count-from) * 8}
}

func GroupOf(n int64) int64 { return n / SumGroup }

// ComputeLevels computes the levels above 0 in ps, whose level 0 must be complete, and returns the root.
func (t SumTree) ComputeLevels(ps []byte) (root uint64) {
	for level := 1; level < len(t.levels); level++ {
		for n := range t.levels[level].count {
			g := t.Group(level-1, n)
			le.PutUint64(ps[t.SlotOffset(level, n):], Checksum(ps[g.Offset:g.End()]))
		}
	}
	top := t.TopSpan()
	return Checksum(ps[top.Offset:top.End()])
}

// Checksum returns the checksum of a page or a group: XXH64 with seed 0.
func Checksum(b []byte) uint64 { return xxhash.Sum64(b) }

// SumSlack returns the maximum number of zero bytes after the last level of a tree of size bytes. Allocating ps can
// move ix to a later page while rw stays on its boundary, so that fewer checksums are needed than allocated.
func SumSlack(size int64) int64 { return LineSize + AlignUp(size/256, Unit) }

// CopyAgain is the advice for an archive with wrong checksums.
const CopyAgain = "copy or write the archive again"

func ChecksumError(r layout.Region, part layout.Span, got, want uint64) *layout.Error {
	return &layout.Error{Region: r, Offset: part.Offset, Kind: layout.ErrChecksum,
		Detail: fmt.Sprintf("%d bytes sum to %016x, recorded is %016x", part.Size, got, want), Advice: CopyAgain}
}
