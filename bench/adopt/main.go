// Adopt measures what a VM pays at its start to go on with the profiles of earlier runs:
//
//	go run ./bench/adopt
//	go run ./bench/adopt -only start -rounds 31
//
// The profiles are those of the 5,008 functions of the VM in example. The contenders are an
// archive, adopted function by function or as a whole; a flat file, gob and JSON, which are
// decoded into structs that a map finds; and arrays that the VM makes when it has no
// profiles. They take turns. Figures are medians over the rounds, the least, which
// says more where others use the machine, and the median ratio to the first row of the table.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/bench/turns"
	"github.com/profarc/profarc/example"
)

func main() {
	rounds := flag.Int("rounds", 21, "rounds of each table")
	only := flag.String("only", "", "measure only tables whose titles contain this")
	started := flag.String("started", "", "internal: run the VM once, and print what it took")
	with := flag.String("with", "", "internal: the archive with which it starts")
	flag.Parse()
	err := error(nil)
	if *started != "" {
		err = startHere(*started, *with)
	} else {
		err = run(*rounds, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "adopt:", err)
		os.Exit(1)
	}
}

func run(rounds int, only string) error {
	dir, err := os.MkdirTemp("", "adopt")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	runtime.LockOSThread()
	path := filepath.Join(dir, "vm.parc")
	if err := train(path); err != nil {
		return err
	}
	f, err := newField(dir, path)
	if err != nil {
		return err
	}
	counting, err := f.counting()
	if err != nil {
		return err
	}
	tables := append([]table{f.all(), f.first(1000), counting}, starts(path)...)
	for _, t := range tables {
		if strings.Contains(t.title, only) {
			if err := t.measure(rounds); err != nil {
				return err
			}
		}
	}
	return nil
}

// train runs the VM once without an archive, and writes one.
func train(path string) error {
	p := example.Generate()
	vm := example.NewVM(p)
	p.Round(vm, len(p.Functions))
	return vm.Dump(context.Background(), path)
}

// A table has rows that are compared.
type table struct {
	title, unit string
	rows        []row
}

// A row measures one contender: turn returns what one turn took, in the unit of the table.
type row struct {
	name string
	turn func() (float64, error)
}

// measure runs the rows in turns, the first round unseen, and prints the medians, and the
// medians of the ratios of the rounds.
func (t *table) measure(rounds int) error {
	seen, ratios := make([][]float64, len(t.rows)), make([][]float64, len(t.rows))
	for round := range rounds + 1 {
		first := 0.0
		for i, r := range t.rows {
			settle()
			took, err := r.turn()
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if i == 0 {
				first = took
			}
			if round > 0 {
				seen[i], ratios[i] = append(seen[i], took), append(ratios[i], took/first)
			}
		}
	}
	fmt.Printf("\n%-46s %9s %9s %8s\n", t.title, "median", "least", "ratio")
	for i, r := range t.rows {
		fmt.Printf("  %-44s %9.1f %9.1f %s %5.2f\n", r.name, turns.Median(seen[i]), slices.Min(seen[i]), t.unit, turns.Median(ratios[i]))
	}
	return nil
}

// settle collects what turns before left, and waits until its mappings are released: that
// takes processor time, on another thread.
func settle() {
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
}
