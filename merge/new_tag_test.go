package merge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// Tags that no version of the format has.
const (
	tagTyped = layout.Tag(200) // one count, one type
	tagRowed = layout.Tag(201) // rows of a type, a value and two counts, and a count and bits that stand once
)

// defineTags adds the tags to the table of schemas until the test ends.
func defineTags(t *testing.T) {
	cell := func(name string, kind disk.CellKind) disk.CellSpec { return disk.CellSpec{Name: name, Kind: kind} }
	t.Cleanup(disk.DefineSchema(tagTyped, disk.CellGroup{Cells: []disk.CellSpec{cell("count", disk.CellCount),
		cell("seen", disk.CellType)}}))
	t.Cleanup(disk.DefineSchema(tagRowed,
		disk.CellGroup{Cells: []disk.CellSpec{cell("count", disk.CellCount), cell("bits", disk.CellBits)}},
		disk.CellGroup{Name: "rows", Repeat: disk.PerRow, Cells: []disk.CellSpec{
			cell("type", disk.CellType), cell("value", disk.CellValue), cell("hits", disk.CellCount),
			cell("misses", disk.CellCount)}}))
}

// A typedCount is the content of an entry of tagTyped.
type typedCount struct {
	count uint64
	seen  string
}

// newRecording returns a builder, and a profile of one method in it.
func newRecording() (*builder.Builder, *builder.Profile) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	return b, b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 0)
}

// typedStore returns an archive of one profile with those entries at one point.
func typedStore(t *testing.T, entries ...typedCount) *reader.Store {
	t.Helper()
	b, p := newRecording()
	for _, e := range entries {
		seen := b.Type(builder.TypeKey{Name: e.seen})
		_, raw := disk.NewWide(nil, tagTyped, 0, 0, 7, 2, 0)
		raw.SetCell(0, e.count)
		p.Internal().Copy(disk.SectionData, raw, func(int, disk.CellKind) uint64 { return uint64(seen) })
	}
	testarchive.MustDone(t, p)
	return memstore.Open(t, b)
}

// mergedStore returns the archive of several, merged in their order.
func mergedStore(t *testing.T, archives ...*reader.Store) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for _, s := range archives {
		if err := merge.Into(context.Background(), b, s, merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	return memstore.Open(t, b)
}

// textOf returns the text of an archive.
func textOf(t *testing.T, s *reader.Store) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := (&text.Exporter{}).Export(&out, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// entryLines returns the lines of a text that show entries of a tag.
func entryLines(text string, tag layout.Tag) (lines []string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, tag.String()) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// overlapOf compares two archives.
func overlapOf(t *testing.T, a, b *reader.Store) float64 {
	t.Helper()
	r, err := compare.Stores(context.Background(), a, b, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Score == nil {
		t.Fatal("neither archive has counts")
	}
	return *r.Score
}

// TestMergeOfANewTag: entries of one point are of one thing only if they have the
// same type. It does not run in parallel: the table of schemas is shared.
func TestMergeOfANewTag(t *testing.T) {
	defineTags(t)
	x := typedStore(t, typedCount{3, "E1"})
	y := typedStore(t, typedCount{30, "E2"})
	z := typedStore(t, typedCount{5, "E2"}, typedCount{4, "E1"})
	for _, test := range []struct {
		name     string
		archives []*reader.Store
		want     []string
	}{
		{"other types", []*reader.Store{x, y}, []string{"@7 tag(200) count=3 seen=E1", "@7 tag(200) count=30 seen=E2"}},
		{"the same type", []*reader.Store{x, z}, []string{"@7 tag(200) count=7 seen=E1", "@7 tag(200) count=5 seen=E2"}},
		{"all", []*reader.Store{x, y, z}, []string{"@7 tag(200) count=7 seen=E1", "@7 tag(200) count=35 seen=E2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := textOf(t, mergedStore(t, test.archives...))
			if lines := entryLines(got, tagTyped); strings.Join(lines, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("%s: %q, want %q", test.name, lines, test.want)
			}
			reversed := make([]*reader.Store, 0, len(test.archives))
			for i := range test.archives {
				reversed = append(reversed, test.archives[len(test.archives)-1-i])
			}
			if again := textOf(t, mergedStore(t, reversed...)); again != got {
				t.Errorf("%s: in the other order the merge is\n%s\nand not\n%s", test.name, again, got)
			}
		})
	}
	checkDump(t, mergedStore(t, x, y, z))
}

// checkDump checks that the JSON dump has the entries of the merge of all.
func checkDump(t *testing.T, s *reader.Store) {
	t.Helper()
	var out bytes.Buffer
	if err := jsondump.WriteArchive(&out, s); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Errorf("not JSON: %s", out.Bytes())
	}
	for _, key := range []string{`"seen":`, `"count":7`, `"count":35`} {
		if !strings.Contains(strings.ReplaceAll(out.String(), `": `, `":`), key) {
			t.Errorf("no %s in %s", key, out.Bytes())
		}
	}
}

// TestDiffOfANewTag: counts are compared by what stands with them. It does not
// run in parallel: the table of schemas is shared.
func TestDiffOfANewTag(t *testing.T) {
	defineTags(t)
	x, y := typedStore(t, typedCount{3, "E1"}), typedStore(t, typedCount{30, "E2"})
	both := typedStore(t, typedCount{10, "E0"}, typedCount{10, "E2"})
	for _, test := range []struct {
		name string
		a, b *reader.Store
		want float64
	}{
		{"with itself", x, x, 1},
		{"another type", x, y, 0},
		{"one of two types", both, y, 0.5},
		{"one of two types, the other way round", y, both, 0.5},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := overlapOf(t, test.a, test.b); got != test.want {
				t.Errorf("%s: the overlap is %v, want %v", test.name, got, test.want)
			}
		})
	}
}

