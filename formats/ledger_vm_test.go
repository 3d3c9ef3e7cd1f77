package formats_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/formats/jamaica"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
)

// settled returns the archive of a builder, whose account must balance, and its account.
func settled(t testarchive.TB, b *builder.Builder) (testarchive.Archive, ledger.Account) {
	t.Helper()
	data, report, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Unaccounted) > 0 {
		t.Fatalf("unaccounted: %+v", report.Unaccounted)
	}
	a := testarchive.Archive{Store: testarchive.Open(t, data), Bytes: data}
	account, err := archived.Account(a.Store)
	if err != nil {
		t.Fatal(err)
	}
	return a, account
}

// imported returns the archive of a file, and the totals of its input.
func imported(t testarchive.TB, name string, content []byte, i codec.Importer) (testarchive.Archive, ledger.Totals) {
	t.Helper()
	in, err := formats.Import(t.Context(), []formats.Input{{Name: name, Reader: bytes.NewReader(content)}},
		formats.ImportOptions{Importers: []codec.Importer{i}})
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	a, account := settled(t, in.Builder)
	return a, account.Totals()
}

// exported returns the export of an archive, which must account for all counts, and its totals.
func exported(t testarchive.TB, a testarchive.Archive, e codec.Exporter) ([]byte, ledger.Totals) {
	t.Helper()
	var out bytes.Buffer
	lost, err := formats.Export(t.Context(), &out, a.Store, e)
	if err != nil {
		t.Fatal(err)
	}
	if lost.Count(ledger.ReasonUnaccounted) > 0 || slices.ContainsFunc(lost, func(l codec.Loss) bool {
		return l.What == ledger.ReasonUnaccounted
	}) {
		t.Fatalf("unaccounted: %+v", lost)
	}
	report, err := e.Export(&bytes.Buffer{}, a.Store)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), report.Totals
}

// Random archives are exported with all counts written or named as lost, and the export has the totals that its import
// finds, which are all in the archive again.
func TestExportsOfVMsAreAccounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		for _, f := range []struct {
			domain   layout.Domain
			exporter codec.Exporter
			importer codec.Importer
		}{
			{layout.DomainHotSpot, &hotspot.Exporter{}, &hotspot.Importer{}},
			{layout.DomainGraal, &iprof.Exporter{}, &iprof.Importer{}},
			{layout.DomainGraal, &iprof.Exporter{Version: "0.4.0", Prune: true}, &iprof.Importer{}},
			{layout.DomainJamaica, &jamaica.Exporter{}, &jamaica.Importer{}},
		} {
			content, written := exported(t, testarchive.DrawRun(rt, f.domain, f.domain.String()), f.exporter)
			if len(written) == 0 {
				continue
			}
			_, read := imported(t, "random", content, f.importer)
			for _, totals := range []ledger.Totals{written, read} { // a file of iprof has them in one list
				totals.Add(ledger.Invocations, totals[ledger.Calls])
				delete(totals, ledger.Calls)
			}
			if diff := cmp.Diff(written, read); diff != "" {
				rt.Fatalf("%v: other totals by way of the file (-written +read):\n%s\n%s", f.domain, diff, content)
			}
		}
	})
}

// withAccount adds an input to a builder and returns its archive.
func withAccount(t testarchive.TB, b *builder.Builder, totals ledger.Totals) testarchive.Archive {
	t.Helper()
	b.Internal().AddInput(ledger.Input{Name: "run", Format: "iprof", State: ledger.Read, Hash: 5, Times: 1,
		Totals: totals})
	b.Internal().AddLoss(ledger.Loss{Operation: "import", Reason: "odd lines", Things: 3,
		First: "run:1: odd\nrun:2: odder"})
	a, _ := settled(t, b)
	return a
}

