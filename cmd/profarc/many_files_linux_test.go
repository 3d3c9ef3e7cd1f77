package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestMemoryDoesNotGrowWithFiles imports few and many profiles with the same stacks: memory holds their sum, and few
// files at a time.
func TestMemoryDoesNotGrowWithFiles(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	t.Chdir(t.TempDir())
	const few, many = 8, 120
	for i := range many {
		writeStacks(t, fmt.Sprintf("%d.pprof", i), int64(i+1))
	}
	least, most := peakOfImport(t, few), peakOfImport(t, many)
	t.Logf("%d files: %d KiB, %d files: %d KiB", few, least, many, most)
	if most > least*3/2 {
		t.Errorf("%d files need %d KiB, %d need %d KiB", many, most, few, least)
	}
}

// writeStacks writes a profile of 2,000 stacks of 20 functions each.
func writeStacks(t *testing.T, path string, n int64) {
	t.Helper()
	const functions, stacks, depth = 500, 2000, 20
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}, TimeNanos: n * 1e9}
	for i := range uint64(functions) {
		f := &profile.Function{ID: i + 1, Name: fmt.Sprint("main.f", i), Filename: "main.go"}
		l := &profile.Location{ID: i + 1, Line: []profile.Line{{Function: f, Line: 1}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
	}
	for i := range stacks {
		s := &profile.Sample{Value: []int64{n}}
		for k := range depth {
			s.Location = append(s.Location, p.Location[(i*(k+1)+k)%functions])
		}
		p.Sample = append(p.Sample, s)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
}

// peakOfImport returns how many KiB an import of n files needs at most.
func peakOfImport(t *testing.T, n int) int64 {
	t.Helper()
	args := []string{"import", "-o", "all.parc"}
	for i := range n {
		args = append(args, fmt.Sprintf("%d.pprof", i))
	}
	c := exec.Command("profarc", args...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}
