package reader_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Many goroutines adopt, count, record and read the same profiles at once: no
// count is lost, no type gets two rows, and whoever reads sees sound rows.
func TestManyGoroutinesShareProfiles(t *testing.T) {
	for _, eager := range []bool{false, true} {
		t.Run(fmt.Sprintf("eager=%t", eager), func(t *testing.T) { shareProfiles(t, eager) })
	}
}

const (
	goroutines = 32
	rounds     = 60
	profiles   = 40
)

func shareProfiles(t *testing.T, eager bool) {
	s := open(t, laid(t, numbered(profiles)))
	adopt(t, s, reader.AdoptOptions{Eager: eager})
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				if err := shareOne(s, (g+i)%profiles, g%3); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	var counted, recorded uint64
	for i := range profiles {
		p := adoptProfile(t, s, numberedKey(i))
		c, _ := p.Invocations()
		counted += c.Load() - c.Trained()
		r := receiversAt(t, p, 6)
		rowShapeOf(t, r)
		recorded += r.Other().Load() - r.Other().Trained()
		for row := range r.All() {
			recorded += row.Count.Load() - row.Count.Trained()
		}
		if e := entryAt(t, p, 6); e.Flags()&layout.EntryNullSeen == 0 || e.Traps() == 0 {
			t.Errorf("profile %d: flags %#x, traps %#x", i, e.Flags(), e.Traps())
		}
	}
	if want := uint64(goroutines * rounds); counted != want || recorded != want {
		t.Errorf("%d counted and %d recorded, want %d", counted, recorded, want)
	}
	if a, _ := s.Adoption(); a.Claimed != profiles || a.Relocated != s.Header().Counts.Pointers {
		t.Errorf("%d profiles claimed, %d slots relocated; want %d and %d", a.Claimed, a.Relocated, profiles,
			s.Header().Counts.Pointers)
	}
}

// shareOne does everything once that can be done with a profile.
func shareOne(s *reader.Store, i, which int) error {
	m, err := s.Find(numberedKey(i))
	if err != nil {
		return err
	}
	p, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		return err
	}
	if p, err = p.Claim(); err != nil {
		return err
	}
	t, err := receiverNo(s, which)
	if err != nil {
		return err
	}
	if err := s.Bind(t, uint64(which)+1); err != nil {
		return err
	}
	return recordAll(p, t, uint64(which)+1)
}

// receiverNo returns one of two types of the archive, or a late one.
func receiverNo(s *reader.Store, which int) (reader.Type, error) {
	if which == 2 {
		return s.LateType("app/Late", "")
	}
	return s.FindType([]string{"app/A", "app/B"}[which], "")
}

func recordAll(p reader.Profile, t reader.Type, class uint64) error {
	c, _ := p.Invocations()
	e, ok := p.At(6)
	r, _ := e.Receivers()
	if !ok {
		return fmt.Errorf("no entry at 6")
	}
	_, recorded := r.Record(t)
	for _, err := range []error{c.Add(1), recorded, e.RecordNull(), e.RecordTrap(uint32(class), class == 1)} {
		if err != nil {
			return err
		}
	}
	for row := range r.Bound() {
		name, err := row.Type.Name()
		if err != nil || name.Len() < len("app/A") {
			return fmt.Errorf("a row of type %q: %v", name, err)
		}
	}
	if state := e.Flags(); state != layout.EntryNullSeen {
		return fmt.Errorf("flags %#x", state)
	}
	return nil
}
