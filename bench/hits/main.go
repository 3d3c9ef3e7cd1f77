// Hits measures how long a hit and a miss take, against the memory of the machine and
// against Go's maps:
//
//	go run ./bench/hits                      1,000, 20,000 and 1,000,000 methods
//	go run ./bench/hits -n 10000000          needs 12 GB of memory
//
// A hit ends with one counter read and used. The maps lead to the place of the profile
// in the same file, of which the same counter is read: what a program would have that
// keeps an index of its own. The contenders of a table take turns, each with keys that
// no other has in that round; figures are medians over the rounds, in nanoseconds of
// the thread's processor time, with the ratio to the first map of the table.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

func main() {
	sizes := flag.String("n", "1000,20000,1000000", "numbers of methods")
	rounds := flag.Int("rounds", 9, "rounds of each table")
	dir := flag.String("dir", "", "directory for the archives; a temporary one if empty")
	only := flag.String("only", "", "measure only tables whose titles contain this")
	flag.Parse()
	if err := run(*sizes, *rounds, *dir, *only); err != nil {
		fmt.Fprintln(os.Stderr, "hits:", err)
		os.Exit(1)
	}
}

func run(sizes string, rounds int, dir, only string) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "hits")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	runtime.LockOSThread()
	pin()
	for _, text := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 100 {
			return fmt.Errorf("-n %s: want numbers of at least 100", text)
		}
		f, err := newField(dir, n)
		if err != nil {
			return err
		}
		for _, t := range f.tables() {
			if strings.Contains(t.title, only) {
				if err := t.measure(f, rounds); err != nil {
					return err
				}
			}
		}
		f.close()
	}
	return nil
}
