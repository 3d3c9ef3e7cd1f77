package folderwatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/counted"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// Files of equal content under two names are two runs, and each counts.
func TestEachFileCountsOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out := filepath.Join(folder, "app.parc")
	write(t, folder, "1.proftext", proftext("f", 10), 1)
	write(t, folder, "2.proftext", proftext("f", 10), 2)
	w := open(t, folder, out, Options{})
	b := again(t, w)
	want(t, "merged", b.Merged, 2)
	want(t, "calls", int(calls(t, out, "f")), 20)
	write(t, folder, "3.proftext", proftext("f", 5), 3)
	b = again(t, w)
	want(t, "merged", b.Merged, 1)
	want(t, "known", b.Known, 0)
	want(t, "dumps", b.Dumps, 3)
	want(t, "calls", int(calls(t, out, "f")), 25)
	w.Close()

	b = once(t, folder, out, Options{}) // another process
	want(t, "merged again", b.Merged, 0)
	want(t, "known", b.Known, 3)
	want(t, "calls", int(calls(t, out, "f")), 25)
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	want(t, "merged anew", once(t, folder, out, Options{}).Merged, 3)
	want(t, "calls", int(calls(t, out, "f")), 25)
}

// A kept file counts once under its name; a copy or a touch changes nothing.
func TestKeptFileThatChanges(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out := filepath.Join(t.TempDir(), "app.parc")
	write(t, folder, "1.proftext", proftext("f", 10), 1)
	w := open(t, folder, out, Options{})
	want(t, "merged", again(t, w).Merged, 1)
	write(t, folder, "1.proftext", proftext("f", 10), 77)
	b := again(t, w)
	want(t, "merged", b.Merged, 0)
	want(t, "known", b.Known, 1)
	write(t, folder, "1.proftext", proftext("f", 30), 80)
	b = again(t, w)
	if len(b.Aside) != 1 || !errors.Is(b.Aside[0].Reason, ErrChanged) {
		t.Errorf("set aside: %v", b.Aside)
	}
	want(t, "said again", len(again(t, w).Aside), 0)
	want(t, "calls", int(calls(t, out, "f")), 10)
}

// A file that comes again after its removal is another run, even if it says the same.
func TestNameIsUsedAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out := filepath.Join(t.TempDir(), "app.parc")
	w := open(t, folder, out, Options{Remove: true})
	for i := range int64(3) {
		write(t, folder, "1.proftext", proftext("f", 10), i)
		b := again(t, w)
		want(t, "merged", b.Merged, 1)
		want(t, "removed", b.Removed, 1)
	}
	want(t, "calls", int(calls(t, out, "f")), 30)
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What cannot be merged is named once, and blocks nothing.
func TestSetAside(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out := filepath.Join(t.TempDir(), "app.parc")
	good := archived(t, proftext("f", 1), builder.Config{DumpID: [16]byte{9}})
	write(t, folder, "good.parc", good, 9)
	write(t, folder, "good.proftext", proftext("f", 2), 8)
	write(t, folder, "empty", "", 10)
	write(t, folder, "program", "\x7fELF and more", 11)
	write(t, folder, "text", "nothing of ours\n", 12)
	write(t, folder, "cut.parc", good[:len(good)/2], 13)
	write(t, folder, "damaged.parc", good[:len(good)-300]+strings.Repeat("x", 300), 14)
	write(t, folder, "bad.proftext", proftext("f", 3)+"g\n7\n2\nmany\n", 15)
	write(t, folder, "large.proftext", proftext("f", 4)+strings.Repeat("# more\n", 2_000), 16)
	write(t, folder, ".hidden.proftext", proftext("f", 5), 17)
	for _, s := range specimen.All() {
		data, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if s.Name == "hotspot" || s.Name == "graal" {
			write(t, folder, s.Name+".parc", string(data), 0)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.parc"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(folder, "good.proftext"), filepath.Join(folder, "link.proftext")); err != nil {
		t.Log(err)
	}
	w := open(t, folder, out, Options{Remove: true, MaxInput: 1 << 17})
	w.o.MaxInput = 80_000 // more than the archives have
	write(t, folder, "large.proftext", proftext("f", 4)+strings.Repeat("# more\n", 20_000), 16)
	b := again(t, w)
	want(t, "merged", b.Merged, 2)
	want(t, "removed", b.Removed, 2)
	want(t, "calls", int(calls(t, out, "f")), 3)
	seen := map[string]bool{}
	for _, a := range b.Aside {
		seen[filepath.Base(a.Path)] = true
		if a.Reason == nil {
			t.Errorf("%s is set aside without a reason", a.Path)
		}
	}
	for _, name := range []string{"empty", "program", "text", "cut.parc", "damaged.parc", "bad.proftext", "large.proftext",
		"hotspot.parc", "graal.parc"} {
		if !seen[name] {
			t.Errorf("%s is not set aside", name)
		}
	}
	want(t, "set aside", len(b.Aside), 9)
	want(t, "said again", len(again(t, w).Aside), 0)

	// A file that was cut off grows.
	write(t, folder, "cut.parc", good, 30)
	b = again(t, w)
	want(t, "known", b.Known, 1)
	write(t, folder, "bad.proftext", proftext("f", 40), 31)
	want(t, "merged", again(t, w).Merged, 1)
	want(t, "calls", int(calls(t, out, "f")), 43)
}

// The first input decides the domain only if it is merged.
func TestFirstInputIsBad(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out := filepath.Join(t.TempDir(), "app.parc")
	for _, s := range specimen.All() {
		if s.Name == "hotspot" {
			data, err := s.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)-100] ^= 1
			write(t, folder, "first.parc", string(data), 100)
		}
	}
	write(t, folder, "1.proftext", proftext("f", 2), 1)
	b := once(t, folder, out, Options{})
	want(t, "merged", b.Merged, 1)
	want(t, "set aside", len(b.Aside), 1)
}

