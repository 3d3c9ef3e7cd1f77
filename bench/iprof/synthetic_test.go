package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestSyntheticIsAProfile checks that a synthetic profile is imported without a
// loss, has the size that was asked for and no key or record twice, and that both
// contenders give the same answer to each query.
func TestSyntheticIsAProfile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "two.iprof")
	if err := writeSynthetic(path, 2); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() < 1_800_000 || info.Size() > 2_300_000 {
		t.Errorf("%d bytes", info.Size())
	}
	file, err := decode(path)
	if err != nil {
		t.Fatal(err)
	}
	file.checkUnique(t)
	if err := importFile(path, path+".parc"); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path+".parc", archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	queries, err := file.queries(100)
	if err != nil {
		t.Fatal(err)
	}
	for i := range queries {
		q := &queries[i]
		ours, err := answer(s, q)
		if theirs := file.answer(q); err != nil || ours != q.count || theirs != q.count {
			t.Fatalf("%v was called %d times: the archive says %d, %v, the file %d", q.frames, q.count, ours, err, theirs)
		}
	}
}

// checkUnique checks that no method and no context is in a section twice.
func (f *plainFile) checkUnique(t *testing.T) {
	t.Helper()
	keys := map[layout.Key]bool{}
	for i := range f.Methods {
		keys[f.key(&f.Methods[i])] = true
	}
	if len(keys) != len(f.Methods) {
		t.Errorf("%d keys of %d methods", len(keys), len(f.Methods))
	}
	for _, records := range [][]plainRecord{f.CallCounts, f.Conditionals, f.VirtualInvokes} {
		places := map[string]bool{}
		for _, r := range records {
			places[r.Ctx] = true
		}
		if len(places) != len(records) || len(places) == 0 {
			t.Errorf("%d places of %d records", len(places), len(records))
		}
	}
}
