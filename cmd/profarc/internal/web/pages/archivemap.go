package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const nameOfMap = "map"

var mapView = &view{
	name:  nameOfMap,
	title: "Archive map",
	about: "What the file is made of, region by region, in the order of docs/format.md.",
	build: buildMap,
}

type mapPage struct {
	Size     uint64
	Pages    uint64
	Sums     string // which pages have sums
	Regions  *table
	Sections *table
	Tables   *table // nil if the archive has none
	Kinds    *table // what rw holds; nil if that is still being counted
	Counting *unfinished
	Methods  link // to the methods that take most
}

var regionsAbout = map[string]string{
	"header": "what the archive is, and where its regions lie",
	"ps":     "a sum of each page of 4,096 bytes from ix to the end of the file",
	"ix":     "the hash index: lines of 64 bytes, each with ten slots, which lead from ids to profiles",
	"ro":     "names, types, methods and calling contexts, which are only read",
	"bm":     "where pointers lie in rw, so that it can be moved to another address",
	"ex":     "tables of what belongs to no method",
	"rw":     "the profiles: one block for each method, code and context, in which a VM counts on",
}

var sectionNames = [...]struct{ name, about string }{
	{"symbols", "texts: names and signatures, each once"},
	{"types", "classes and other types that were seen"},
	{"methods", "a record for each method with a profile or a context"},
	{"unexecuted", "methods that the run saw and did not execute"},
	{"contexts", "calling contexts, each a node below that of its caller"},
}

func buildMap(r *request) (any, error) {
	f, err := facts.Describe(r.archive(), 0)
	if err != nil {
		return nil, err
	}
	p := &mapPage{Size: uint64(f.Size), Pages: pagesOf(f.Size),
		Methods: linkTo(r.word("Methods by the bytes of their profiles"), nameOfMethods, newQuery("methods.sort", "-size"))}
	p.Regions = regionTable(r, f)
	p.Sections = sectionTable(r)
	p.Sums = sumsText(r.archive().Header())
	p.Tables, err = mapTables(r)
	if err != nil {
		return nil, err
	}
	p.Kinds, err = contentTable(r)
	if errors.As(err, &p.Counting) {
		return p, nil
	}
	return p, err
}

func sumsText(h *layout.Header) string {
	tree := disk.SumTreeOf(h)
	if tree.Pages() == 0 {
		return "None has a sum."
	}
	first := h.Region(disk.RegionIX).Offset >> disk.PageShift
	return fmt.Sprintf("The %s from %s to %s, which hold ix and what follows, each have a sum in ps. The header has "+
		"one over itself and the root of these.",
		plural(uint64(tree.Pages()), "page"), cli.Grouped(uint64(first)), cli.Grouped(uint64(first+tree.Pages()-1)))
}

func pagesOf(size int64) uint64 { return uint64(max(size-1, 0))>>disk.PageShift + 1 }

// regionTable returns the regions and the padding between them in the order of the file.
func regionTable(r *request, f *facts.Facts) *table {
	t := newTable(r, "regions", "Regions", textColumn("name", "Region"), textColumn("about", "What it holds"),
		number("offset", "offset"), number("size", "size").in("bytes"), number("share", "share"), number("pages", "pages"))
	end := int64(0)
	padding := func(to int64) {
		if size := uint64(to - end); to > end {
			t.addRow(textCell("padding"), textCell("zeros, so that what follows begins where it must"), countCell(end),
				countCell(size), shareCell(float64(size)/float64(f.Size)), noNumber)
		}
	}
	for _, g := range f.Regions {
		if g.Size == 0 {
			continue
		}
		padding(g.Offset)
		end = g.Offset + g.Size
		share := float64(g.Size) / float64(f.Size)
		t.addRow(textCell(g.Name), textCell(regionsAbout[g.Name]), countCell(g.Offset), countCell(g.Size), shareCell(share),
			countCell(uint64((g.Offset+g.Size-1)>>disk.PageShift-g.Offset>>disk.PageShift)+1))
	}
	padding(f.Size)
	return t.fill()
}

func sectionTable(r *request) *table {
	h := r.archive().Header()
	t := newTable(r, "sections", "Sections of ro", textColumn("name", "Section"), textColumn("about", "What it holds"),
		number("offset", "offset"), number("size", "size").in("bytes"), number("share", "share of the file"))
	for i, s := range sectionNames {
		if part := h.Parts[i]; part.Size > 0 {
			t.addRow(textCell(s.name), textCell(s.about),
				countCell(part.Offset), countCell(part.Size), shareCell(float64(part.Size)/float64(h.FileSize)))
		}
	}
	return t.fill()
}

// mapTables returns the tables of ex with their sizes, nil if there are none.
func mapTables(r *request) (*table, error) {
	t := newTable(r, "tables", "Tables in ex", textColumn("name", "Table"), number("rows", "rows"),
		number("columns", "columns"), number("size", "size").in("bytes"))
	for found, err := range r.archive().Tables() {
		if err != nil {
			return nil, err
		}
		size := 0
		for i := range found.Columns() {
			size += cellSize(found.Column(i)) * found.Rows
		}
		t.addRow(linkCell(rowsLink(found.Kind)), countCell(found.Rows), countCell(found.Columns()), countCell(size))
	}
	return t.unlessEmpty(), nil
}

func cellSize(k layout.ColumnKind) int {
	if k == layout.ColumnWord {
		return 8
	}
	return 4
}

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
		t.addRow(textCell(name), textCell(about), countCell(n), countCell(bytes), shareCell(shareOf(bytes, size)))
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
			held.addProfile(q)
		}
		return nil
	})
}

func (held *contentOfRW) addProfile(q reader.Profile) {
	held.blocks.add(len(disk.Block(q.Bytes())))
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		for e := range q.Section(section) {
			k := held.kinds[e.Tag()]
			k.add(len(e.Bytes()))
			held.kinds[e.Tag()] = k
		}
	}
}

func (k *kindSize) add(bytes int) {
	k.entries++
	k.bytes += uint64(bytes)
}
