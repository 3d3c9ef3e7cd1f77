//go:build unix

// Command watch measures what profarc watch takes while a CI machine fills its folder:
//
//	go run ./bench/watch -total 16
//
// It compiles a program of many functions with LLVM's instrumentation, and runs it again
// and again, each time with other counts and values, so that it writes raw profiles of some
// megabytes until their sum is -total GiB. Two processes write at once, and wait while
// there are more than -most GiB in the folder. profarc watch merges and removes them.
//
// It prints what was written, what was there at once, how large the archive is, and the
// memory and processor time of the watcher at each eighth of the way; and checks in the end
// that every run is counted once. It needs Linux and clang.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A bench holds the flags.
type bench struct {
	total, most float64 // GiB
	modules     int
	dir         string
	clang       string
}

func main() {
	b := bench{}
	flag.Float64Var(&b.total, "total", 1, "GiB of raw profiles to write")
	flag.Float64Var(&b.most, "most", 4, "GiB that may be in the folder at once")
	flag.IntVar(&b.modules, "modules", 40, "size of the program: modules of 1,000 functions")
	flag.StringVar(&b.dir, "dir", "", "folder to work in; a temporary one without it, which is removed")
	flag.StringVar(&b.clang, "clang", "clang", "compiler")
	flag.Parse()
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "watch:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context) error {
	if b.dir == "" {
		dir, err := os.MkdirTemp("", "profarc-bench-watch")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		b.dir = dir
	}
	program, err := b.buildProgram(ctx)
	if err != nil {
		return err
	}
	size, err := b.runOnce(ctx, program, filepath.Join(b.dir, "one.profraw"), 0)
	if err != nil {
		return err
	}
	runs := int64(b.total*(1<<30)/float64(size)) + 1
	fmt.Printf("%d runs of %d functions, each writes %.1f MB\n\n", runs, b.modules*functions, float64(size)/1e6)
	w, err := b.startWatcher(ctx)
	if err != nil {
		return err
	}
	stop := w.sample(runs, size)
	err = b.produce(ctx, program, w, runs)
	if err == nil {
		err = w.awaitEmpty()
	}
	stop()
	if endErr := w.end(); err == nil {
		err = endErr
	}
	if err != nil {
		return err
	}
	return check(w.out, uint64(runs))
}

// runOnce runs the program, and returns the size of the profile that it writes.
func (b *bench) runOnce(ctx context.Context, program, profile string, seed int64) (int64, error) {
	cmd := exec.CommandContext(ctx, program, fmt.Sprint(seed))
	cmd.Env = append(os.Environ(), "LLVM_PROFILE_FILE="+profile)
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, text)
	}
	info, err := os.Stat(profile)
	if os.IsNotExist(err) {
		return 0, nil // it is merged and removed
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// produce runs the program so often, two at once.
func (b *bench) produce(ctx context.Context, program string, w *watcher, runs int64) error {
	var started atomic.Int64
	var all sync.WaitGroup
	errs := make(chan error, 2)
	for range cap(errs) {
		all.Go(func() {
			for n := started.Add(1); n <= runs; n = started.Add(1) {
				for float64(w.there()) > b.most*(1<<30) {
					time.Sleep(pause)
				}
				if _, err := b.runOnce(ctx, program, filepath.Join(w.folder, fmt.Sprintf("%d.profraw", n)), n); err != nil {
					errs <- err
					return
				}
				w.written.Add(1)
			}
		})
	}
	all.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// check returns an error unless the archive has each run once: each calls one_run once.
func check(out string, runs uint64) error {
	s, err := reader.Open(out, archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	p, err := s.FindProfile(layout.Key{Name: "one_run"}, layout.CodeAny)
	if err != nil {
		return err
	}
	for e := range p.Entries() {
		if n := e.Cell(0).Trained(); n != runs {
			return fmt.Errorf("%d runs are counted, want %d", n, runs)
		}
	}
	fmt.Printf("\nall %d runs are counted once\n", runs)
	return nil
}
