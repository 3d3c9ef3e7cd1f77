// Package folderwatch merges the profiles that appear in a folder into an archive, each of them once. It can remove
// merged files, so that thousands of runs need no more disk space than their merged archive.
//
// # Duplicates
//
// The archive's table of dumps records the merged files. It is published atomically with the counts, so after a kill
// both exist or neither. An archive among the inputs is identified by its dump ids. Any other file gets a [counted.ID]
// by its name, content and time. So a file is merged once, but two runs with equal counts are not duplicates.
//
// # Removal
//
// An input passes through these states in order. After a kill it can be in any of them.
//
//	in the folder    not merged
//	claimed          moved to the claims folder, not merged
//	merged           claimed, and the published archive has its dump
//	removed
//
// Files are claimed before the archive is published, because a process could otherwise append to a file between its
// merge and its removal, as LLVM's runtime does with %m. A claimed file whose dump the archive has is removed without
// being merged again.
//
// # Files in use
//
// A file that a process has open for writing, has mapped for writing (LLVM's continuous mode, %c), or has
// locked (LLVM's %m) is left alone until it is closed. A continuous watcher also leaves empty files alone, because
// LLVM's runtime creates one when a program starts, and writes it when the program ends.
package folderwatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/cli/outputlock"
	account "github.com/profarc/profarc/internal/ledger"
)

// Options control a Watcher. The zero value keeps merged files.
type Options struct {
	Remove bool // remove merged files
	// MaxInput is the maximum size of a file in bytes; 0 is 1 GiB. Reading a file takes memory in proportion to its size.
	MaxInput int64
	// Delay is the time between two scans of the folder, at least 50 ms. Files that appear between two scans are merged
	// together.
	Delay time.Duration
	// Missing are files that were expected, for the account of the archive. It is used if the watcher runs once.
	Missing []account.Input
	// step, if not nil, is called between the steps of a batch, for tests.
	step func(what string)
}

// settling is how long a file must be unchanged to count as complete, if the system does not report who writes to it.
const settling = 2 * time.Second
const leastDelay = 50 * time.Millisecond

// Limits of a batch.
const (
	minBatchFiles = 512  // maximum number of files for a small archive
	maxOpenFiles  = 2048 // maximum number of files to remove
	maxBatchBytes = 256 << 20
)

const claimsFolder = ".profarc-watch"

type Watcher struct {
	folder, out string
	o           Options
	release     []func()
	locks       []fs.FileInfo       // lock files
	ownsClaims  bool                // whether it holds the lock of the claims folder
	continuous  bool                // whether it waits for more files
	seen        map[string]sighting // state of known files, by path
	published   [16]byte            // dump id of the archive when last seen
	unsettled   int                 // number of files that may be in use
	files       int                 // number of files that the last batch found in the folder
}

type sighting struct {
	info    fs.FileInfo
	since   time.Time
	settled bool  // merged and kept, or set aside
	aside   error // why it is set aside; nil if it is not
}

// supported lists the systems on which open files can be renamed and removed, and mapped archives replaced.
var supported = []string{"linux", "darwin", "freebsd", "netbsd", "openbsd", "dragonfly", "solaris", "illumos", "aix"}

// ErrUnsupported is returned on other systems.
var ErrUnsupported = errors.New("folders are watched on Unix only: sum the files with profarc import, and archives with " +
	"profarc merge")

