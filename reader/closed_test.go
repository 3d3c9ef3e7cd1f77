package reader_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func TestOpenMissingFile(t *testing.T) {
	t.Parallel()
	if s, err := reader.Open(filepath.Join(t.TempDir(), "none.parc"), archive.Options{}); err == nil || s != nil {
		t.Errorf("opened %v, %v", s, err)
	}
}

// After Close calls that need the archive fail; what was fetched before stays readable and goes on counting.
func TestCloseEndsLookupsAndKeepsViews(t *testing.T) {
	for _, s := range []*reader.Store{openFixture(t), openFile(t, fixture(0))} {
		adopt(t, s, reader.AdoptOptions{})
		m, p := find(t, s, keyArea), adoptProfile(t, s, keyArea)
		trained, other := profileOf(t, s, keyArea), profileOf(t, s, keyMany)
		name, _ := m.Name()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing twice: %v", err)
		}
		for what, err := range closedCalls(s, m, other) {
			if !errors.Is(err, archive.ErrClosed) {
				t.Errorf("%s: %v", what, err)
			}
		}
		runtime.GC()
		c, _ := p.Invocations()
		if err := c.Add(1); err != nil || c.Load() != 1001 || name.String() != "area" {
			t.Errorf("count %d, %v, name %q", c.Load(), err, name)
		}
		for _, p := range []reader.Profile{trained, p} {
			if diff := cmp.Diff([]uint64{17, 18}, countsAt(p, 6)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		}
	}
}

func countsAt(p reader.Profile, point int32) (counts []uint64) {
	e, _ := p.At(point)
	r, _ := e.Receivers()
	for row := range r.All() {
		counts = append(counts, row.Count.Load())
	}
	return counts
}

func TestClosedStoreIsNotAdopted(t *testing.T) {
	for _, s := range []*reader.Store{openFixture(t), openFile(t, fixture(0))} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.Adopt(reader.AdoptOptions{}); !errors.Is(err, archive.ErrClosed) {
			t.Errorf("adopt: %v", err)
		}
	}
}

func closedCalls(s *reader.Store, m reader.Method, p reader.Profile) map[string]error {
	calls := map[string]error{}
	_, calls["find"] = s.Find(keySum)
	_, calls["find a miss"] = s.Find(layout.Key{Name: "none"})
	_, calls["lookup"] = s.FindID(1)
	_, calls["find a profile"] = s.Profile(keySum, layout.CodeAny)
	_, calls["lookup a profile"] = s.ProfileID(keySum.ID(layout.DomainHotSpot), layout.CodeAny)
	_, calls["lookup a profile that is missing"] = s.ProfileID(1, layout.CodeAny)
	_, calls["profiles"] = s.ProfileIDBatch([]uint64{1}, nil, make([]reader.Profile, 1))
	_, calls["profiles of keys"] = s.ProfileBatch([]layout.Key{keySum}, nil, make([]reader.Profile, 1))
	_, calls["type"] = s.FindType("Circle", "")
	_, _, calls["profile"] = m.Profile(layout.CodeAny)
	_, calls["table"] = s.Table(disk.TableOrder)
	_, calls["adopt a profile"] = p.Claim()
	calls["adopt profiles"] = s.ClaimBatch([]reader.Profile{p})
	_, calls["key"] = m.Key()
	for _, err := range s.Methods() {
		calls["methods"] = err
	}
	for _, err := range s.Types() {
		calls["types"] = err
	}
	for _, err := range s.Tables() {
		calls["tables"] = err
	}
	return calls
}
