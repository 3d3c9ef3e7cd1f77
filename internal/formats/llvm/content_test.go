package llvm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// content is what an archive holds of LLVM's, in a form that can be compared.
type content struct {
	Domain    layout.Domain
	Variant   Variant
	Version   uint32
	Functions map[string]counted // by name and hash
	Unrun     []string           // names that were seen and have no counts
	BinaryIDs []string
	VTables   []string
	Traces    [][]uint64 // weight, then functions
	Stream    []string
}

type counted struct {
	Counts []uint64
	Sites  map[string][]builder.Value // by kind and number
	Bitmap string
}

// readInto reads files one after the other into one archive, and returns the report of the last.
func readInto(t testing.TB, o ReadOptions, files ...[]byte) (b *builder.Builder, last *Report) {
	t.Helper()
	for _, f := range files {
		b, report, err := Read(bytes.NewReader(f), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Into, last = b, report
	}
	return o.Into, last
}

// contentOf reads files into an archive and returns its content.
func contentOf(t testing.TB, files ...[]byte) *content {
	t.Helper()
	b, report := readInto(t, ReadOptions{Name: "test"}, files...)
	c := contentOfBuilder(t, b)
	c.Variant, c.Version = Variant(report.Params.LLVMVariant), report.Params.LLVMVersion
	return c
}

func contentOfBuilder(t testing.TB, b *builder.Builder) *content {
	t.Helper()
	s := memstore.Open(t, b)
	h := s.Header()
	c := &content{Domain: h.Domain, Variant: Variant(h.Params.LLVMVariant), Version: h.Params.LLVMVersion,
		Functions: map[string]counted{}}
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		c.method(t, m)
	}
	c.tables(t, s)
	return c
}

func (c *content) method(t testing.TB, m reader.Method) {
	key, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	if m.Unexecuted() {
		c.Unrun = append(c.Unrun, key.Name)
	}
	for p, err := range m.Profiles() {
		if err != nil {
			t.Fatal(err)
		}
		c.Functions[fmt.Sprintf("%s %016x", key.Name, p.Code())] = countedOf(p)
	}
}

// countedOf takes a profile apart. Values of a site are put in order, and equal ones together.
func countedOf(p reader.Profile) counted {
	f := counted{Sites: map[string][]builder.Value{}}
	for e := range p.Entries() {
		raw := disk.Entry(e.Bytes())
		switch e.Tag() {
		case layout.TagCounters:
			f.Counts = make([]uint64, raw.Rows())
			for i := range f.Counts {
				f.Counts[i] = raw.Cell(i)
			}
		case layout.TagBitmap:
			b, _ := e.Bitmap()
			f.Bitmap = fmt.Sprintf("%x", b)
		case layout.TagValueSite:
			var values []builder.Value
			for i := range raw.Rows() {
				values = append(values, builder.Value{Value: raw.Cell(2 * i), Count: raw.Cell(2*i + 1)})
			}
			f.Sites[fmt.Sprint(e.Sub(), " ", e.Point())] = summed(values)
		}
	}
	return f
}

func summed(values []builder.Value) (all []builder.Value) {
	slices.SortFunc(values, func(a, b builder.Value) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Count, b.Count))
	})
	for _, v := range values {
		if n := len(all); n > 0 && all[n-1].Value == v.Value {
			all[n-1].Count += v.Count
		} else {
			all = append(all, v)
		}
	}
	return all
}

func (c *content) tables(t testing.TB, s *reader.Store) {
	eachTableRow(t, s, disk.TableBinaryIDs, func(row []uint64) {
		c.BinaryIDs = append(c.BinaryIDs, fmt.Sprintf("%x", symbolText(t, s, row[0])))
	})
	eachTableRow(t, s, disk.TableVTables, func(row []uint64) { c.VTables = append(c.VTables, symbolText(t, s, row[0])) })
	eachTableRow(t, s, disk.TableProperties, func(row []uint64) {
		if symbolText(t, s, row[0]) == PropertyStreamSize {
			c.Stream = append(c.Stream, symbolText(t, s, row[1]))
		}
	})
	last := ^uint64(0)
	eachTableRow(t, s, disk.TableTraces, func(row []uint64) {
		if row[0] != last {
			c.Traces = append(c.Traces, []uint64{row[1]})
			last = row[0]
		}
		n := len(c.Traces) - 1
		c.Traces[n] = append(c.Traces[n], row[2])
	})
	slices.Sort(c.BinaryIDs)
	slices.Sort(c.VTables)
	slices.SortFunc(c.Traces, slices.Compare)
}

func eachTableRow(t testing.TB, s *reader.Store, kind disk.TableKind, yield func(row []uint64)) {
	t.Helper()
	table, err := s.Table(kind)
	if errors.Is(err, reader.ErrNotFound) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for r := range table.Rows {
		row := make([]uint64, table.Columns())
		for i := range row {
			row[i] = table.Cell(i, r)
		}
		yield(row)
	}
}

func symbolText(t testing.TB, s *reader.Store, cell uint64) string {
	t.Helper()
	name, err := s.SymbolAt(layout.Ref(cell))
	if err != nil {
		t.Fatal(err)
	}
	return name.String()
}

// sampleFolder has what LLVM's own tools wrote.
const sampleFolder = "../../../../shared/samples/llvm"

// A sample is one program, compiled by one LLVM.
type sample struct {
	dir      string
	release  string // of LLVM
	raws     [][]byte
	profdata []byte
	proftext []byte
}

// samples returns all samples, or skips the test.
func samples(t testing.TB) (all []sample) {
	dirs, _ := filepath.Glob(sampleFolder + "/[0-9]*/*")
	if len(dirs) == 0 {
		t.Skip("no recorded samples next to the project")
	}
	for _, dir := range dirs {
		s := sample{dir: dir, release: filepath.Base(filepath.Dir(dir)), profdata: mustLoad(t, dir+"/x.profdata"),
			proftext: mustLoad(t, dir+"/x.proftext")}
		raws, _ := filepath.Glob(dir + "/*.profraw")
		for _, r := range raws {
			s.raws = append(s.raws, mustLoad(t, r))
		}
		all = append(all, s)
	}
	return all
}

func mustLoad(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
