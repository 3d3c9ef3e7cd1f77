//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// pause is the time between two looks.
const pause = 100 * time.Millisecond

// A watcher is profarc watch, and what it does.
type watcher struct {
	cmd         *exec.Cmd
	folder, out string
	errs        bytes.Buffer
	written     atomic.Int64 // files
	most        atomic.Int64 // bytes that were in the folder at once
}

func (b *bench) startWatcher(ctx context.Context) (*watcher, error) {
	profarc := filepath.Join(b.dir, "profarc")
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", profarc, "./cmd/profarc").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	w := &watcher{folder: filepath.Join(b.dir, "profiles"), out: filepath.Join(b.dir, "app.parc")}
	if err := os.Mkdir(w.folder, 0o777); err != nil {
		return nil, err
	}
	w.cmd = exec.CommandContext(ctx, profarc, "watch", w.folder, "-o", w.out, "--remove")
	w.cmd.Stderr = &w.errs
	return w, w.cmd.Start()
}

// there returns how many bytes the files of the folder have that are not removed yet.
func (w *watcher) there() (sum int64) {
	_ = filepath.WalkDir(w.folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// sample prints what the watcher takes at each eighth of so many files of a size, until stop
// is called.
func (w *watcher) sample(files, size int64) (stop func()) {
	fmt.Println("| written | at most at once | archive | memory now | at most | processor time |")
	fmt.Println("|---|---|---|---|---|---|")
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for part := int64(1); ; {
			select {
			case <-end:
				w.print(files * size)
				return
			case <-time.After(pause):
			}
			w.most.Store(max(w.most.Load(), w.there()))
			if written := w.written.Load(); written >= part*files/8 && part < 8 {
				w.print(written * size)
				part++
			}
		}
	}()
	return func() { close(end); <-ended }
}

// print prints a row.
func (w *watcher) print(written int64) {
	now, most, cpu := w.usage()
	size := int64(0)
	if info, err := os.Stat(w.out); err == nil {
		size = info.Size()
	}
	fmt.Printf("| %.2f GiB | %.2f GiB | %.1f MB | %.0f MB | %.0f MB | %.0f s |\n", float64(written)/(1<<30), float64(w.most.Load())/(1<<30),
		float64(size)/1e6, float64(now)/1e6, float64(most)/1e6, cpu.Seconds())
}

// usage returns the resident memory of the watcher, the most that it had, and the processor
// time that it took, from /proc; zeros once it has ended.
func (w *watcher) usage() (now, most int64, cpu time.Duration) {
	proc := fmt.Sprintf("/proc/%d/", w.cmd.Process.Pid)
	status, _ := os.ReadFile(proc + "status")
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = kilobytes << 10
		case "VmHWM":
			most = kilobytes << 10
		}
	}
	stat, _ := os.ReadFile(proc + "stat")
	const user, system, ticks = 11, 12, 100 // of the fields after the name; ticks a second
	if _, rest, ok := strings.Cut(string(stat), ") "); ok {
		for _, field := range []int{user, system} {
			n, _ := strconv.ParseInt(strings.Fields(rest)[field], 10, 64)
			cpu += time.Duration(n) * time.Second / ticks
		}
	}
	return now, most, cpu
}

// awaitEmpty waits until the folder has no file.
func (w *watcher) awaitEmpty() error {
	for w.there() > 0 {
		if syscall.Kill(w.cmd.Process.Pid, 0) != nil {
			return errors.New("the watcher has ended: " + w.errs.String())
		}
		time.Sleep(pause)
	}
	return nil
}

// end ends the watcher.
func (w *watcher) end() error {
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := w.cmd.Wait(); err != nil || w.errs.Len() > 0 {
		return fmt.Errorf("the watcher: %w: %s", err, w.errs.String())
	}
	return nil
}
