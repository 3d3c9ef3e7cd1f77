package hexdump

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var update = flag.Bool("update", false, "write the annotated archive of testdata/v1 anew")

const (
	page          = "../../../docs/format.md"
	annotatedPage = "../../../testdata/v1/annotated.md"
)

// exampleArchive returns the archive that testdata/v1/annotated.md shows: two methods of a HotSpot JVM, one of them
// with a second profile in a calling context, and a method that was never executed.
func exampleArchive(t *testing.T) []byte {
	t.Helper()
	var settings layout.Params
	settings.TypeProfileWidth = 1
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "Example VM 1", Params: settings})
	area := b.Method(layout.Key{Class: "Shapes", Name: "area", Signature: "(LShape;)D", Loader: "app"})
	main := b.Method(layout.Key{Class: "Shapes", Name: "main", Signature: "()V", Loader: "app"})
	b.Seen(b.Method(layout.Key{Class: "Usage", Name: "main", Signature: "()V"}))
	circle := b.Type(builder.TypeKey{Name: "Circle", Loader: "app"})

	p := b.ProfileIn(area, 0x0123456789abcdef, profileset.NoContext)
	p.Invocations(1000)
	p.VirtualCall(builder.At{Bci: 4}, builder.Others{Count: 20}, builder.Row{Type: circle, Count: 980})
	p.Branch(builder.At{Bci: 9}, builder.Branch{Taken: 700, Displacement: 48, NotTaken: 300})
	mustBeDone(t, p)

	p = b.ProfileIn(area, 0, b.Context(area, builder.Frame{Caller: main, Point: 7}))
	p.Count(builder.Count{Point: -1, Sub: layout.SubCalls, N: 40})
	mustBeDone(t, p)

	properties := b.Internal().Table(disk.TableProperties, 0, disk.ColumnSymbol, disk.ColumnSymbol)
	properties.Row(uint64(b.Internal().Symbol("os")), uint64(b.Internal().Symbol("none")))

	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustBeDone(t *testing.T, p *builder.Profile) {
	t.Helper()
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
}

// annotated returns the dump of an archive.
func annotated(t *testing.T, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := writeDump(&out, data); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// parseDump returns the bytes that a dump shows. It checks that the ranges follow each other.
func parseDump(t *testing.T, text string) (data []byte) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		offset, rest, _ := strings.Cut(line, "  ")
		if offset != fmt.Sprintf("%06x", len(data)) {
			t.Fatalf("%q follows %d bytes", line, len(data))
		}
		hex, _, _ := strings.Cut(strings.TrimSpace(rest), "  ")
		if n, ok := strings.CutPrefix(hex, "00 * "); ok {
			zeros, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, make([]byte, zeros)...)
			continue
		}
		for pair := range strings.FieldsSeq(hex) {
			b, err := strconv.ParseUint(pair, 16, 8)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			data = append(data, byte(b))
		}
	}
	return data
}

// TestPageShowsTheArchive compares the annotated archive of testdata/v1, its
// JSON dump and its sum with what the code writes.
func TestPageShowsTheArchive(t *testing.T) {
	t.Parallel()
	data := exampleArchive(t)
	text := readPage(t, annotatedPage)
	want := replaceBlock(t, text, "annotated", annotated(t, data))
	want = replaceBlock(t, want, "json", jsonDump(t, data))
	want = replaceBlock(t, want, "sum", fmt.Sprintf("size  %d\nXXH64 %016x\n", len(data), disk.Checksum(data)))
	if *update {
		if err := os.WriteFile(annotatedPage, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		text = want
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("testdata/v1/annotated.md shows another archive; go test ./internal/testkit/hexdump -update writes it anew:\n%s", diff)
	}
}

// TestPageHoldsTheArchive reads the archive back from the page.
func TestPageHoldsTheArchive(t *testing.T) {
	t.Parallel()
	if *update {
		t.Skip("the page is being written")
	}
	_, shown, _ := cutBlock(t, readPage(t, annotatedPage), "annotated")
	if !bytes.Equal(parseDump(t, shown), exampleArchive(t)) {
		t.Error("the bytes on the page are not those of the archive")
	}
}

// TestEveryByteIsNamed dumps the specimens, which have all kinds of records.
func TestEveryByteIsNamed(t *testing.T) {
	t.Parallel()
	for _, s := range specimen.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			data, err := s.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(parseDump(t, annotated(t, data)), data) {
				t.Error("the dump does not hold the archive")
			}
		})
	}
}

