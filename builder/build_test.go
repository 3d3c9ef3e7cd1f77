package builder_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"pgregory.net/rapid"
)

func TestSmallArchiveIsSound(t *testing.T) {
	t.Parallel()
	b := testarchive.New(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"})
	square := b.Type(builder.TypeKey{Name: "Square"})
	p := b.ProfileIn(m, 0, profileset.NoContext)
	p.Invocations(61205)
	p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 60949}, builder.Row{Type: square, Count: 7})
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: 1, Displacement: 32, NotTaken: 2})
	testarchive.MustDone(t, p)
	data, report, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	got := [3]uint64{h.Counts.Profiles, h.Counts.Entries, h.Counts.Pointers}
	if want := [3]uint64{1, 2, 2}; got != want {
		t.Errorf("%d profiles, entries and pointers, want %d", got, want)
	}
	if report.Bytes != int64(len(data)) {
		t.Errorf("the report says %d bytes, there are %d", report.Bytes, len(data))
	}
	again, _, err := b.Bytes()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same builder wrote other bytes: %v", err)
	}
	if _, err := archive.FromBytes("small", data, archive.Options{CheckAll: true}); err != nil {
		t.Fatal(err)
	}
}

func TestBytesDependOnContentAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		steps := drawSteps(rt)
		want := buildSteps(t, steps, concurrency{adders: 1, writers: 1})
		shuffled := rapid.Permutation(steps).Draw(rt, "order")
		if !bytes.Equal(want, buildSteps(t, shuffled, concurrency{adders: 1, writers: 8})) {
			rt.Fatal("shuffled input and eight writers make other bytes")
		}
		if !bytes.Equal(want, buildSteps(t, steps, concurrency{adders: 8, writers: 8})) {
			rt.Fatal("eight adders make other bytes")
		}
	})
}

// checkedContext is a context that is canceled once it was checked a number of times.
type checkedContext struct {
	context.Context
	left atomic.Int64
}

func (c *checkedContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCanceledCommitLeavesNothing cancels a commit at every check of its context,
// while it sorts, plans and writes.
func TestCanceledCommitLeavesNothing(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i := range 40_000 {
		p := b.Profile(layout.Key{Class: "C" + strconv.Itoa(i/9), Name: "m" + strconv.Itoa(i%9), Signature: "()V"}, 0)
		p.Invocations(uint64(i))
		testarchive.MustDone(t, p)
	}
	commit := func(allowed int64) (checks int64, err error) {
		directory := t.TempDir()
		ctx := &checkedContext{Context: t.Context()}
		ctx.left.Store(allowed)
		_, err = b.Commit(ctx, filepath.Join(directory, "a.parc"))
		if left, dirErr := os.ReadDir(directory); err != nil && (dirErr != nil || len(left) > 0) {
			t.Errorf("%d files are left, %v", len(left), dirErr)
		}
		return allowed - ctx.left.Load(), err
	}
	all, err := commit(1 << 40)
	if err != nil {
		t.Fatal(err)
	}
	if all < 15 {
		t.Fatalf("a commit checked its context %d times", all)
	}
	for checks := range all - 4 { // goroutines need not check equally often each time
		if _, err := commit(checks); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at check %d of %d: %v", checks, all, err)
		}
	}
}

// TestDumpIDs: each dump of a process has an ID of its own, and a run cannot be described without one.
func TestDumpIDs(t *testing.T) {
	t.Parallel()
	idOf := func(second int64, invocations uint64) [16]byte {
		b := builder.New(layout.DomainHotSpot, builder.Config{DumpTime: time.Unix(second, 0),
			Run: &layout.Provenance{Process: layout.Process{Boot: [16]byte{7}, PID: 1, Start: 99}, Main: "Main"}})
		p := b.Profile(layout.Key{Class: "A", Name: "m"}, 0)
		p.Invocations(invocations)
		testarchive.MustDone(t, p)
		return testarchive.Build(t, b).Header().DumpID
	}
	if idOf(10, 1) == idOf(11, 1) {
		t.Error("dumps of a process at two times have the same ID")
	}
	if idOf(10, 1) != idOf(10, 2) {
		t.Error("the ID of a dump of a process depends on what it counted")
	}
	idOfRun := func() [16]byte {
		_, report, err := builder.New(layout.DomainHotSpot, builder.Config{Run: &layout.Provenance{Main: "Main"}}).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return report.DumpID
	}
	if first, second := idOfRun(), idOfRun(); first == second {
		t.Error("two runs of a process that is not known have the same ID")
	}
	if first, second := disk.RandomDumpID(), disk.RandomDumpID(); first == second {
		t.Error("two random IDs are the same")
	}
}
