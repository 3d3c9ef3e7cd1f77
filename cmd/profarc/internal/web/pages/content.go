package pages

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/format/mapped"
	"github.com/profarc/profarc/internal/format/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A kindSize is what the profile points of a kind take of rw.
type kindSize struct {
	entries, bytes uint64
}

// A contentOfRW is what rw holds: points by their kinds, and the blocks around them.
type contentOfRW struct {
	kinds  map[layout.Tag]kindSize
	blocks kindSize // with their points
}

func contentTable(r *request) (*table, error) {
	held, err := gather(r, "what the profiles are made of", readContent)
	if err != nil {
		return nil, err
	}
	size := uint64(r.archive().Header().Region(disk.RegionRW).Size)
	t := newTable(r, "kinds", "What rw holds", textColumn("kind", "Kind of profile point"),
		textColumn("about", "What it is"), number("entries", "Number"),
		number("size", "size").in("bytes"), number("share", "Share of rw"))
	t.None = "It holds no profiles."
	add := func(name, about string, n, bytes uint64) {
		t.add(textCell(name), textCell(about), countCell(n), countCell(bytes), shareCell(shareOf(bytes, size)))
	}
	rest := held.blocks.bytes
	tags := slices.SortedFunc(maps.Keys(held.kinds), func(a, b layout.Tag) int {
		return cmp.Or(cmp.Compare(held.kinds[b].bytes, held.kinds[a].bytes), cmp.Compare(a, b))
	})
	for _, tag := range tags {
		k := held.kinds[tag]
		add((*mapped.Mapping)(r.archive().Mapping()).Shape().TagName(tag), analyze.About(tag), k.entries, k.bytes)
		rest -= min(rest, k.bytes)
	}
	if held.blocks.entries > 0 {
		add("heads of profiles",
			"of each its method, code and context, fields such as invocations and traps, and the directory of its points",
			held.blocks.entries, rest)
	}
	if gap := size - min(size, held.blocks.bytes); gap > 0 {
		add("beside the profiles", "zeros and room", 0, gap)
	}
	return t.fill(), nil
}

func readContent(ctx context.Context, s *Site, p *Progress) (*contentOfRW, error) {
	held := &contentOfRW{kinds: map[layout.Tag]kindSize{}}
	steps := poll.New(ctx)
	return held, eachMethod(ctx, s.Archive, p, func(m reader.Method) error {
		for q, err := range m.Profiles() {
			if err = cmp.Or(err, steps.Err()); err != nil {
				return err
			}
			held.add(q)
		}
		return nil
	})
}

func (held *contentOfRW) add(q reader.Profile) {
	held.blocks.add(len(disk.Block(q.Bytes())))
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		for e := range q.Section(section) {
			k := held.kinds[e.Tag()]
			k.add(len(e.Bytes()))
			held.kinds[e.Tag()] = k
		}
	}
}

func (k *kindSize) add(bytes int) { k.entries, k.bytes = k.entries+1, k.bytes+uint64(bytes) }
