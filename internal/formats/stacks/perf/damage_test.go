package perf_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks/perf"
	"github.com/profarc/profarc/internal/testkit/full"
)

// TestDamagedPrograms: a program with changed bytes gives an error or a profile.
func TestDamagedPrograms(t *testing.T) {
	full.Only(t, "compiles a program")
	if _, err := exec.LookPath("clang++-19"); err != nil {
		t.Skip(err)
	}
	for _, probes := range []string{"-g", "-fpseudo-probe-for-profiling"} {
		app := filepath.Join(t.TempDir(), "app")
		mustRun(t, "clang++-19", "-x", "c++", "-O2", "-g", probes, "-no-pie", "-Wl,-Ttext=0x600000",
			"testdata/objects.cc.txt", "-o", app)
		importDamaged(t, app)
	}
}

// importDamaged imports branches of a program that is damaged in many ways.
func importDamaged(t *testing.T, app string) {
	t.Helper()
	whole, err := os.ReadFile(app)
	if err != nil {
		t.Fatal(err)
	}
	var traces [2]strings.Builder // without call stacks and with them
	for at := 0x600000; at < 0x600400; at += 3 {
		fmt.Fprintf(&traces[0], "%x 0x%x/0x%x/P/-/-/0 0x10/0x%x/P/-/-/0\n", at, at+3, at-0x100, at)
		fmt.Fprintf(&traces[1], "\t%x\n\t%x\n\t10\n\t%x\n 0x%x/0x%x/P/-/-/0 0x%x/0x%x/P/-/-/0 0x10/0x%x/P/-/-/0\n\n",
			at, at+1, at-0x100, at-0x40, at, at+4, at-0x50, at)
	}
	random := rand.New(rand.NewPCG(1, 2))
	results := map[bool]int{}
	for i := range 300 {
		damaged := slices.Clone(whole)
		for range 1 + random.IntN(8) {
			damaged[random.IntN(len(damaged))] = byte(random.Uint32())
		}
		if err := os.WriteFile(app, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := formats.Import(t.Context(), []formats.Input{{Name: "x", Reader: strings.NewReader(traces[i%2].String())}},
			formats.ImportOptions{Importers: []codec.Importer{&perf.Importer{Binary: []string{app}}}})
		results[err == nil]++
	}
	if results[true] < 60 || results[false] == 0 {
		t.Errorf("%v, by success", results)
	}
}
