package show

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/reader"
)

// column returns the texts of a column of a table, nil if there is no such table.
func column(t *testing.T, s *reader.Store, kind disk.TableKind, name string) (cells []string) {
	t.Helper()
	table, err := s.Table(kind)
	if err != nil {
		return nil
	}
	v := &tableView{s: s, t: table, columns: listing.TableColumns(s, table)}
	c, err := v.findColumn(name)
	if err != nil {
		t.Fatal(err)
	}
	for row := range table.Rows {
		text, err := c.Text(row)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, text)
	}
	return cells
}

// listedAfter returns the lines of a file after the first that begins with a mark,
// but for others that do; ok is false if there is no such file.
func listedAfter(path, mark string) (lines []string, ok bool) {
	data, err := os.ReadFile(path)
	_, text, _ := strings.Cut(string(data), "\n"+mark)
	_, text, _ = strings.Cut(text, "\n")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, strings.TrimSpace(mark)) {
			lines = append(lines, line)
		}
	}
	return lines, err == nil
}

// TestTablesAreWhatLLVMPrints: binary ids and temporal traces are those that
// llvm-profdata prints of the same profiles.
func TestTablesAreWhatLLVMPrints(t *testing.T) {
	profiles, _ := filepath.Glob("../../../../../shared/samples/llvm/*/*/x.profdata")
	if len(profiles) == 0 {
		t.Skip("no samples next to the project")
	}
	ids, traces := 0, 0
	for _, path := range profiles {
		in, err := formats.Import(context.Background(), formats.Files(path), formats.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := memstore.Open(t, in.Builder)
		want, ok := listedAfter(filepath.Join(filepath.Dir(path), "binids.txt"), "Binary IDs:")
		if got := column(t, s, disk.TableBinaryIDs, "bytes"); ok && !slices.Equal(got, want) {
			t.Errorf("%s: binary ids %v, llvm-profdata prints %v", path, got, want)
		}
		ids += len(want)
		want, ok = listedAfter(filepath.Join(filepath.Dir(path), "temporal.txt"), "  Temporal Profile Trace ")
		if got := column(t, s, disk.TableTraces, "function-id"); ok && !slices.Equal(got, want) {
			t.Errorf("%s: traces of %v, llvm-profdata prints %v", path, got, want)
		}
		traces += len(want)
	}
	if ids == 0 || traces == 0 {
		t.Errorf("%d binary ids and %d functions of traces were compared", ids, traces)
	}
}