// Archives of every domain are merged, and known afterwards.
func TestEveryDomain(t *testing.T) {
	t.Parallel()
	for _, s := range specimen.All() {
		data, err := s.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
		write(t, folder, "1.parc", string(data), 1)
		b := once(t, folder, out, Options{})
		if b.Merged != 1 {
			t.Errorf("%s: %v", s.Name, b.Aside)
		}
		want(t, "known", once(t, folder, out, Options{}).Known, 1)
	}
}

// An archive is known by its dumps, under any name.
func TestArchivesCountByTheirDumps(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out := filepath.Join(t.TempDir(), "app.parc")
	one := archived(t, proftext("f", 1), builder.Config{DumpID: [16]byte{1}})
	two := archived(t, proftext("f", 1), builder.Config{DumpID: [16]byte{2}})
	write(t, folder, "a.parc", one, 1)
	write(t, folder, "b.parc", one, 2)
	write(t, folder, "c.parc", two, 3)
	b := once(t, folder, out, Options{Remove: true})
	want(t, "merged", b.Merged, 2)
	want(t, "known", b.Known, 1)
	want(t, "removed", b.Removed, 3)
	want(t, "calls", int(calls(t, out, "f")), 2)

	// A sum cannot be merged if a part of it is.
	third := open(t, folder, filepath.Join(t.TempDir(), "sum.parc"), Options{})
	write(t, folder, "c.parc", two, 3)
	write(t, folder, "d.parc", archived(t, proftext("f", 1), builder.Config{DumpID: [16]byte{3}}), 4)
	want(t, "merged", again(t, third).Merged, 2)
	third.Close()
	sum, err := os.ReadFile(third.out)
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "sum.parc", string(sum), 5)
	if err := os.Remove(filepath.Join(folder, "d.parc")); err != nil {
		t.Fatal(err)
	}
	b = once(t, folder, out, Options{Remove: true})
	if len(b.Aside) != 1 || !errors.Is(b.Aside[0].Reason, merge.ErrCounted) {
		t.Errorf("set aside: %v", b.Aside)
	}
}

// Of several dumps of one process the last counts, and an earlier one that comes later is contained in it.
func TestDumpsOfOneProcess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out := filepath.Join(t.TempDir(), "app.parc")
	dump := func(calls int, second int64) string {
		run := &layout.Provenance{Process: layout.Process{Boot: [16]byte{1}, PID: 7}}
		return archived(t, proftext("f", calls), builder.Config{DumpTime: time.Unix(second, 0), Run: run})
	}
	write(t, folder, "1.parc", dump(1, 1000), 1)
	write(t, folder, "2.parc", dump(2, 2000), 2)
	w := open(t, folder, out, Options{Remove: true})
	b := again(t, w)
	want(t, "merged", b.Merged, 1)
	want(t, "known", b.Known, 1)
	want(t, "calls", int(calls(t, out, "f")), 2)
	write(t, folder, "0.parc", dump(1, 500), 3)
	want(t, "known", again(t, w).Known, 1)
	write(t, folder, "3.parc", dump(3, 3000), 3)
	b = again(t, w)
	if len(b.Aside) != 1 || !errors.Is(b.Aside[0].Reason, merge.ErrSameProcess) {
		t.Errorf("set aside: %v", b.Aside)
	}
}