// rowedStore returns an archive of one profile with an entry of tagRowed: a count
// and bits, and rows of the number of a type, a value and two counts.
func rowedStore(t *testing.T, count, bits uint64, rows ...[4]uint64) *reader.Store {
	t.Helper()
	b, p := newRecording()
	_, raw := disk.NewWide(nil, tagRowed, 0, 0, 9, 2+4*len(rows), len(rows))
	raw.SetCell(0, count)
	raw.SetCell(1, bits)
	for i, row := range rows {
		for j, v := range row[1:] {
			raw.SetCell(2+4*i+1+j, v)
		}
	}
	p.Internal().Copy(disk.SectionData, raw, func(cell int, _ disk.CellKind) uint64 {
		return uint64(b.Type(builder.TypeKey{Name: string(rune('A' + rows[(cell-2)/4][0]))}))
	})
	testarchive.MustDone(t, p)
	return memstore.Open(t, b)
}

// rowsOf returns the rows of the only entry of an archive.
func rowsOf(t *testing.T, s *reader.Store) reader.Rows {
	t.Helper()
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			for e := range p.Entries() {
				if rows, ok := e.Rows(); ok {
					return rows
				}
			}
		}
	}
	t.Fatal("no entry has rows")
	return reader.Rows{}
}

// TestRowsOfANewTag: rows with the same keys are merged and compared. It does not
// run in parallel: the table of schemas is shared.
func TestRowsOfANewTag(t *testing.T) {
	defineTags(t)
	x := rowedStore(t, 1, 0b01, [4]uint64{2, 5, 10, 1}, [4]uint64{1, 5, 7, 0})
	y := rowedStore(t, 2, 0b10, [4]uint64{1, 5, 20, 2}, [4]uint64{1, 6, 1, 1}, [4]uint64{2, 5, 1, 0})
	want := rowedStore(t, 3, 0b11, [4]uint64{1, 5, 27, 2}, [4]uint64{2, 5, 11, 1}, [4]uint64{1, 6, 1, 1})
	for name, got := range map[string]*reader.Store{"x, y": mergedStore(t, x, y), "y, x": mergedStore(t, y, x)} {
		lines, wanted := entryLines(textOf(t, got), tagRowed), entryLines(textOf(t, want), tagRowed)
		if strings.Join(lines, "\n") != strings.Join(wanted, "\n") {
			t.Errorf("%s: %q, want %q", name, lines, wanted)
		}
		rows := rowsOf(t, got)
		if rows.Len() != 3 {
			t.Errorf("%s: the reader has %d rows, want 3", name, rows.Len())
		}
		if hits := rows.Cell(0, 2).Trained(); hits != 27 {
			t.Errorf("%s: the first row has %d hits, want 27", name, hits)
		}
		if count := rows.Head(0).Trained(); count != 3 {
			t.Errorf("%s: the entry has a count of %d, want 3", name, count)
		}
		if overlap := overlapOf(t, got, want); overlap != 1 {
			t.Errorf("%s: the overlap with the wanted entry is %v", name, overlap)
		}
	}
	if overlap := overlapOf(t, rowedStore(t, 0, 0, [4]uint64{1, 5, 3, 0}),
		rowedStore(t, 0, 0, [4]uint64{1, 6, 3, 0})); overlap != 0 {
		t.Errorf("rows with other values overlap by %v", overlap)
	}
}
