//go:build linux

package main

import (
	"fmt"
	"github.com/profarc/profarc/bench/report"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench"
	"github.com/profarc/profarc/internal/format/cputime"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// opens is how often a turn opens an archive, each time for another method.
const opens = 40

// big is the largest archive that a machine with 8 GB of free memory builds.
var big = bench.Scale{Name: "4GB", Methods: 2_000_000, Block: 1_650}

// opening compares, over sizes of archives, how long it takes to open one and to read
// one counter, after a row for each that only maps the file and reads four places of it.
func opening(dir, sizes string) (t table, err error) {
	t.title, t.unit = "open to first lookup", "ns"
	var rows []row
	scales := []bench.Scale{bench.Small, bench.Large, big, bench.Huge}
	for _, size := range strings.Split(sizes, ",") {
		i := slices.IndexFunc(scales, func(s bench.Scale) bool { return s.Name == size })
		if i < 0 {
			return t, fmt.Errorf("-open %s: there is no archive of this size: name 10MB, 1GB, 4GB or 8GB", size)
		}
		s := scales[i]
		path, err := bench.Archive(dir, s)
		if err != nil {
			return t, err
		}
		t.rows = append(t.rows, row{"map and read four places, " + s.Name,
			opened(func(n int) error { return mapAndRead(path, n) })})
		rows = append(rows,
			row{"open, Profile, " + s.Name, opened(func(n int) error { return openAndFind(path, n%s.Methods) })},
			row{"open, ProfileID, " + s.Name, opened(func(n int) error { return openAndLookUp(path, n%s.Methods) })})
	}
	t.rows = append(t.rows, rows...)
	return t, nil
}

// opened returns the median time of one open. Mappings are released between turns.
func opened(open func(n int) error) func() (float64, error) {
	next := 0
	return func() (float64, error) {
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		defer release()
		took := make([]float64, opens)
		for i := range took {
			next += 7919
			start := cputime.Thread()
			if err := open(next); err != nil {
				return 0, err
			}
			took[i] = float64(cputime.Thread() - start)
		}
		return report.Median(took), nil
	}
}

func mapAndRead(path string, n int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	sum := byte(0)
	for part := range 4 {
		sum += memory[(len(memory)/4*part+n*4096)%len(memory)]
	}
	kept = append(kept, memory)
	runtime.KeepAlive(sum)
	return nil
}

// kept are mappings that are released after the turn, as mappings of archives are.
var kept [][]byte

func release() {
	for _, memory := range kept {
		_ = unix.Munmap(memory)
	}
	kept = kept[:0]
}

func openAndFind(path string, method int) error {
	return firstCount(path, method, func(s *reader.Store) (reader.Profile, error) {
		return s.Profile(bench.Key(method), layout.CodeAny)
	})
}

func openAndLookUp(path string, method int) error {
	return firstCount(path, method, func(s *reader.Store) (reader.Profile, error) {
		return s.ProfileID(bench.ID(method), layout.CodeAny)
	})
}

func firstCount(path string, method int, find func(*reader.Store) (reader.Profile, error)) error {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return err
	}
	p, err := find(s)
	if err != nil {
		return err
	}
	if c, ok := p.Invocations(); !ok || c.Load() != uint64(method) {
		return fmt.Errorf("method %d has %d invocations", method, c.Load())
	}
	return s.Close()
}
