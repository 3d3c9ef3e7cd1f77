package llvm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
)

const correlatedProgram = `
#include <stdlib.h>
int twice(int x) { return x > 10 ? 2 * x : x; }
int main(int n, char **v) { int s = 0; for (int i = 0; i < 30; i++) s += twice(i); return s == 0; }
`

// TestAdviceOnCorrelatedFiles: what an error says to run makes the same counts as a build
// whose files hold everything.
func TestAdviceOnCorrelatedFiles(t *testing.T) {
	clang, profdata := tool(t, "clang", "19"), tool(t, "llvm-profdata", "19")
	dir := t.TempDir()
	save(t, dir, "a.c", []byte(correlatedProgram))
	build := func(program string, flags ...string) {
		t.Helper()
		run(t, dir, append([]string{clang, "-O1", "a.c", "-o", program}, flags...)...)
		t.Setenv("LLVM_PROFILE_FILE", program+".profraw")
		run(t, dir, filepath.Join(dir, program))
	}
	build("plain", "-fprofile-generate")
	want := indexedText(t, dir, "plain.profraw")
	for program, flags := range map[string][]string{
		"debug":  {"-fprofile-generate", "-g", "-mllvm", "-profile-correlate=debug-info"},
		"binary": {"-fprofile-generate", "-mllvm", "-profile-correlate=binary"},
	} {
		build(program, flags...)
		file, err := os.ReadFile(filepath.Join(dir, program+".profraw"))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = Read(bytes.NewReader(file), ReadOptions{})
		if !errors.Is(err, ErrCorrelated) {
			t.Fatalf("%s: %v", program, err)
		}
		_, advice, _ := strings.Cut(err.Error(), "run llvm-profdata ")
		advice, _, _ = strings.Cut(advice, " and import")
		advice = strings.NewReplacer("PROGRAM", program, "FILE", program+".profraw", "OUT", program).Replace(advice)
		run(t, dir, append([]string{profdata}, strings.Fields(advice)...)...)
		if got := indexedText(t, dir, program+".profdata"); got != want {
			t.Errorf("%s: with %q it is\n%s\nwant\n%s", program, advice, got, want)
		}
	}
}

// indexedText returns a file as LLVM's text.
func indexedText(t *testing.T, dir, name string) string {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := writeText(t, compatStore(t, 0, [][]byte{file}, nil), WriteOptions{})
	return string(text)
}

// TestMemProfAlone: a file is an error if nothing of it would be kept; one that has counts
// too is read, and losses are counted.
func TestMemProfAlone(t *testing.T) {
	file := func(text string) []byte {
		store := compatStore(t, 0, [][]byte{[]byte(text)}, nil)
		indexed, _ := writeIndexed(t, store, WriteOptions{Version: 8})
		le.PutUint64(indexed[8:], le.Uint64(indexed[8:])|uint64(VariantMemProf)<<variantShift)
		return indexed
	}
	if _, _, err := Read(bytes.NewReader(file(":ir\n")), ReadOptions{}); !errors.Is(err, ErrMemProf) {
		t.Errorf("without functions: %v", err)
	}
	_, r, err := Read(bytes.NewReader(file(":ir\nf\n1\n1\n5\n")), ReadOptions{})
	if err != nil || r.Functions != 1 || r.Lost.Count(LossMemProf) != 1 {
		t.Errorf("with a function: %+v, %v", r, err)
	}
	samples, _ := filepath.Glob("../../../../shared/samples/compilers/memprof/*.profdata")
	for _, name := range samples {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(bytes.NewReader(data), ReadOptions{}); !errors.Is(err, ErrMemProf) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNothingIsLostWithoutAVersion: of what a release of LLVM made, the default version
// holds all that the file of llvm-profdata holds.
func TestNothingIsLostWithoutAVersion(t *testing.T) {
	held := map[string]int{}
	for _, s := range samples(t) {
		b, _ := readInto(t, ReadOptions{}, s.profdata)
		store := memstore.Open(t, b)
		got, r := writeIndexed(t, store, WriteOptions{})
		if indexedVersion(got) != indexedVersion(s.profdata) {
			t.Errorf("%s: written as version %d, read as %d", s.name(), indexedVersion(got), indexedVersion(s.profdata))
		}
		requireSameContent(t, got, s.profdata)
		for _, l := range r.Lost {
			t.Errorf("%s: %d %s", s.name(), l.Count, l.What)
		}
		for _, kind := range []layout.TableKind{disk.TableBinaryIDs, disk.TableTraces} {
			if table, err := store.TableOrEmpty(kind); err == nil && table.Rows > 0 {
				held[fmt.Sprint(kind)]++
			}
		}
	}
	if len(held) != 2 {
		t.Errorf("samples hold %v", held)
	}
}
