package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A countedReader counts the bytes that are read.
type countedReader struct {
	data []byte
	fail int64 // reads that reach beyond it fail; 0 for none

	mu           sync.Mutex
	reads, bytes int64
}

var errUnplugged = errors.New("unplugged")

func (c *countedReader) ReadAt(b []byte, at int64) (int, error) {
	c.mu.Lock()
	c.reads, c.bytes = c.reads+1, c.bytes+int64(len(b))
	c.mu.Unlock()
	if c.fail > 0 && at+int64(len(b)) > c.fail {
		return 0, errUnplugged
	}
	return bytes.NewReader(c.data).ReadAt(b, at)
}

// largeArchive returns an archive that is mostly profiles.
func largeArchive(t *testing.T) []byte {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i := range 2000 {
		p := b.Profile(layout.Key{Class: "A",
			Name: string(rune('a'+i/1000)) + string(rune('a'+i/100%10)) + string(rune('a'+i/10%10)) +
				string(rune('a'+i%10)),
			Signature: "()V"}, 0)
		for bci := range 100 {
			p.Counter(builder.At{Bci: int32(bci)}, uint64(i*bci))
		}
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func openRanges(t *testing.T, c *countedReader, size int) *reader.Store {
	t.Helper()
	m, err := archive.OpenRanges("far.parc", c, int64(size), archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(m)
}

func TestRangesAreReadWhenTouched(t *testing.T) {
	t.Parallel()
	data := largeArchive(t)
	c := &countedReader{data: data}
	s := openRanges(t, c, len(data))
	start := disk.RegionOf(s.Header(), disk.RegionRW).Offset
	if c.reads > 2 || c.bytes > start+1<<16 {
		t.Errorf("opening read %d bytes in %d reads, the profiles begin at %d", c.bytes, c.reads, start)
	}
	before := c.bytes
	p, err := s.Profile(layout.Key{Class: "A", Name: "baaa", Signature: "()V"}, layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	if n := c.bytes - before; n > 2<<16 {
		t.Errorf("a lookup read %d bytes", n)
	}
	if e, ok := p.At(7); !ok {
		t.Error("no entry")
	} else if n, _ := e.Counter(); n.Load() != 7000 {
		t.Errorf("%d counted, want 7000", n.Load())
	}
	if err := s.Mapping().Verify(context.Background(), nil); err != nil {
		t.Error(err)
	}
	if want := int64(len(data)); c.bytes > want+1<<16 || c.reads > 20 {
		t.Errorf("all of %d bytes: %d bytes in %d reads", want, c.bytes, c.reads)
	}
}

// manyMethods returns an archive whose index is long.
func manyMethods(t *testing.T) []byte {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i := range 90_000 {
		p := b.Profile(layout.Key{Class: "A", Name: fmt.Sprintf("m%05d", i), Signature: "()V"}, 0)
		p.Invocations(uint64(i))
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestNamesAreReadWithoutTheIndex(t *testing.T) {
	t.Parallel()
	data := manyMethods(t)
	c := &countedReader{data: data}
	s := openRanges(t, c, len(data))
	h := s.Header()
	if index := disk.RegionOf(h, disk.RegionIX); index.Size < 1<<20 {
		t.Fatalf("an index of %d bytes says nothing", index.Size)
	}
	names := disk.RegionOf(h, disk.RegionPS).End() + disk.RegionOf(h, disk.RegionRO).Size +
		disk.RegionOf(h, disk.RegionEX).End() - disk.RegionOf(h, disk.RegionRO).End()
	if c.bytes > names+1<<16+2<<12 || c.reads > 4 {
		t.Errorf("%d bytes in %d reads, sums, names and tables have %d", c.bytes, c.reads, names)
	}
	c.bytes, c.reads = 0, 0
	var some []reader.Method
	for m, err := range s.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		if some = append(some, m); len(some) == 60_000 {
			break
		}
	}
	some = some[15_000:]
	if c.reads > 0 {
		t.Errorf("names alone took %d reads", c.reads)
	}
	if err := s.CheckProfilesOf(some); err != nil {
		t.Fatal(err)
	}
	if most := disk.RegionOf(h, disk.RegionRW).Size/2 + 3<<12; c.reads != 1 || c.bytes > most {
		t.Errorf("half of the profiles: %d bytes in %d reads, want one of at most %d", c.bytes, c.reads, most)
	}
	for _, m := range some {
		for p, err := range m.Profiles() {
			if n, ok := p.Invocations(); err != nil || !ok || n.Load() < 15_000 {
				t.Fatalf("%v, %v", ok, err)
			}
		}
	}
	if c.reads > 1 {
		t.Errorf("then profiles took %d more reads", c.reads-1)
	}
	if _, err := s.Profile(layout.Key{Class: "A", Name: "m00007", Signature: "()V"}, layout.CodeAny); err != nil {
		t.Errorf("a lookup in an index that was not read: %v", err)
	}
}

func TestRangesByManyReaders(t *testing.T) {
	t.Parallel()
	data := largeArchive(t)
	s := openRanges(t, &countedReader{data: data}, len(data))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for p, err := range s.Profiles() {
				if err != nil || len(p.Bytes()) == 0 {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
}

func TestRangesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	data := largeArchive(t)
	s := openRanges(t, &countedReader{data: data, fail: int64(len(data)) / 2}, len(data))
	var met error
	for _, err := range s.Profiles() {
		met = errors.Join(met, err)
	}
	if !errors.Is(met, errUnplugged) {
		t.Errorf("profiles that cannot be read: %v", met)
	}
	for what, c := range map[string]struct {
		r    io.ReaderAt
		size int
		want error
	}{
		"nothing can be read": {&countedReader{data: data, fail: 1}, len(data), errUnplugged},
		"half an archive":     {&countedReader{data: data[:1<<14]}, len(data), layout.ErrTruncated},
		"a smaller size":      {&countedReader{data: data}, len(data) / 2, layout.ErrTruncated},
		"no archive":          {&countedReader{data: make([]byte, 1<<17)}, 1 << 17, layout.ErrFormat},
		"empty":               {&countedReader{}, 0, layout.ErrFormat},
	} {
		t.Run(what, func(t *testing.T) {
			if _, err := archive.OpenRanges("far.parc", c.r, int64(c.size), archive.Options{}); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", what, err, c.want)
			}
		})
	}
	tampered := bytes.Clone(data)
	tampered[len(data)-100] ^= 4
	err := openRanges(t, &countedReader{data: tampered}, len(data)).Mapping().Verify(context.Background(), nil)
	if !errors.Is(err, layout.ErrChecksum) {
		t.Errorf("a changed byte: %v", err)
	}
}
