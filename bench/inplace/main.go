//go:build linux

// Inplace measures what a program pays that goes on counting in an archive: to adopt its
// profiles, to count, to find a profile point, and to open it, each against the least that the
// machine takes for the same:
//
//	go run ./bench/inplace                   20,000 methods
//	go run ./bench/inplace -n 1000000
//	go run ./bench/inplace -only open -open 10MB,1GB,8GB -dir DIR    12 GB of disk
//
// The contenders of a table take turns; figures are medians over the rounds, in
// nanoseconds of processor time, with the ratio to the first row of their table.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/profarc/profarc/bench/turns"
)

func main() {
	n := flag.Int("n", 20_000, "number of methods")
	rounds := flag.Int("rounds", 15, "rounds of each table")
	dir := flag.String("dir", "", "directory for archives; a temporary one if empty")
	sizes := flag.String("open", "10MB", "sizes of archives to open: 10MB,1GB,4GB,8GB")
	adopt := flag.String("adopt", "", "archive whose profiles are adopted; a synthetic one if empty")
	only := flag.String("only", "", "measure only tables whose titles contain this")
	flag.Parse()
	if err := run(*dir, *sizes, *adopt, *n, *rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "inplace:", err)
		os.Exit(1)
	}
}

func run(dir, sizes, adopt string, n, rounds int, only string) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "inplace")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	runtime.LockOSThread()
	tables, err := tablesOf(dir, adopt, n)
	if err != nil {
		return err
	}
	opening, err := opening(dir, sizes)
	if err != nil {
		return err
	}
	for _, t := range append(tables, opening) {
		if strings.Contains(t.title, only) {
			if err := t.measure(rounds); err != nil {
				return err
			}
		}
	}
	return nil
}

// A table has rows that are compared.
type table struct {
	title string
	rows  []row
}

// A row measures one contender: turn returns nanoseconds for one of what the table
// counts.
type row struct {
	name string
	turn func() (float64, error)
}

// measure runs the rows in turns, the first round unseen, and prints the medians.
func (t *table) measure(rounds int) error {
	seen := make([][]float64, len(t.rows))
	for round := range rounds + 1 {
		for i, r := range t.rows {
			settle()
			took, err := r.turn()
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if round > 0 {
				seen[i] = append(seen[i], took)
			}
		}
	}
	fmt.Printf("\n%s\n", t.title)
	first := turns.Median(seen[0])
	for i, r := range t.rows {
		fmt.Printf("  %-44s %9.1f ns  %6.2f\n", r.name, turns.Median(seen[i]), turns.Median(seen[i])/first)
	}
	return nil
}

// settle collects what turns before left, and waits until its mappings are released: that
// takes processor time, on another thread.
func settle() {
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
}
