package archive

import (
	"encoding/binary"
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/sparsebits"
	"github.com/profarc/profarc/layout"
)

// A pageSums checks pages against the tree of sums in ps. Everything on the way
// from the root in the header to a page is checked before the page's own sum is
// believed.
type pageSums struct {
	tree disk.SumTree
	root uint64
	data []byte      // the whole file
	ps   layout.Span // where the sums lie in it
	// checked has a bit for every page of the file, and after them one for
	// every group of 64 sums, level by level.
	checked *sparsebits.Set
	groups  []int64 // by level: the bit of its first group
}

// newPageSums costs the same for a file of any size, but for the few bytes that
// the set takes up front.
func newPageSums(h *layout.Header, data []byte) *pageSums {
	s := &pageSums{tree: disk.SumTreeOf(h), root: h.SumRoot, data: data, ps: h.Region(layout.RegionPS)}
	bits := (h.FileSize + disk.PageSize - 1) >> disk.PageShift
	for level := range s.tree.Levels() {
		s.groups = append(s.groups, bits)
		bits += s.groupCount(level)
	}
	s.checked = sparsebits.New(bits)
	return s
}

// groupCount is the number of groups of a level.
func (s *pageSums) groupCount(level int) int64 {
	if level+1 < s.tree.Levels() {
		return s.tree.Count(level + 1)
	}
	return 1
}

// touch checks all pages that a part of a region lies in, those that are not
// checked yet. Errors name that region, also where damage to its first page
// lies before it.
func (s *pageSums) touch(region layout.Region, part layout.Span) error {
	switch {
	case region == layout.RegionHeader || part.Size == 0:
		return nil
	case region == layout.RegionPS:
		return s.touchSums(part)
	}
	for n := s.tree.Page(part.Offset); n <= s.tree.Page(part.End()-1); n++ {
		if err := s.touchPage(region, n); err != nil {
			return err
		}
	}
	return nil
}

func (s *pageSums) touchPage(region layout.Region, n int64) error {
	bit := s.tree.PageSpan(n).Offset >> disk.PageShift
	if s.checked.Has(bit) {
		return nil
	}
	if err := s.touchGroup(0, disk.GroupOf(n)); err != nil {
		return err
	}
	if err := s.checkPage(region, n); err != nil {
		return err
	}
	s.checked.Add(bit)
	return nil
}

// touchGroup checks a group of sums and, before it, what its own sum hangs from.
func (s *pageSums) touchGroup(level int, group int64) error {
	bit := s.groups[level] + group
	if s.checked.Has(bit) {
		return nil
	}
	if level+1 < s.tree.Levels() {
		if err := s.touchGroup(level+1, disk.GroupOf(group)); err != nil {
			return err
		}
	}
	if err := s.checkGroup(level, group); err != nil {
		return err
	}
	s.checked.Add(bit)
	return nil
}

// touchSums checks the groups of all levels that a part of ps overlaps.
func (s *pageSums) touchSums(part layout.Span) error {
	for level := range s.tree.Levels() {
		for group := range s.groupCount(level) {
			g := s.groupSpan(level, group)
			if g.Offset >= part.End() || g.End() <= part.Offset {
				continue
			}
			if err := s.touchGroup(level, group); err != nil {
				return err
			}
		}
	}
	return s.checkPadding(part)
}

// checkPage compares a page with its sum.
func (s *pageSums) checkPage(region layout.Region, n int64) error {
	return s.compare(region, s.tree.PageSpan(n), s.sum(0, n))
}

// checkGroup compares a group with its sum: in the level above or, for the top,
// in the header.
func (s *pageSums) checkGroup(level int, group int64) error {
	want := s.root
	if level+1 < s.tree.Levels() {
		want = s.sum(level+1, group)
	}
	return s.compare(layout.RegionPS, s.groupSpan(level, group), want)
}

// copyAgain is the advice for an archive whose bytes differ from their sums.
const copyAgain = "copy or write the archive again"

func (s *pageSums) compare(region layout.Region, part layout.Span, want uint64) error {
	got := disk.Sum(s.data[part.Offset:part.End()])
	if got == want {
		return nil
	}
	return &layout.Error{Region: region, Offset: part.Offset, Kind: layout.ErrChecksum,
		Detail: fmt.Sprintf("%d bytes sum to %016x, recorded is %016x", part.Size, got, want), Advice: copyAgain}
}

// checkPadding finds what stands in the part of ps after the sums, and in the
// gap after it: no sum covers these few bytes, so they must be zero.
func (s *pageSums) checkPadding(part layout.Span) error {
	for at := max(part.Offset, s.ps.Offset+s.tree.Size()); at < part.End(); at++ {
		if s.data[at] != 0 {
			e := disk.Corrupt(layout.RegionPS, at, "byte 0x%02x where zeros belong", s.data[at])
			e.Advice = copyAgain
			return e
		}
	}
	return nil
}

// groupSpan is the place of a group in the file.
func (s *pageSums) groupSpan(level int, group int64) layout.Span {
	g := s.tree.Group(level, group)
	return layout.Span{Offset: s.ps.Offset + g.Offset, Size: g.Size}
}

// sum reads sum n of a level.
func (s *pageSums) sum(level int, n int64) uint64 {
	return binary.LittleEndian.Uint64(s.data[s.ps.Offset+s.tree.Slot(level, n):])
}
