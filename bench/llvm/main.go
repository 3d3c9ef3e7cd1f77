// Command llvm compares archives of LLVM's profiles with llvm-profdata and with
// LLVM's own reader, all in one run, and prints the tables of bench/README.md:
//
//	go run ./bench/llvm -n 1000000
//
// It writes the profiles of two runs of a synthetic program as text, which the
// llvm-profdata under test converts to .profdata, so that both sides read what
// LLVM writes. Imports take turns with llvm-profdata merge of the same files.
// Lookups take turns with a small C++ program (internal/llvmreader) that uses
// IndexedInstrProfReader: the same keys in the same order. A turn that is not
// timed precedes each, so that both find the caches as they left them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench/turns"
	"github.com/profarc/profarc/internal/llvmreader"
)

// A bench holds the flags, and the paths of the programs that are measured.
type bench struct {
	functions int
	rounds    int
	release   int // of LLVM
	dir       string

	profdata string // llvm-profdata
	profarc  string
	peer     llvmreader.Program
}

func main() {
	var b bench
	flag.IntVar(&b.functions, "n", 1_000_000, "functions of the synthetic program; lookups are also measured at a tenth of them")
	flag.IntVar(&b.rounds, "rounds", 7, "turns of each contender; the medians are printed")
	flag.IntVar(&b.release, "llvm", 19, "release of the LLVM to measure against")
	flag.StringVar(&b.dir, "dir", "", "directory to keep the files in for another run; by default they are removed")
	cpuProfile := flag.String("cpuprofile", "", "only look up functions by name, for some seconds, and write a CPU profile to this file")
	flag.Parse()
	run := b.run
	if *cpuProfile != "" {
		run = func() error { return b.profileLookups(*cpuProfile) }
	}
	if err := b.inDir(run); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// inDir runs f with a directory for the files.
func (b *bench) inDir(f func() error) error {
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

// findPrograms finds llvm-profdata and builds the other programs.
func (b *bench) findPrograms() (err error) {
	release := strconv.Itoa(b.release)
	b.profarc = filepath.Join(b.dir, "profarc")
	if b.peer, err = llvmreader.Build(context.Background(), "llvm-config-"+release, b.dir); err != nil {
		return err
	}
	if b.profdata, err = exec.LookPath("llvm-profdata-" + release); err != nil {
		return err
	}
	return execute("go", "build", "-o", b.profarc, "github.com/profarc/profarc/cmd/profarc")
}

// execute runs a program.
func execute(name string, args ...string) error {
	_, err := turns.Child(name, args...)
	return err
}

// copies is the number of times that each of the two runs is an input when several
// files are summed.
const copies = 4

// importing prints what an import of one profile and of several costs, compared
// with llvm-profdata merge of the same files, and the sizes of the results.
func (b *bench) importing() error {
	var runs []string
	for run := range uint64(2) {
		path, err := b.profile(b.functions, run)
		if err != nil {
			return err
		}
		runs = append(runs, path)
	}
	fmt.Println("| | profarc import | llvm-profdata merge | ratio |")
	fmt.Println("|---|---|---|---|")
	if err := b.importTurns("1 file", runs[:1]); err != nil {
		return err
	}
	if err := b.sizes(); err != nil {
		return err
	}
	return b.importTurns(fmt.Sprintf("%d files", 2*copies), slices.Repeat(runs, copies))
}

// importTurns measures the import of files that are summed.
func (b *bench) importTurns(what string, files []string) error {
	ours, theirs := b.outputs()
	costs, err := turns.Take(b.rounds,
		func() (turns.Cost, error) {
			return turns.Child(b.profarc, append([]string{"import", "-o", ours}, files...)...)
		},
		func() (turns.Cost, error) {
			return turns.Child(b.profdata, append([]string{"merge", "-o", theirs}, files...)...)
		})
	if err != nil {
		return err
	}
	a, l := costs[0], costs[1]
	printRow(what+", user time", "%.2f s", a.User.Seconds(), l.User.Seconds())
	printRow(what+", time", "%.2f s", a.Wall.Seconds(), l.Wall.Seconds())
	printRow(what+", peak memory", "%.0f MB", megabytes(a.Peak), megabytes(l.Peak))
	return nil
}

// outputs returns the paths of the results of the two programs.
func (b *bench) outputs() (archive, profdata string) {
	return filepath.Join(b.dir, "out.parc"), filepath.Join(b.dir, "out.profdata")
}

// sizes compares the sizes of the results.
func (b *bench) sizes() error {
	archive, profdata := b.outputs()
	var bytes [2]float64
	for i, path := range []string{archive, profdata} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		bytes[i] = megabytes(info.Size())
	}
	printRow("size of the result", "%.1f MB", bytes[0], bytes[1])
	return nil
}

// printRow prints two figures and their ratio.
func printRow(what, format string, ours, theirs float64) {
	fmt.Printf("| %s | "+format+" | "+format+" | %.2f |\n", what, ours, theirs, ours/theirs)
}

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }

// profileLookups looks up all functions by name, ten times, under the CPU
// profiler.
func (b *bench) profileLookups(path string) error {
	if err := b.findPrograms(); err != nil {
		return err
	}
	profdata, err := b.profile(b.functions, 0)
	if err != nil {
		return err
	}
	hits, misses, err := b.keyFiles(b.functions)
	if err != nil {
		return err
	}
	keys, err := readAllKeys(hits, misses)
	if err != nil {
		return err
	}
	store, err := b.openArchive(profdata, archive.CheckOnTouch)
	if err != nil {
		return err
	}
	defer store.Close()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, _, err := llvmreader.ByName(store, keys["hits"]); err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	for range 10 {
		if _, _, err := llvmreader.ByName(store, keys["hits"]); err != nil {
			return err
		}
	}
	return nil
}
