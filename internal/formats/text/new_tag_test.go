package text

import (
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// TestEntryOfANewTag: an entry kind that is only a row of the table of schemas appears in the text and comes
// back from it. It does not run in parallel: the table is shared.
func TestEntryOfANewTag(t *testing.T) {
	const wide, rowed = layout.Tag(200), layout.Tag(201)
	defer disk.DefineSchema(wide, disk.CellGroup{Cells: []disk.CellSpec{{Name: "count", Kind: disk.CellCount},
		{Name: "last_type", Kind: disk.CellType}}})()
	defer disk.DefineSchema(rowed, disk.CellGroup{Name: "rows", Repeat: disk.PerRow,
		Cells: []disk.CellSpec{{Name: "type", Kind: disk.CellType}, {Name: "count", Kind: disk.CellCount}}})()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	circle := b.Type(builder.TypeKey{Name: "shapes/Circle"})
	p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 0)
	circles := func(int, disk.CellKind) uint64 { return uint64(circle) }
	_, one := disk.NewWide(nil, wide, 0, 0, 7, 2, 0)
	one.SetCell(0, 42)
	p.Internal().Copy(disk.SectionData, one, circles)
	_, two := disk.NewWide(nil, rowed, 0, 0, -1, 4, 2)
	two.SetCell(1, 5)
	two.SetCell(3, 6)
	p.Internal().Copy(disk.SectionData, two, circles)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	data := bytesOf(t, b)
	text := write(t, data)
	for _, line := range []string{"    @7 tag(200) count=42 last-type=shapes/Circle\n",
		"    @-1 tag(201) shapes/Circle=5 shapes/Circle=6\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
	checkExact(t, data)
}
