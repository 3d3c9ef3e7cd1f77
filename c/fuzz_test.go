package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// TestFuzz runs fuzz.c for some hundred inputs, or with PROFARC_EXHAUSTIVE for some thousand. For hours of it, build it
// as its first lines say.
func TestFuzz(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	compilers(t)
	if _, err := exec.LookPath("clang"); err != nil {
		t.Skip("there is no clang, which has libFuzzer")
	}
	sources, err := filepath.Glob("src/*.c")
	if err != nil || sources == nil {
		t.Fatalf("no sources: %v", err)
	}
	program, seeds := filepath.Join(t.TempDir(), "fuzz"), t.TempDir()
	args := []string{"-std=c11", "-O1", "-g", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
		"-pthread", "-Iinclude", "-o", program, "tests/fuzz.c"}
	command(t, "clang", append(args, sources...)...)
	for _, s := range append(specimen.All(), specimen.Hostile()...) {
		data := archiveOf(t, s)
		h := openBytes(t, data).Header()
		seed := append(data[:disk.RegionOf(h, disk.RegionEX).End():disk.RegionOf(h, disk.RegionEX).End()],
			data[disk.RegionOf(h, disk.RegionRW).Offset:]...)
		if err := os.WriteFile(filepath.Join(seeds, s.Name), seed, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	runs := "-runs=500"
	if os.Getenv("PROFARC_EXHAUSTIVE") != "" {
		runs = "-runs=5000"
	}
	cmd := exec.Command(program, runs, "-seed=1", "-max_len=20000", "-timeout=60", seeds)
	cmd.Dir = t.TempDir() // where a finding is written
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
