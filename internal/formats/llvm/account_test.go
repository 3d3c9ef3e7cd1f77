package llvm_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// requireSettled returns the archive of an import, and requires that nothing in it is unaccounted for.
func requireSettled(t testing.TB, in *formats.Imported) *reader.Store {
	t.Helper()
	_, report, err := in.Builder.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Unaccounted) > 0 {
		t.Errorf("unaccounted: %v, lost %v", report.Unaccounted, in.Lost)
	}
	return memstore.Open(t, in.Builder)
}

// inputTotals returns the totals of the files of an import.
func inputTotals(in *formats.Imported) ledger.Totals {
	a := in.Builder.Internal().Account()
	return a.Totals()
}

// requireExported exports an archive, and requires that the file has what the archive has, but for named losses.
func requireExported(t testing.TB, s *reader.Store, e codec.Exporter) {
	t.Helper()
	var file bytes.Buffer
	lost, err := formats.Export(t.Context(), &file, s, e)
	if err != nil {
		t.Fatal(err)
	}
	want, err := archived.Totals(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lost {
		if l.What == ledger.ReasonUnaccounted {
			t.Errorf("%s: lost %v", e.Format().Name, lost)
		}
		if l.Unit != "" {
			want[l.Unit] -= l.Amount
		}
	}
	for u, n := range want {
		if n == 0 {
			delete(want, u)
		}
	}
	if file.Len() == 0 {
		return // a front end's profile of nothing has no line
	}
	again, err := formats.Import(t.Context(), []formats.Input{{Name: "again", Reader: &file}}, formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, inputTotals(again)); diff != "" {
		t.Errorf("totals of an exported %s:\n%s\nlost %v", e.Format().Name, diff, lost)
	}
}

// TestEveryCountIsAccountedFor: odd profiles are imported and exported, and each count is in the archive and in the
// file, or is a named loss.
func TestEveryCountIsAccountedFor(t *testing.T) {
	seeds := uint64(30)
	if full.Enabled() {
		seeds = 300
	}
	for seed := range seeds {
		version := []int{7, 9, 10, 12, 13}[seed%5]
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			var inputs []formats.Input
			for i, file := range llvm.GeneratedFiles(t, seed, version) {
				in := formats.Input{Name: fmt.Sprintf("%d.prof", i), Reader: bytes.NewReader(file)}
				if seed%3 == 0 {
					in.Weight = layout.WeightOne * layout.Weight(1+i)
				}
				inputs = append(inputs, in)
			}
			in, err := formats.Import(t.Context(), inputs, formats.ImportOptions{
				Importers: []codec.Importer{&formats.LLVMImporter{AsLLVM: seed%2 == 0}}})
			if err != nil {
				t.Fatal(err)
			}
			s := requireSettled(t, in)
			requireExported(t, s, &llvm.IndexedExporter{Version: version, Sparse: seed%7 == 0})
			requireExported(t, s, &llvm.TextExporter{Sparse: seed%7 == 1})
		})
	}
}

// blockCounts is a judge of texts: it adds up the counters after each headline. Functions that begin with a mark have
// no counts.
func blockCounts(t testing.TB, text string) (sum uint64) {
	counting, first, marked := false, false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		n, err := strconv.ParseUint(line, 0, 64)
		switch {
		case strings.HasPrefix(line, "# Counter Values"):
			counting, first, marked = true, true, false
		case line == "" || line[0] == '#' || err != nil:
			counting = false
		case counting:
			marked = marked || first && n > 1<<64-3
			first = false
			if !marked {
				sum += n
			}
		}
	}
	return sum
}

// TestSamplesAreAccountedFor: each recorded file is imported without an unaccounted count, and has the total that
// llvm-profdata printed.
func TestSamplesAreAccountedFor(t *testing.T) {
	files, _ := filepath.Glob(llvm.SampleFolder + "/[0-9]*/*/*.prof*")
	if len(files) == 0 {
		t.Skip("no recorded samples next to the project")
	}
	for i, file := range files {
		if !full.Enabled() && i%8 > 0 {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in, err := formats.Import(t.Context(), []formats.Input{{Name: file, Reader: bytes.NewReader(data)}},
			formats.ImportOptions{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		s := requireSettled(t, in)
		requireExported(t, s, &llvm.IndexedExporter{Version: llvm.WrittenNewest})
		requireExported(t, s, &llvm.TextExporter{})
		if len(in.Lost) > 0 {
			t.Logf("%s: lost %v", file, in.Lost)
		}
		if strings.HasSuffix(file, ".profraw") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "x.proftext"))
		if err != nil {
			t.Fatal(err)
		}
		want := blockCounts(t, string(text))
		if got := inputTotals(in)[ledger.BlockCounts]; got != want {
			t.Errorf("%s: block counts of %d, llvm-profdata printed %d", file, got, want)
		}
	}
}