// What a watcher had claimed when it was killed is merged by the next, also one that keeps files.
func TestClaimedFilesOfAnother(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	left := filepath.Join(folder, claimsFolder, "1234")
	if err := os.MkdirAll(left, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, left, "1.proftext", proftext("f", 10), 1)
	write(t, folder, "2.proftext", proftext("f", 5), 2)
	b := once(t, folder, out, Options{})
	want(t, "merged", b.Merged, 2)
	want(t, "removed", b.Removed, 1)
	want(t, "calls", int(calls(t, out, "f")), 15)
	if names := files(t, folder); len(names) != 1 {
		t.Errorf("files: %v", names)
	}
}

// Two watchers do not take one archive, nor files from one folder.
func TestLocks(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	if _, err := Open(filepath.Join(folder, "none"), out, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is missing: %v", err)
	}
	write(t, folder, "file", "", 1)
	if _, err := Open(filepath.Join(folder, "file"), out, Options{}); err == nil {
		t.Error("a file was accepted as the folder")
	}
}

// An archive that cannot be read is not replaced.
func TestDamagedArchiveStays(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	write(t, folder, "1.proftext", proftext("f", 1), 1)
	if err := os.WriteFile(out, []byte("not an archive"), 0o666); err != nil {
		t.Fatal(err)
	}
	w := open(t, folder, out, Options{Remove: true})
	if err := w.RunOnce(t.Context(), func(*Batch) error { return nil }); !errors.Is(err, layout.ErrFormat) {
		t.Errorf("got %v", err)
	}
	if names := files(t, folder); len(names) != 1 {
		t.Errorf("files: %v", names)
	}
}

// Run merges what comes, and ends when its context does.
func TestRun(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	write(t, folder, "1.proftext", proftext("f", 1), 1)
	w := open(t, folder, out, Options{Remove: true})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	merged := make(chan int)
	ended := make(chan error, 1)
	go func() {
		ended <- w.Run(ctx, func(b *Batch) error {
			if len(b.Aside) > 0 {
				t.Errorf("set aside: %v", b.Aside)
			}
			if b.Merged > 0 {
				merged <- b.Merged
			}
			return nil
		})
	}()
	for i := range int64(3) {
		want(t, "merged", <-merged, 1)
		write(t, folder, "1.proftext", proftext("f", 1), 2+i)
	}
	want(t, "merged", <-merged, 1)
	// A program has made its file, and writes it later.
	write(t, folder, "2.proftext", "", 9)
	write(t, folder, "3.proftext", proftext("f", 1), 10)
	want(t, "merged", <-merged, 1)
	if err := os.WriteFile(filepath.Join(folder, "2.proftext"), []byte(proftext("f", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	want(t, "merged", <-merged, 1)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	want(t, "calls", int(calls(t, out, "f")), 6)
}

// TestDumpIDs checks that ids of files stay the same, so that a later version knows what an earlier one merged.
func TestDumpIDs(t *testing.T) {
	t.Parallel()
	l := counted.NewLedger(hashInputs)
	id := hashInputs.NewID("a.profraw", 12345, 678)
	if got := fmt.Sprintf("%x", id); got != "3a022130e2b53ab59684be00c49b9304" {
		t.Errorf("the id is %s", got)
	}
	l.AddDump(id, 678)
	if got := l.Contents("a.profraw"); len(got) != 1 || got[0] != (counted.Content{Hash: 12345, At: 678}) {
		t.Errorf("contents: %v", got)
	}
	if got := l.Contents("b.profraw"); len(got) != 0 {
		t.Errorf("contents of another file: %v", got)
	}
}

// A file that somebody writes to after its counts were published is not removed.
func TestMergedFileIsWrittenTo(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	write(t, folder, "1.proftext", proftext("f", 1), 1)
	w := open(t, folder, out, Options{Remove: true, step: func(what string) {
		claimed, err := filepath.Glob(filepath.Join(folder, claimsFolder, "*", "1.proftext"))
		if what != "remove" || len(claimed) == 0 {
			return
		}
		if err = errors.Join(err, os.WriteFile(claimed[0], []byte(proftext("f", 50)), 0o600)); err != nil {
			t.Error(err)
		}
	}})
	b, err := w.mergeBatch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "merged", b.Merged, 1)
	want(t, "removed", b.Removed, 0)
	if len(b.Aside) != 1 || !errors.Is(b.Aside[0].Reason, ErrChanged) {
		t.Errorf("set aside: %v", b.Aside)
	}
}

// Files that were kept count again in a new archive, if somebody has removed the old one.
func TestArchiveIsRemoved(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), filepath.Join(t.TempDir(), "app.parc")
	write(t, folder, "1.proftext", proftext("f", 1), 1)
	w := open(t, folder, out, Options{})
	want(t, "merged", again(t, w).Merged, 1)
	want(t, "merged again", again(t, w).Merged, 0)
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	want(t, "merged into a new archive", again(t, w).Merged, 1)
	want(t, "calls", int(calls(t, out, "f")), 1)
}
