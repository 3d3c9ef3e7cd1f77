package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/profarc/profarc/bench/turns"
)

// A bench is what the flags say, and the programs that are measured.
type bench struct {
	functions int
	rounds    int
	release   int // of LLVM
	dir       string

	profdata string // llvm-profdata
	profarc  string
	peer     string // peer/lookup.cc, built
}

func main() {
	var b bench
	flag.IntVar(&b.functions, "n", 1_000_000, "functions of the synthetic program; look-ups are measured at a tenth, too")
	flag.IntVar(&b.rounds, "rounds", 7, "turns of each contender, whose median is printed")
	flag.IntVar(&b.release, "llvm", 19, "release of the LLVM to measure against")
	flag.StringVar(&b.dir, "dir", "", "folder to keep the files in, for another run; by default they are removed")
	cpuProfile := flag.String("cpuprofile", "", "only look functions up by name, for some seconds, and write a profile of the processor here")
	flag.Parse()
	run := b.run
	if *cpuProfile != "" {
		run = func() error { return b.profileLookups(*cpuProfile) }
	}
	if err := b.inFolder(run); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// inFolder runs f with a folder for the files.
func (b *bench) inFolder(f func() error) error {
	if b.dir != "" {
		if err := os.MkdirAll(b.dir, 0o777); err != nil {
			return err
		}
		return f()
	}
	dir, err := os.MkdirTemp("", "profarc-bench-llvm")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	return f()
}

func (b *bench) run() error {
	if err := b.findPrograms(); err != nil {
		return err
	}
	fmt.Printf("%d functions, LLVM %d, %s, %d processors, medians of %d\n\n", b.functions, b.release, runtime.Version(), runtime.NumCPU(), b.rounds)
	// Importing comes first: the peak memory of a program that this one starts
	// is never below its own, which is small until it maps an archive.
	if err := b.importing(); err != nil {
		return err
	}
	return b.lookups()
}

// findPrograms finds llvm-profdata, and builds the others.
func (b *bench) findPrograms() (err error) {
	release := strconv.Itoa(b.release)
	here, err := packageFolder()
	if err != nil {
		return err
	}
	b.peer, b.profarc = filepath.Join(b.dir, "lookup-"+release), filepath.Join(b.dir, "profarc")
	if err := execute(filepath.Join(here, "peer", "build.sh"), release, b.peer); err != nil {
		return err
	}
	if b.profdata, err = exec.LookPath("llvm-profdata-" + release); err != nil {
		return err
	}
	return execute("go", "build", "-o", b.profarc, "github.com/profarc/profarc/cmd/profarc")
}

// packageFolder is where the sources of this program lie.
func packageFolder() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/profarc/profarc/bench/llvm").Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w: run this inside the module", err)
	}
	return string(out[:len(out)-1]), nil
}

// execute runs a program to its end, of which only failure is of interest.
func execute(name string, args ...string) error {
	_, err := turns.Child(name, args...)
	return err
}
