// Checkpoint measures what a checkpoint costs that records few of many functions.
//
//	cd bench
//	go run ./checkpoint
//
// Each function has its two counters, three branches and a type profile. It is set up either in the run ("own") or
// found in the archive with which the run started ("archived"; all functions are claimed). Touched functions count a
// call and a branch. A row has the bytes and the median time of a checkpoint, the time of writing, syncing and
// renaming a file of that size, and the bytes and the time of a dump of all functions.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/profarc/profarc"
	"github.com/profarc/profarc/layout"
)

var vm = profarc.VM{ID: [16]byte{1, 2, 3}, Name: "checkpoint"}

func main() {
	rounds := flag.Int("rounds", 15, "checkpoints of each row")
	flag.Parse()
	if err := run(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "checkpoint:", err)
		os.Exit(1)
	}
}

func run(rounds int) error {
	dir, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("| functions | set up | touched | bytes | ms | file alone, ms | dump, bytes | dump, ms |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, of := range []struct{ touched, all int }{{1, 100_000}, {100, 2_000}, {2_000, 2_000}} {
		for _, kind := range []string{"own", "archived"} {
			r := row{dir: dir, kind: kind, touched: of.touched, all: of.all, rounds: rounds}
			if err := r.measure(); err != nil {
				return err
			}
		}
	}
	return nil
}

// A row is a row of the table.
type row struct {
	dir          string
	kind         string
	touched, all int
	rounds       int
}

func (r row) measure() error {
	archive := filepath.Join(r.dir, "archive.parc")
	dumpSize, dumped, err := r.writeDump(archive)
	if err != nil {
		return err
	}
	start := archive
	if r.kind == "own" {
		start = filepath.Join(r.dir, "none.parc")
	}
	vmRun, err := profarc.Start(start, vm)
	if err != nil && r.kind != "own" {
		return err
	}
	defer vmRun.Close()
	functions := setUp(vmRun, r.all)
	size, took, err := r.writeCheckpoints(vmRun, functions)
	if err != nil {
		return err
	}
	alone, err := r.writeFile(size)
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %d | %d | %d | %.2f | %.2f | %d | %.0f |\n", r.kind, r.all, r.touched, size, milliseconds(took),
		milliseconds(alone), dumpSize, milliseconds(dumped))
	return nil
}

// writeDump writes the archive of a run that touched all functions.
func (r row) writeDump(path string) (size int64, took time.Duration, err error) {
	os.Remove(path)
	vmRun, _ := profarc.Start(path, vm) // there is no archive
	for _, f := range setUp(vmRun, r.all) {
		f.touch()
	}
	began := time.Now()
	if _, err := vmRun.Dump(context.Background(), path); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	return info.Size(), took, nil
}

// writeCheckpoints returns the size and the median time of a checkpoint. The functions of each are spread over all.
func (r row) writeCheckpoints(vmRun *profarc.Run, functions []function) (int64, time.Duration, error) {
	path := filepath.Join(r.dir, "checkpoint.parc")
	times := []time.Duration{}
	for round := range r.rounds {
		for i := range r.touched {
			functions[(i*(r.all/r.touched)+round)%r.all].touch()
		}
		began := time.Now()
		if _, err := vmRun.Checkpoint(context.Background(), path); err != nil {
			return 0, 0, err
		}
		times = append(times, time.Since(began))
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	return info.Size(), median(times), nil
}

// writeFile returns the median time of writing, syncing and renaming a file.
func (r row) writeFile(size int64) (time.Duration, error) {
	path := filepath.Join(r.dir, "alone")
	content := make([]byte, size)
	times := []time.Duration{}
	for range r.rounds {
		began := time.Now()
		if err := writeSynced(path, content); err != nil {
			return 0, err
		}
		times = append(times, time.Since(began))
	}
	return median(times), nil
}

func writeSynced(path string, content []byte) error {
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// A function has the words that its code would increment.
type function struct{ calls, taken *profarc.Word }

func (f function) touch() {
	f.calls.Count1()
	f.taken.Count1()
}

func setUp(r *profarc.Run, n int) []function {
	functions := make([]function, n)
	for i := range functions {
		key := layout.Key{Class: fmt.Sprintf("module%d", i/50), Name: fmt.Sprintf("function%d", i)}
		f := r.Function(key, uint64(i)+1)
		taken, _ := f.Branch(3)
		f.Branch(7)
		f.Branch(12)
		f.Receivers(9)
		functions[i] = function{f.Calls(), taken}
	}
	return functions
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }
