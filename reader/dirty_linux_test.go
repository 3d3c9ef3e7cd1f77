package reader_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/reader"
)

// dirtyKB adds up what the kernel says is dirty or no longer the file's in all mappings of a file, in KiB.
func dirtyKB(t *testing.T, path string) (total int) {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	seen, inside := false, false
	for line := range strings.Lines(string(smaps)) {
		fields := strings.Fields(line)
		if strings.Contains(fields[0], "-") {
			inside = fields[len(fields)-1] == path
			seen = seen || inside
			continue
		}
		switch fields[0] {
		case "Shared_Dirty:", "Private_Dirty:", "Anonymous:":
			if n, err := strconv.Atoi(fields[1]); inside && err == nil {
				total += n
			}
		}
	}
	if !seen {
		t.Fatal("the file is not mapped")
	}
	return total
}

// A view writes nothing and relocates nothing; adopting a profile elsewhere
// than at the requested base does, which shows that the kernel's figures tell.
func TestViewDirtiesNoPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "view.parc")
	if _, err := specimen.All()[0].Build().Commit(context.Background(), path); err != nil {
		t.Fatal(err)
	}
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	profiles := readAll(t, s)
	if n := dirtyKB(t, path); n != 0 {
		t.Errorf("%d KiB are dirty after reading a view", n)
	}
	adopt(t, s, reader.AdoptOptions{Anywhere: true})
	for _, p := range profiles {
		if _, err := p.Claim(); err != nil && !errors.Is(err, reader.ErrUndecoded) {
			t.Fatal(err)
		}
	}
	if dirtyKB(t, path) == 0 {
		t.Error("profiles were relocated, and nothing is dirty")
	}
}

// readAll reads every profile of an archive, and the names in it.
func readAll(t *testing.T, s *reader.Store) (profiles []reader.Profile) {
	t.Helper()
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Key(); err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			for e := range p.Entries() {
				for i := range e.Cells() {
					e.Cell(i).Load()
				}
			}
			profiles = append(profiles, p)
		}
	}
	return profiles
}
