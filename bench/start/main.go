// Start measures the startup cost of a program that continues the profiles of earlier runs, and the cost of counting.
//
//	cd bench
//	go run ./start
//	go run ./start -only 'start of the VM' -rounds 31
//
// Most tables use the profiles of the 5,008 functions of the VM in example. The contenders are an archive, adopted by
// function or as a whole, a flat file, gob and JSON with a map, and empty arrays of a VM without profiles. The last
// tables compare the lookup of a profile point with a map. Contenders take turns. The results are the median, the
// minimum, which is more reliable on a busy machine, and the median ratio to the first row of the table.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/bench/ratios"
	example "github.com/profarc/profarc/example/vm"
	"github.com/profarc/profarc/internal/cli/paired"
)

// options are the values of the flags.
type options struct {
	rounds    int
	only, dir string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 21, "rounds of each table")
	flag.StringVar(&o.only, "only", "", "measure only tables whose titles contain this")
	flag.StringVar(&o.dir, "dir", "", "directory for archives; a temporary one if empty")
	started := flag.String("started", "", "internal: run the VM once, and print what it took")
	with := flag.String("with", "", "internal: the archive with which it starts")
	flag.Parse()
	err := error(nil)
	if *started != "" {
		err = runRounds(*started, *with)
	} else {
		err = run(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.dir == "" {
		temporary, err := os.MkdirTemp("", "start")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		o.dir = temporary
	}
	runtime.LockOSThread()
	tables, err := exampleTables(o.dir)
	if err != nil {
		return err
	}
	more, err := pointTables(o.dir)
	if err != nil {
		return err
	}
	for _, t := range append(tables, more...) {
		if strings.Contains(t.title, o.only) {
			if err := t.measure(o.rounds); err != nil {
				return err
			}
		}
	}
	return nil
}

// exampleTables returns the tables for the VM in example.
func exampleTables(dir string) ([]table, error) {
	path := filepath.Join(dir, "vm.parc")
	if err := trainVM(path); err != nil {
		return nil, err
	}
	f, err := newField(dir, path)
	if err != nil {
		return nil, err
	}
	counting, err := f.countingTable()
	if err != nil {
		return nil, err
	}
	return append([]table{f.allFunctionsTable(), f.firstFunctionsTable(1000), counting}, startTables(path)...), nil
}

// trainVM runs the VM once without an archive, and writes one.
func trainVM(path string) error {
	p := example.Generate()
	vm, err := example.NewVM(p, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is an archive already, or %w", path, err)
	}
	p.Round(vm, len(p.Functions))
	_, err = vm.Dump(context.Background(), path)
	return errors.Join(err, vm.Close())
}

// A table compares rows.
type table struct {
	title, unit string
	rows        []row
}

// A row is a contender. turn returns its time in the unit of the table.
type row struct {
	name string
	turn func() (float64, error)
}

// measure runs the rows alternately and prints the results. It ignores the first round.
func (t *table) measure(rounds int) error {
	seen := make([][]float64, len(t.rows))
	for round := range rounds + 1 {
		for i, r := range t.rows {
			settleMachine()
			took, err := r.turn()
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if round > 0 {
				seen[i] = append(seen[i], took)
			}
		}
	}
	fmt.Printf("\n%-46s %9s %9s %8s\n", t.title, "median", "least", "ratio")
	for i, r := range t.rows {
		fmt.Printf("  %-44s %9.1f %9.1f %s %5.2f\n", r.name, paired.Median(seen[i]), slices.Min(seen[i]), t.unit,
			ratios.MedianRatio(seen[i], seen[0]))
	}
	return nil
}

// settleMachine collects garbage, and waits until another thread has released mappings.
func settleMachine() {
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
}
