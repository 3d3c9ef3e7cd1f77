// Peers measures how long key-value stores take for what profarc does: to find the
// profile of a method by its key, and to read a counter of it.
//
//	cd bench/peers && go run . -o DIR
//
// It is a module of its own, so that who uses profarc does not get its dependencies. The
// report in DIR keeps the tables that ../hits left there.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/profarc/profarc/bench/report"
	"github.com/profarc/profarc/bench/turns"
)

func main() {
	sizes := flag.String("n", "100000,1000000", "numbers of methods")
	rounds := flag.Int("rounds", 9, "rounds of each table")
	dir := flag.String("dir", "", "directory for the stores; a temporary one if empty")
	out := flag.String("o", "", "directory for report.md and report.html")
	flag.Parse()
	if err := run(*sizes, *rounds, *dir, *out); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(sizes string, rounds int, dir, out string) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "peers")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	r, err := report.Open(out)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	turns.Pin()
	for _, text := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 100 {
			return fmt.Errorf("-n %s: want numbers of at least 100", text)
		}
		if err := measureAll(dir, n, rounds, r); err != nil {
			return err
		}
		if out != "" {
			if err := r.Write(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureAll builds all stores of a size and adds the tables of hits and misses.
func measureAll(dir string, n, rounds int, r *report.Report) error {
	f, err := newField(dir, n)
	if err != nil {
		return err
	}
	defer f.close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector must not run beside a turn
	for _, missing := range []bool{false, true} {
		t, err := f.measure(rounds, missing)
		if err != nil {
			return err
		}
		fmt.Print(t.Text())
		r.Add(t)
	}
	return nil
}