// The text of an archive carries its account. Its import adds nothing, so that the archive has the same bytes again.
func TestTextsCarryTheAccount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		domain := layout.Domain(rapid.IntRange(int(layout.DomainHotSpot), int(layout.DomainSampled)).Draw(rt, "domain"))
		bare, written := exported(t, testarchive.DrawRun(rt, domain, "run"), &text.Exporter{})
		report, err := (&text.Importer{}).Import(&codec.Input{Reader: bytes.NewReader(bare)})
		if errors.Is(err, text.ErrSyntax) {
			return // a table that the domain does not have
		}
		if err != nil {
			rt.Fatal(err)
		}
		a := withAccount(t, report.Dumps[0], written)
		if total, err := archived.Totals(a.Store); err != nil || !maps.Equal(written, total) {
			rt.Fatalf("the text has %v, the archive %v, %v", written, total, err)
		}
		full, _ := exported(t, a, &text.Exporter{})
		again, _ := imported(t, "other.txt", full, &text.Importer{})
		if !bytes.Equal(again.Bytes, a.Bytes) {
			other, _ := exported(t, again, &text.Exporter{})
			rt.Fatalf("another archive by way of the text:\n%s", cmp.Diff(strings.Split(string(full), "\n"),
				strings.Split(string(other), "\n")))
		}
		_, json := exported(t, a, &jsondump.Exporter{})
		if !maps.Equal(json, written) {
			rt.Fatalf("the JSON has %v, the archive %v", json, written)
		}
	})
}

// A changed text has a row of its own for the difference.
func TestChangedTextsAreAccounted(t *testing.T) {
	t.Parallel()
	r, err := (&text.Importer{}).Import(&codec.Input{Reader: strings.NewReader(graalText)})
	if err != nil {
		t.Fatal(err)
	}
	a := withAccount(t, r.Dumps[0], r.Totals)
	full, _ := exported(t, a, &text.Exporter{})
	changed := bytes.Replace(full, []byte("Count calls 5"), []byte("Count calls 7"), 1)
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "b.txt", Reader: bytes.NewReader(changed)}},
		formats.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, account := settled(t, in.Builder)
	if i := slices.IndexFunc(account.Losses, func(l ledger.Loss) bool { return l.Gained && l.Amount == 2 }); i < 0 {
		t.Errorf("the account has no gain of 2: %+v", account.Losses)
	}
}

// Each run of a JamaicaVM's text has an account of its own.
func TestRunsHaveAccountsOfTheirOwn(t *testing.T) {
	t.Parallel()
	in, err := formats.Import(t.Context(), []formats.Input{input("a.prof",
		"PROFILE: 1 (100%) A.m()V\nnot a line\nPROFILE: 20 (100%) A.m()V\n")},
		formats.ImportOptions{Importers: []codec.Importer{&formats.JamaicaImporter{Runs: true}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range in.Runs {
		_, account := settled(t, run)
		if n, want := account.Totals()[ledger.Bytecodes], []uint64{1, 20}[i]; n != want {
			t.Errorf("run %d has %d bytecodes, want %d", i, n, want)
		}
	}
}

// Files of VMs are imported with all their counts, and a way through an export changes no total.
func TestSamplesOfVMsAreAccounted(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		pattern  string
		importer codec.Importer
		exporter codec.Exporter
	}{
		{"hotspot/*print*.txt*", &hotspot.Importer{}, &hotspot.Exporter{}},
		{"iprof/*.iprof*", &iprof.Importer{}, &iprof.Exporter{}},
	} {
		names, _ := filepath.Glob(filepath.Join("..", "..", "shared", "samples", filepath.FromSlash(f.pattern)))
		for _, name := range names {
			t.Run(filepath.Base(name), func(t *testing.T) {
				content, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				a, totals := imported(t, name, content, f.importer)
				out, _ := exported(t, a, f.exporter)
				_, again := imported(t, "again", out, f.importer)
				if diff := cmp.Diff(totals, again); diff != "" {
					t.Errorf("other totals by way of an export:\n%s", diff)
				}
			})
		}
	}
}
