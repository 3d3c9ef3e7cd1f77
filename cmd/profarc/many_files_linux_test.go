//go:build !386 && !arm && !mips && !mipsle

package main

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestMemoryDoesNotGrowWithFiles imports few and many profiles with the same stacks: memory holds their sum, and few
// files at a time.
func TestMemoryDoesNotGrowWithFiles(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	program := builtCommand(t)
	t.Chdir(t.TempDir())
	const few, many = 32, 240 // fewer than 32 can end before the first garbage collection
	for i := range many {
		writeStacks(t, fmt.Sprintf("%d.pprof", i), int64(i+1))
	}
	least, most := peakOfImport(t, program, few), peakOfImport(t, program, many)
	t.Logf("%d files: %d MiB, %d files: %d MiB", few, least>>20, many, most>>20)
	if most > least*3/2 {
		t.Errorf("%d files need %d MiB, %d need %d MiB", many, most>>20, few, least>>20)
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

// peakOfImport returns the most memory that an import of n files has, in bytes.
func peakOfImport(t *testing.T, program string, n int) int64 {
	t.Helper()
	args := []string{"import", "-o", "all.parc"}
	for i := range n {
		args = append(args, fmt.Sprintf("%d.pprof", i))
	}
	c := exec.Command(program, args...)
	peak, said := peakOf(t, c)
	if !c.ProcessState.Success() {
		t.Fatalf("%v\n%s", c.ProcessState, said)
	}
	return peak
}
