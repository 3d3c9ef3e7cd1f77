//go:build linux

// Command verify compares checking all of an archive with computing the sums of its pages,
// which is the least that a check of all bytes takes, in turns, with as many threads:
//
//	go run ./bench/verify
//	go run ./bench/verify -n 100000 -shape javac -cpuprofile verify.prof
//
// Each turn opens the archive anew, so that both pay for its page faults.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/bench/turns"
	"github.com/profarc/profarc/internal/verify"
	"github.com/profarc/profarc/reader"
)

func main() {
	counts := flag.String("n", "100000,1000000", "numbers of methods, with commas between")
	shape := flag.String("shape", "", "measure only archives whose shape begins with this: even, javac or llvm")
	rounds := flag.Int("rounds", 9, "turns of each contender; medians are printed")
	dir := flag.String("dir", os.TempDir(), "where the archives are kept for the next run")
	profile := flag.String("cpuprofile", "", "write a profile of the checks, and nothing else, to this file")
	flag.Parse()
	if err := run(*counts, *shape, *dir, *rounds, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
}

func run(counts, shape, dir string, rounds int, profile string) error {
	fmt.Printf("%s, %d threads, medians of %d\n\n", runtime.Version(), runtime.GOMAXPROCS(0), rounds)
	fmt.Println("| archive | MB | sums, ms | processor | verify, ms | processor | ratio of times | of processor |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, s := range shapes {
		for _, count := range strings.Split(counts, ",") {
			n, err := strconv.Atoi(count)
			if err != nil {
				return err
			}
			if !strings.HasPrefix(s.name, shape) {
				continue
			}
			path := filepath.Join(dir, fmt.Sprintf("profarc-verify-%s-%d.parc", s.name, n))
			if err := s.make(path, n); err != nil {
				return err
			}
			if err := measure(fmt.Sprintf("%s, %d", s.name, n), path, rounds, profile); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure prints a row of the table.
func measure(name, path string, rounds int, profile string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if profile != "" {
		return profiled(profile, path, rounds)
	}
	costs, err := turns.Take(rounds, turn(path, sums), turn(path, all))
	if err != nil {
		return err
	}
	s, v := costs[0], costs[1]
	fmt.Printf("| %s | %d | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f |\n", name, info.Size()/1e6,
		ms(s.Wall), ms(s.User), ms(v.Wall), ms(v.User), float64(v.Wall)/float64(s.Wall), float64(v.User)/float64(s.User))
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func profiled(profile, path string, rounds int) error {
	f, err := os.Create(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	_, err = turns.Take(rounds, turn(path, all))
	return err
}

// turn opens the archive, runs check, and gives the time and the processor time, the
// system's for page faults included.
func turn(path string, check func(*reader.Store) error) func() (turns.Cost, error) {
	return func() (turns.Cost, error) {
		runtime.GC()
		begin, used := time.Now(), processor()
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			return turns.Cost{}, err
		}
		if err := check(s); err != nil {
			return turns.Cost{}, err
		}
		cost := turns.Cost{Wall: time.Since(begin), User: processor() - used}
		return cost, s.Close()
	}
}

func sums(s *reader.Store) error { return s.Mapping().Verify(context.Background(), nil) }

func all(s *reader.Store) error {
	r, err := verify.Store(context.Background(), s, nil)
	if err == nil && !r.Sound() {
		err = r.Problems[0]
	}
	return err
}

// processor returns the time that all threads of the process have used.
func processor() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
