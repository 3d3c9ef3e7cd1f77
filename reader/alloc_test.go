package reader_test

import (
	"errors"
	"testing"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// What a VM does while it runs allocates nothing.
func TestHotPathsDoNotAllocate(t *testing.T) {
	s := openFixture(t)
	adopt(t, s, reader.AdoptOptions{})
	area, loop := adoptProfile(t, s, keyArea), adoptProfile(t, s, keyLoop)
	trained, many := profileOf(t, s, keyArea), profileOf(t, s, keyMany)
	sum, main, caller := find(t, s, keySum), find(t, s, keyMain), find(t, s, keyLoop)
	flat := find(t, s, keyArea)
	circle, _ := s.FindType("Circle", "")
	if err := s.Bind(circle, 9); err != nil {
		t.Fatal(err)
	}
	id := keyArea.ID(layout.DomainHotSpot)
	frames := []reader.Frame{{Caller: caller, Point: 4}, {Caller: caller, Point: 5}, {Caller: main, Point: -6}}
	keys, ids := []layout.Key{keySum, keyArea}, []uint64{id, 1}
	profiles := make([]reader.Profile, 2)
	var sink uint64
	for name, f := range map[string]func(){
		"Find":           func() { m, _ := s.Find(keySum); sink += m.ID() },
		"Find miss":      func() { _, err := s.Find(layout.Key{Class: "No"}); sink += errorBit(err) },
		"Lookup":         func() { m, _ := s.FindID(id); sink += m.ID() },
		"Lookup miss":    func() { _, err := s.FindID(1); sink += errorBit(err) },
		"Profile by key": func() { p, _ := s.Profile(keySum, layout.CodeAny); sink += uint64(p.Ref()) },
		"Profile by id":  func() { p, _ := s.ProfileID(id, layout.CodeAny); sink += uint64(p.Ref()) },
		"ProfileBatch":   func() { n, _ := s.ProfileBatch(keys, nil, profiles); sink += uint64(n) },
		"ProfileIDBatch": func() { n, _ := s.ProfileIDBatch(ids, nil, profiles); sink += uint64(n) },
		"ClaimBatch": func() {
			n, _ := s.ProfileBatch(keys, nil, profiles)
			sink += uint64(n) + errorBit(s.ClaimBatch(profiles))
		},
		"FindType": func() { ty, _ := s.FindType("Circle", ""); sink += uint64(ty.Ordinal()) },
		"Profiles": func() { // of a method without calling contexts
			for p := range flat.Profiles() {
				sink += uint64(p.Ref())
			}
		},
		"Profile":      func() { p, _, _ := sum.Profile(layout.CodeAny); sink += uint64(p.Ref()) },
		"Profile deep": func() { p, _, _ := sum.Profile(layout.CodeAny, frames...); sink += uint64(p.Ref()) },
		"Adopt":        func() { p, _ := trained.Claim(); sink += uint64(p.Ref()) },
		"At, listed":   func() { e, _ := many.At(6); sink += uint64(e.Point()) },
		"At, scanned":  func() { e, _ := area.At(6); sink += uint64(e.Point()) },
		"Entries": func() {
			for e := range area.Entries() {
				sink += uint64(e.Point())
			}
		},
		"Points": func() {
			for e := range many.Points(6) {
				sink += uint64(e.Point())
			}
		},
		"counters": func() { c, _ := area.Invocations(); sink += errorBit(c.Add(1)) + c.Load() + c.Trained() },
		"Branch":   func() { e, _ := area.At(4); b, _ := e.Branch(); sink += b.Taken.Load() + b.NotTaken.Load() },
		"Record": func() {
			e, _ := area.At(6)
			r, _ := e.Receivers()
			_, err := r.Record(circle)
			sink += errorBit(err) + errorBit(e.RecordNull()) + errorBit(e.RecordTrap(2, false))
		},
		"Receivers": func() {
			e, _ := area.At(6)
			r, _ := e.Receivers()
			for row := range r.All() {
				sink += row.Count.Load()
			}
			for row := range r.Bound() {
				sink += row.Count.Load()
			}
		},
		"lists": func() {
			e, _ := area.At(9)
			types, _ := e.Types()
			_, w := types.Arg(0)
			e, _ = loop.At(2)
			rows, _ := e.Rows()
			sink += uint64(w.Type.Ordinal()) + rows.Cell(0, 1).Load()
		},
		"names": func() { n, _ := circle.Name(); sink += uint64(n.Len()) },
	} {
		f() // the first fetch checks pages and the block
		if n := testing.AllocsPerRun(50, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if sink == 0 {
		t.Error("nothing was done")
	}
}

func errorBit(err error) uint64 {
	if err != nil {
		return 1
	}
	return 0
}

// An archive with many lines has its ready words in a mapping, which is noted in as the heap is.
func TestReadyWordsOfALargeArchive(t *testing.T) {
	t.Parallel()
	const methods = 60_000
	s := open(t, laid(t, numbered(methods)))
	for range 2 {
		for i := 0; i < methods; i += 100 {
			id := numberedKey(i).ID(layout.DomainHotSpot)
			if p, err := s.ProfileID(id, layout.CodeAny); err != nil || countOf(t, p) != uint64(i) {
				t.Fatalf("method %d: %v", i, err)
			}
			if _, err := s.ProfileID(id+1, layout.CodeAny); !errors.Is(err, reader.ErrNotFound) {
				t.Fatalf("method %d: %v", i, err)
			}
		}
	}
}

func countOf(t *testing.T, p reader.Profile) uint64 {
	t.Helper()
	c, ok := p.Invocations()
	if !ok {
		t.Fatal("no invocation counter")
	}
	return c.Load()
}
