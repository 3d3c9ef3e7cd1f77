//go:build linux

package live

import (
	"cmp"
	"context"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A recordedVM is an image of the pages of a real JVM that are read of it.
type recordedVM struct {
	*image
	methods int // with a profile
}

// recordPages reads a process and keeps the pages.
type recordPages struct {
	*process
	image *image
}

func (r *recordPages) readAt(b []byte, addr uint64) error {
	first := addr / pageSize * pageSize
	for at := first; at < addr+uint64(len(b)); at += pageSize {
		if _, ok := r.image.pageTable[at]; ok {
			continue
		}
		page := make([]byte, pageSize)
		if err := r.process.readAt(page, at); err != nil {
			return err
		}
		r.image.pageTable[at] = page
	}
	return r.image.readAt(b, addr)
}

// record records a JVM that stands still.
func record(t testing.TB, pid int) *recordedVM {
	t.Helper()
	p, err := openProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	bases, err := libraryBases(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	base := bases[0]
	r := &recordPages{p, &image{pageTable: map[uint64][]byte{}, base: base}}
	m := newMeter(context.Background(), p.heldBytes())
	spans := &recorder{source: newPageCache(r, m)}
	vm := &VM{p: p}
	if err := vm.openTables(spans, base); err != nil {
		t.Fatal(err)
	}
	if _, err := vm.shapingParams(spans); err != nil {
		t.Fatal(err)
	}
	snap, err := newWalker(vm.schema, spans, m, func(addr uint64) ([]uint64, error) {
		return vm.schema.methodArray(spans, addr)
	}).walkLoaders()
	if err != nil {
		t.Fatal(err)
	}
	names := newNamer(vm.schema, spans, m)
	names.loaderNames(snap)
	for _, f := range snap.methods {
		if _, err := names.readConstMethod(f.constMethod); err != nil {
			t.Fatal(err)
		}
		_, _ = names.symbolText(snap.klasses[f.klass].name)
	}
	for _, k := range snap.klasses { // receivers may be of any class
		_, _ = names.symbolText(k.name)
	}
	slices.SortFunc(spans.visits, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(b.size, a.size))
	})
	// the largest at each
	r.image.spans = slices.CompactFunc(spans.visits, func(a, b span) bool { return a.addr == b.addr })
	return &recordedVM{r.image, len(snap.methods)}
}

// recordedImage starts a JVM and records it.
func recordedImage(t testing.TB) *recordedVM {
	t.Helper()
	home := testjvm.First()
	if _, err := os.Stat(filepath.Join(home, "bin", "java")); home == "" || err != nil {
		t.Skip("no JVM: set JAVA_HOME")
	}
	j := start(t, home, "-Xshare:auto", "Twins")
	j.await("ready")
	return record(t, j.pid())
}

// A recorded image reads as the process does.
func TestRecordedMemory(t *testing.T) {
	r := recordedImage(t)
	t.Logf("%d pages, %d spans, %d methods", len(r.pageTable), len(r.spans), r.methods)
	if n := readImage(t, r.image); n != r.methods || n == 0 {
		t.Errorf("%d methods, want %d", n, r.methods)
	}
}

// FuzzRecordedMemory changes the memory of a real JVM. It is recorded each time, so that a change found in
// one run may mean another in the next: what fails names the change itself.
func FuzzRecordedMemory(f *testing.F) { fuzzImage(f, recordedImage(f).image) }
