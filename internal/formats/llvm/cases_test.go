package llvm_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/recording/merging"
)

func loadCase(t testing.TB, name string) formats.Input {
	t.Helper()
	data, err := os.ReadFile("testdata/cases/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return formats.Input{Name: name, Reader: bytes.NewReader(data)}
}

func textInput(name, text string) formats.Input {
	return formats.Input{Name: name, Reader: strings.NewReader(text)}
}

// TestImpossibleCounters: a counter above 2^56 fails the file with the name of the function, or only the function is
// left out.
func TestImpossibleCounters(t *testing.T) {
	in := []formats.Input{loadCase(t, "counter-too-large.profraw")}
	_, err := formats.Import(t.Context(), in, formats.ImportOptions{})
	if !errors.Is(err, llvm.ErrCounter) || !strings.Contains(err.Error(), "13612282381953553898") {
		t.Fatal(err)
	}
	in[0] = loadCase(t, in[0].Name)
	imported, err := formats.Import(t.Context(), in, formats.ImportOptions{SkipBad: true})
	if err != nil {
		t.Fatal(err)
	}
	requireSettled(t, imported)
	if n := imported.Lost.Count(llvm.LossCounter); n != 1 || imported.Methods == 0 ||
		!strings.HasPrefix(imported.Lost[0].First[0], "counter-too-large.profraw: ") {
		t.Errorf("%d methods, lost %v", imported.Methods, imported.Lost)
	}
}

// TestOldestProducerDecidesTheVersion: every compiler that made a part reads the export.
func TestOldestProducerDecidesTheVersion(t *testing.T) {
	names := []string{"clang14.profraw", "clang19.profraw"}
	for range 2 {
		slices.Reverse(names)
		imported, err := formats.Import(t.Context(), []formats.Input{loadCase(t, names[0]), loadCase(t, names[1])},
			formats.ImportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := formats.Export(t.Context(), &file, requireSettled(t, imported), &llvm.IndexedExporter{}); err != nil {
			t.Fatal(err)
		}
		if v := binary.LittleEndian.Uint32(file.Bytes()[8:]); v != 7 {
			t.Errorf("%v: version %d", names, v)
		}
	}
}

// TestOtherCodeIsNamed: counters of another number name the file, the line and the function.
func TestOtherCodeIsNamed(t *testing.T) {
	imported, err := formats.Import(t.Context(), []formats.Input{
		textInput("hc1.proftext", ":ir\nfoo\n1\n1\n100\n\nfoo\n2\n2\n5\n6\n"),
		textInput("hc2.proftext", ":ir\nfoo\n1\n1\n7\n\nfoo\n2\n3\n5\n6\n7\n")}, formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	requireSettled(t, imported)
	want := "hc2.proftext:9: foo: block counts differ (2, 3)"
	if len(imported.Lost) != 1 || !slices.Equal(imported.Lost[0].First, []string{want}) {
		t.Errorf("lost %v", imported.Lost)
	}
}

// TestEqualRunsAreTwo: two runs of one program with equal counts are added.
func TestEqualRunsAreTwo(t *testing.T) {
	one, err := formats.Import(t.Context(), []formats.Input{loadCase(t, "q1.profraw")}, formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	both, err := formats.Import(t.Context(), []formats.Input{loadCase(t, "q1.profraw"), loadCase(t, "q2.profraw")},
		formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	requireSettled(t, both)
	single := inputTotals(one)
	for u, n := range inputTotals(both) {
		if n != 2*single[u] {
			t.Errorf("%s: %d, of one %d", u, n, single[u])
		}
	}
}

// TestSecondInstrumentationIsNoOtherVersion: counters before and after inlining are of one code.
func TestSecondInstrumentationIsNoOtherVersion(t *testing.T) {
	imported, err := formats.Import(t.Context(),
		[]formats.Input{textInput("cs.proftext", ":csir\nfoo\n1\n1\n5\n\nfoo\n1152921504606846977\n1\n6\n")},
		formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []merging.Versions{merging.AllVersions, merging.HeaviestVersion} {
		if several, dropped, err := merging.KeepVersions(t.Context(), imported.Builder.Internal(), v); err != nil ||
			several+dropped != 0 {
			t.Errorf("%d with several, %d dropped: %v", several, dropped, err)
		}
	}
}

// TestCutFileIsSalvaged: counters and names are whole, and the account has why values are missing.
func TestCutFileIsSalvaged(t *testing.T) {
	imported, err := formats.Import(t.Context(), []formats.Input{loadCase(t, "cut2628.profraw")},
		formats.ImportOptions{Importers: []codec.Importer{&formats.LLVMImporter{Salvage: true}}})
	if err != nil {
		t.Fatal(err)
	}
	requireSettled(t, imported)
	a := imported.Builder.Internal().Account()
	if imported.Methods != 20 || imported.Lost.Count(llvm.LossCutValues) == 0 || len(a.Inputs) != 1 ||
		!strings.Contains(a.Inputs[0].Reason, "byte 2628") {
		t.Errorf("%d methods, lost %v, account %v", imported.Methods, imported.Lost, a)
	}
}