// Open prepares to merge the files of a folder into the archive out, which is created when the first file is merged. It
// locks the archive and, to remove files, the folder. The error matches ErrWatched if another process holds a lock.
func Open(folder, out string, o Options) (*Watcher, error) {
	if !slices.Contains(supported, runtime.GOOS) {
		return nil, ErrUnsupported
	}
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: it is a file: name the folder to watch", folder)
	}
	if err != nil {
		return nil, err
	}
	w := &Watcher{folder: folder, out: out, o: o, seen: map[string]sighting{}}
	w.o.MaxInput = cmp.Or(o.MaxInput, 1<<30)
	if err := w.lockName(out); err != nil {
		return nil, err
	}
	left := filepath.Join(folder, claimsFolder)
	if _, err := os.Stat(left); err == nil || o.Remove { // also files that a killed watcher left
		err := w.lockName(left)
		w.ownsClaims = err == nil
		if err != nil && o.Remove {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

func (w *Watcher) lockName(name string) error {
	release, err := outputlock.Lock(name)
	if err != nil {
		return lockError(name, err)
	}
	w.release = append(w.release, release)
	path, err := outputlock.Path(name)
	if err == nil {
		var info fs.FileInfo
		info, err = os.Lstat(path)
		w.locks = append(w.locks, info)
	}
	return err
}

func lockError(name string, err error) error {
	if !errors.Is(err, outputlock.ErrLocked) {
		return err
	}
	if folder, ok := strings.CutSuffix(name, string(filepath.Separator)+claimsFolder); ok {
		return fmt.Errorf("%s: %w: end that first", folder, ErrWatched)
	}
	return fmt.Errorf("%s: %w: end that first, or name another archive", name, ErrWatched)
}

// ErrWatched is returned if another process has the archive or the folder.
var ErrWatched = errors.New("another watcher or training run writes to it")

func (w *Watcher) Close() {
	for _, release := range w.release {
		release()
	}
	w.release = nil
}

// RunOnce merges the files in the folder. It calls report after each batch, even an empty one.
func (w *Watcher) RunOnce(ctx context.Context, report func(*Batch) error) error {
	for range 3 { // give up on files that keep changing
		if err := w.mergeAll(ctx, report); err != nil || w.unsettled == 0 || !sleepContext(ctx, settling) {
			return err
		}
	}
	return nil
}

// Run merges the files in the folder, and new ones, until ctx ends. It completes the batch in progress, and returns
// nil. It calls report like Once.
func (w *Watcher) Run(ctx context.Context, report func(*Batch) error) error {
	w.continuous = true
	for {
		if err := w.mergeAll(ctx, report); err != nil || !sleepContext(ctx, max(w.o.Delay, leastDelay)) {
			return err
		}
	}
}

func (w *Watcher) mergeAll(ctx context.Context, report func(*Batch) error) error {
	for ctx.Err() == nil {
		b, err := w.mergeBatch(ctx)
		if err == nil {
			err = report(b)
		}
		if err != nil || b.Merged == 0 {
			return err
		}
	}
	return nil
}

// sleepContext waits, and reports whether ctx is still active.
func sleepContext(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return ctx.Err() == nil
	}
}

type candidate struct {
	path    string
	name    string // file name in the watched folder
	info    fs.FileInfo
	claimed bool
}

// candidates lists the files to examine. Files claimed before a kill come first, then the newest, since the last of
// several dumps of a process has all counts.
func (w *Watcher) candidates() ([]candidate, error) {
	w.forgetGone()
	w.files = 0
	found, err := w.listFolder(w.folder, func(name string) bool { return !isHidden(name) })
	if err != nil || !w.ownsClaims {
		return found, err
	}
	batches, err := os.ReadDir(filepath.Join(w.folder, claimsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, b := range batches {
		folder := filepath.Join(w.folder, claimsFolder, b.Name())
		claimed, err := w.listFolder(folder, func(string) bool { return true })
		if err != nil {
			return nil, err
		}
		_ = os.Remove(folder) // fails unless it is empty
		for i := range claimed {
			claimed[i].claimed = true
		}
		found = append(claimed, found...)
	}
	return found, nil
}

func isHidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".parc.lock")
}

func (w *Watcher) forgetGone() {
	for path := range w.seen {
		if _, err := os.Lstat(path); err != nil {
			delete(w.seen, path)
		}
	}
}

// ownFiles returns the archive and the locks, which can be in the folder under any name.
func (w *Watcher) ownFiles() []fs.FileInfo {
	own := slices.Clone(w.locks)
	if out, err := os.Stat(w.out); err == nil {
		own = append(own, out)
	}
	return own
}

func (w *Watcher) listFolder(folder string, wanted func(name string) bool) ([]candidate, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	own := w.ownFiles()
	var found []candidate
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !wanted(e.Name()) ||
			slices.ContainsFunc(own, func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
			continue // gone, or no file of profiles
		}
		if folder == w.folder {
			w.files++
		}
		c := candidate{path: filepath.Join(folder, e.Name()), name: e.Name(), info: info}
		if s, ok := w.seen[c.path]; !ok || !s.settled || !unchanged(s.info, info) {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(x, y candidate) int { return y.info.ModTime().Compare(x.info.ModTime()) })
	return found, nil
}

func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func (w *Watcher) traceStep(what string) {
	if w.o.step != nil {
		w.o.step(what)
	}
}
