package reader_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// rangeMethods are as many as make an index that OpenRanges does not read.
const rangeMethods = 100_000

var laidRanges = sync.OnceValue(func() []byte {
	data, _, err := numbered(rangeMethods).Bytes()
	if err != nil {
		panic(err)
	}
	return data
})

// A yieldingReader lets others run in the middle of a read.
type yieldingReader struct{ data []byte }

func (r yieldingReader) ReadAt(b []byte, at int64) (int, error) {
	half := len(b) / 2
	n, err := bytes.NewReader(r.data).ReadAt(b[:half], at)
	if err != nil {
		return n, err
	}
	runtime.Gosched()
	more, err := bytes.NewReader(r.data).ReadAt(b[half:], at+int64(half))
	return n + more, err
}

func openRanges(t *testing.T) *reader.Store {
	t.Helper()
	data := laidRanges()
	m, err := archive.OpenRanges("far.parc", yieldingReader{data}, int64(len(data)), archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	if disk.RegionOf(s.Header(), disk.RegionIX).Size < 1<<20 {
		t.Fatal("the index is read with the names")
	}
	return s
}

// TestManyGoroutinesLookUpInRanges: whichever goroutine reads a page first, no other one
// misses a present profile. The race detector sees who looks at a page before it was read.
func TestManyGoroutinesLookUpInRanges(t *testing.T) {
	s := openRanges(t)
	looks := []func(*reader.Store, int) error{lookOneUp, findOne, lookMethodUp, lookBatchUp, findBatch, missOne, adoptOne}
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 400 {
				n := (7919*i + g%4*13) % rangeMethods // four goroutines each ask for the same
				if err := looks[(i+g)%len(looks)](s, n); err != nil {
					t.Errorf("method %d: %v", n, err)
					return
				}
			}
		})
	}
	adopt(t, s, reader.AdoptOptions{})
	wg.Wait()
}

func lookOneUp(s *reader.Store, n int) error {
	p, err := s.ProfileID(numberedKey(n).ID(layout.DomainHotSpot), layout.CodeAny)
	return isOf(p, err, n)
}

func findOne(s *reader.Store, n int) error {
	p, err := s.Profile(numberedKey(n), layout.CodeAny)
	return isOf(p, err, n)
}

// isOf returns an error unless p is the profile of a numbered method.
func isOf(p reader.Profile, err error, n int) error {
	if err != nil {
		return err
	}
	if c, _ := p.Invocations(); c.Trained() != uint64(n) {
		return fmt.Errorf("%d invocations", c.Trained())
	}
	return nil
}

func lookMethodUp(s *reader.Store, n int) error {
	m, err := s.FindID(numberedKey(n).ID(layout.DomainHotSpot))
	if err != nil {
		return err
	}
	p, _, err := m.Profile(layout.CodeAny)
	return isOf(p, err, n)
}

func lookBatchUp(s *reader.Store, n int) error {
	ids, found := make([]uint64, 100), make([]reader.Profile, 100)
	for i := range ids {
		ids[i] = numberedKey((n + 997*i) % rangeMethods).ID(layout.DomainHotSpot)
	}
	if hits, err := s.ProfileIDBatch(ids, nil, found); err != nil || hits != len(ids) {
		return fmt.Errorf("%d of %d found: %v", hits, len(ids), err)
	}
	return isOf(found[0], nil, n)
}

func findBatch(s *reader.Store, n int) error {
	keys, found := make([]layout.Key, 100), make([]reader.Profile, 100)
	for i := range keys {
		keys[i] = numberedKey((n + 991*i) % rangeMethods)
	}
	if hits, err := s.ProfileBatch(keys, nil, found); err != nil || hits != len(keys) {
		return fmt.Errorf("%d of %d found: %v", hits, len(keys), err)
	}
	return nil
}

func missOne(s *reader.Store, n int) error {
	k := numberedKey(n + rangeMethods)
	if _, err := s.Profile(k, layout.CodeAny); !errors.Is(err, reader.ErrNotFound) {
		return fmt.Errorf("found one too many: %v", err)
	}
	if _, err := s.ProfileID(k.ID(layout.DomainHotSpot), layout.CodeAny); !errors.Is(err, reader.ErrNotFound) {
		return fmt.Errorf("found one too many: %v", err)
	}
	return nil
}

func adoptOne(s *reader.Store, n int) error {
	p, err := s.Profile(numberedKey(n), layout.CodeAny)
	if err != nil {
		return err
	}
	if p, err = p.Claim(); err != nil {
		if errors.Is(err, reader.ErrNotAdopted) {
			return nil
		}
		return err
	}
	c, _ := p.Invocations()
	if err := c.Add(1); err != nil || c.Load() <= c.Trained() {
		return fmt.Errorf("%d counted on from %d: %v", c.Load(), c.Trained(), err)
	}
	return nil
}

// TestRangesAreAdoptedWithTheirCounts: adoption copies the profiles, read before or not.
func TestRangesAreAdoptedWithTheirCounts(t *testing.T) {
	for _, eager := range []bool{false, true} {
		s := openRanges(t)
		adopt(t, s, reader.AdoptOptions{Eager: eager})
		for n := 0; n < rangeMethods; n += 97 {
			p := adoptProfile(t, s, numberedKey(n))
			if c, _ := p.Invocations(); c.Load() != uint64(n) {
				t.Fatalf("eager %t: the profile of method %d counts from %d", eager, n, c.Load())
			}
			if rows := rowShapeOf(t, receiversAt(t, p, 6)); rows[[]string{"app/A", "app/B"}[n%2]] != uint64(n) {
				t.Fatalf("eager %t: method %d has rows %v", eager, n, rows)
			}
		}
	}
}

// TestRangesThatCannotBeReadAreNotAdopted: what cannot be read does not count from 0.
func TestRangesThatCannotBeReadAreNotAdopted(t *testing.T) {
	data := laidRanges()
	unplugged := errors.New("unplugged")
	r := &failingReader{data: data}
	m, err := archive.OpenRanges("far.parc", r, int64(len(data)), archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	r.err = unplugged
	if err := s.Adopt(reader.AdoptOptions{}); bigEndianRefuses(err) {
		t.Skip(err)
	} else if !errors.Is(err, unplugged) {
		t.Errorf("adopted without its profiles: %v", err)
	}
	r.err = nil
	adopt(t, s, reader.AdoptOptions{})
	if c, _ := adoptProfile(t, s, numberedKey(5)).Invocations(); c.Load() != 5 {
		t.Errorf("counts from %d", c.Load())
	}
}

// A failingReader fails once it has an error.
type failingReader struct {
	data []byte
	err  error
}

func (r *failingReader) ReadAt(b []byte, at int64) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return bytes.NewReader(r.data).ReadAt(b, at)
}
