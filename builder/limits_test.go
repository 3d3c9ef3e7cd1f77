package builder

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

func newHotSpot() *Builder {
	var p layout.Params
	p[layout.ParamTypeProfileWidth], p[layout.ParamBciProfileWidth] = 2, 2
	return New(layout.DomainHotSpot, Config{Params: p})
}

func TestLimits(t *testing.T) {
	long := strings.Repeat("x", disk.MaxName+1)
	for name, add := range map[string]func(b *Builder) error{
		"name length": func(b *Builder) error { b.Method(layout.Key{Class: "A", Name: long}); return b.Err() },
		"context depth": func(b *Builder) error {
			m := b.Method(layout.Key{Class: "A", Name: "a"})
			b.Context(m, make([]Frame, disk.MaxDepth+1)...)
			return b.Err()
		},
		"entry size": func(b *Builder) error {
			p := b.Profile(b.Method(layout.Key{Name: "a"}), 0, 0)
			p.wide(layout.TagCounters, 0, 0, 0, maxCells+1, nil)
			return p.Done()
		},
	} {
		if err := add(newHotSpot()); !errors.Is(err, layout.ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
	}
}

func TestLargestKeysFit(t *testing.T) {
	b := newHotSpot()
	m := b.Method(layout.Key{Class: "A", Name: strings.Repeat("x", disk.MaxName)})
	frames := make([]Frame, disk.MaxDepth)
	for i := range frames {
		frames[i] = Frame{m, int32(i)}
	}
	if err := b.Profile(m, 0, b.Context(m, frames...)).Done(); err != nil {
		t.Fatal(err)
	}
	_, report, err := b.Bytes()
	if err != nil || report.Counts.Contexts != disk.MaxDepth {
		t.Errorf("%d context nodes, %v", report.Counts.Contexts, err)
	}
}

// The size of the file is decided before anything is written, so that the
// limit can be shown on sizes alone.
func TestFileSizeLimit(t *testing.T) {
	for _, c := range []struct {
		rw int64
		ok bool
	}{{disk.MaxFileSize - 256<<20, true}, {disk.MaxFileSize, false}, {disk.MaxFileSize * 2, false}} {
		p := &plan{b: newHotSpot()}
		p.set(layout.RegionIX, disk.LineSize)
		p.set(layout.RegionRW, c.rw)
		err := p.place()
		if c.ok != (err == nil) || err != nil && !errors.Is(err, layout.ErrTooLarge) {
			t.Errorf("rw of %d bytes: %v", c.rw, err)
		}
	}
}

// The room for page sums and the place of the index depend on each other; all
// small sizes must settle, with a header that a reader takes.
func TestPlacementSettles(t *testing.T) {
	step := int64(4096 - 8)
	for rw := int64(0); rw < disk.MaxFileSize-256<<20; rw += step {
		if rw > 8<<20 {
			step = rw / 1000 &^ 7
		}
		p := &plan{b: newHotSpot()}
		p.header.Domain = layout.DomainHotSpot
		p.set(layout.RegionIX, disk.LineSize*(1+rw%64))
		p.set(layout.RegionRO, rw%8192)
		p.set(layout.RegionRW, rw)
		p.section[disk.PartMethods] = rw % 8192
		if err := p.place(); err != nil {
			t.Fatal(err)
		}
		p.header.Buckets = uint64(p.sizeOf(layout.RegionIX)) / disk.LineSize
		if _, err := disk.ParseHeader(disk.AppendHeader(nil, &p.header), p.header.FileSize); err != nil {
			t.Fatalf("rw of %d bytes: %v", rw, err)
		}
	}
}

// Keys of one id all lie in the lines from one bucket on: thousands of them are
// more than a bounded search may look at.
func TestSharedIDsAreBounded(t *testing.T) {
	b := newHotSpot()
	for i := range 3000 {
		b.Method(layout.Key{Class: "A", Name: strconv.Itoa(i)})
	}
	for _, m := range b.methods.all {
		m.id = 1
	}
	if _, _, err := b.Bytes(); !errors.Is(err, layout.ErrTooLarge) {
		t.Errorf("3000 methods of one id: %v, want ErrTooLarge", err)
	}
}
