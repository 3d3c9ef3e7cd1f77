// Hits compares the time of hits and misses with memory accesses and with Go's maps.
//
//	cd bench
//	go run ./hits                      1,000, 20,000 and 1,000,000 methods
//	go run ./hits -n 10000000          needs 16 GB of memory
//	go run ./hits -o DIR               writes report.md, too
//	go run ./hits -peers -n 100000     key-value stores instead of maps
//
// A hit includes reading a counter. The maps contain offsets of profiles in the same file, like the index of a program
// without profarc. The contenders of a table take turns, each with different keys. The results are medians over the
// rounds, in nanoseconds of the thread's processor time, with the ratio to the first map of the table. Rounds in which
// the time of a fixed loop varies are repeated.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/profarc/profarc/bench/hits/peers"
	"github.com/profarc/profarc/bench/ratios"
	"github.com/profarc/profarc/internal/file/disk"
)

// options are the values of the flags.
type options struct {
	sizes, dir, only, shape, out string
	rounds                       int
	peers                        bool
}

func main() {
	var o options
	flag.StringVar(&o.sizes, "n", "1000,20000,1000000", "numbers of methods")
	flag.IntVar(&o.rounds, "rounds", 9, "rounds of each table")
	flag.StringVar(&o.dir, "dir", "", "directory for the archives; a temporary one if empty")
	flag.StringVar(&o.only, "only", "", "measure only tables whose titles contain this")
	flag.StringVar(&o.shape, "shape", "javac",
		"javac for keys and profiles as long as javac's, even for profiles of 400 bytes and keys of 75")
	flag.StringVar(&o.out, "o", "", "directory for report.md; tables that other runs left there stay")
	flag.BoolVar(&o.peers, "peers", false, "compare with key-value stores, by key, instead of with maps")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "hits:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if _, ok := shapes[o.shape]; !ok {
		return fmt.Errorf("-shape %s: want javac or even", o.shape)
	}
	if o.dir == "" {
		temporary, err := os.MkdirTemp("", "hits")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		o.dir = temporary
	}
	r, err := ratios.Open(o.out)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	ratios.Pin()
	for _, text := range strings.Split(o.sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 100 {
			return fmt.Errorf("-n %s: want numbers of at least 100", text)
		}
		if err := o.measureSize(n, r); err != nil {
			return err
		}
	}
	return nil
}

// measureSize adds the tables of a size to the report.
func (o options) measureSize(n int, r *ratios.Report) error {
	if need, free := perMethod*int64(n), freeMemory(); free > 0 && free < need {
		fmt.Printf("%d methods: left out, since they need %d MB of memory and %d are free\n", n, need>>20, free>>20)
		return nil
	}
	if o.peers {
		return errors.Join(peers.Measure(o.dir, n, o.rounds, r), o.writeReport(r))
	}
	return o.measurePlain(n, r)
}

// perMethod is the memory in bytes for a method in the builder and in the maps.
const perMethod = 1600

func (o options) measurePlain(n int, r *ratios.Report) error {
	f, err := newField(o.dir, o.shape, n)
	if err != nil {
		return err
	}
	defer f.close()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the garbage collector must not run during a turn
	if err := o.addTable(r, f.sizeTable()); err != nil {
		return err
	}
	for _, t := range tables() {
		if !strings.Contains(t.title, o.only) {
			continue
		}
		result, err := t.measure(f, o.rounds)
		if err != nil {
			return err
		}
		if err := o.addTable(r, result); err != nil {
			return err
		}
	}
	return nil
}

// addTable prints a table and adds it to the report.
func (o options) addTable(r *ratios.Report, t ratios.Table) error {
	fmt.Print(t.Text())
	r.Add(t)
	return o.writeReport(r)
}

// writeReport writes the report with the tables measured until now.
func (o options) writeReport(r *ratios.Report) error {
	if o.out == "" {
		return nil
	}
	return r.Write(o.out)
}

// sizeTable returns a table with the bytes per key in the index and the bytes per method in the file.
func (f *field) sizeTable() ratios.Table {
	h := f.store.Header()
	t := ratios.Table{Title: "size", Methods: f.n, Rows: []ratios.Row{
		{Name: "index", Unit: "bytes a key", Value: float64(disk.RegionOf(h, disk.RegionIX).Size) / float64(uint64(f.n)+
			h.Counts.Types)},
		{Name: "archive", Unit: "bytes a method", Value: float64(len(f.file)) / float64(f.n)},
	}}
	setRatios(&t, nil)
	return t
}