func TestNoArchiveIsAnError(t *testing.T) {
	t.Parallel()
	if err := writeDump(new(bytes.Buffer), []byte("not an archive")); err == nil {
		t.Error("a text was dumped")
	}
}

func jsonDump(t *testing.T, data []byte) string {
	t.Helper()
	var out bytes.Buffer
	m, err := archive.FromBytes("example.parc", data, archive.Options{CheckAll: true})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	defer s.Close()
	if err := jsondump.WriteArchive(&out, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// cutBlock returns the code block of the page behind a comment that names it,
// and the text before and after it.
func cutBlock(t *testing.T, text, name string) (before, block, after string) {
	t.Helper()
	mark := fmt.Sprintf("<!-- %s: written by go test ./internal/testkit/hexdump -update -->\n```\n", name)
	before, rest, found := strings.Cut(text, mark)
	block, after, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatalf("%s has no block %q", page, name)
	}
	return before + mark, block, "```\n" + after
}

func replaceBlock(t *testing.T, text, name, block string) string {
	t.Helper()
	before, _, after := cutBlock(t, text, name)
	return before + block + after
}

// TestPageSumVectors computes the vectors of docs/format.md for the tree of page
// sums: byte i of the file is i modulo 251.
func TestPageSumVectors(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(readPage(t, page), "| start | end | sums, level 0 first |")
	table, _, closed := strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")[2:]
	if !found || !closed || len(rows) < 4 {
		t.Fatalf("%s has no table of page sums", page)
	}
	for _, row := range rows {
		t.Run(row, func(t *testing.T) {
			t.Parallel()
			if got := pageSumVector(t, row); got != row {
				t.Errorf("the sums are %s", got)
			}
		})
	}
}

// pageSumVector returns what a row of the table should be, for its start and end.
func pageSumVector(t *testing.T, row string) string {
	t.Helper()
	var start, end int64
	if _, err := fmt.Sscanf(row, "| %d | %d |", &start, &end); err != nil {
		t.Fatal(err)
	}
	file := make([]byte, end)
	for i := range file {
		file[i] = byte(i % 251)
	}
	tree := disk.NewSumTree(layout.Span{Offset: start, Size: end - start})
	ps := make([]byte, tree.Size())
	for n := range tree.Pages() {
		covered := tree.PageSpan(n)
		binary.LittleEndian.PutUint64(ps[tree.SlotOffset(0, n):], disk.Checksum(file[covered.Offset:covered.End()]))
	}
	root := tree.ComputeLevels(ps)
	var sums []string
	for level := range tree.Levels() {
		sums = append(sums, strconv.FormatInt(tree.Count(level), 10))
	}
	return fmt.Sprintf("| %d | %d | %s | %016x | %016x |", start, end, strings.Join(sums, ", "),
		binary.LittleEndian.Uint64(ps[tree.SlotOffset(0, 0):]), root)
}

// TestCountsAndSummaryAreAtTheirOffsets compares the tables of docs/format.md
// that give the offsets of counts and summary with the annotated archive.
func TestCountsAndSummaryAreAtTheirOffsets(t *testing.T) {
	t.Parallel()
	text := readPage(t, page)
	shown := annotated(t, exampleArchive(t))
	for heading, label := range map[string]string{"| offset | type | count of |": "count of ",
		"| offset | type | value |": "summary: "} {
		t.Run(heading, func(t *testing.T) {
			_, table, found := strings.Cut(text, heading+"\n")
			table, _, closed := strings.Cut(table, "\n\n")
			rows := strings.Split(table, "\n")[1:]
			if !found || !closed || len(rows) < 4 {
				t.Fatalf("%s has no table %q", page, heading)
			}
			for _, row := range rows {
				cells := strings.Split(strings.Trim(row, "| "), " | ")
				offset, err := strconv.Atoi(cells[0])
				if err != nil {
					t.Fatal(err)
				}
				name, _, _ := strings.Cut(cells[2], ":")
				if name != "zero" {
					name = label + name
				}
				_, line, _ := strings.Cut(shown, fmt.Sprintf("\n%06x  ", offset))
				if line, _, _ = strings.Cut(line, "\n"); !strings.Contains(line, "  "+name) {
					t.Errorf("%s at offset %d on the page, %q in the archive", name, offset, line)
				}
			}
		})
	}
}
