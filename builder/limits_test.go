package builder

import (
	"errors"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

func newHotSpot() *Builder {
	var p layout.Params
	p.TypeProfileWidth, p.BciProfileWidth = 2, 2
	return New(layout.DomainHotSpot, Config{Params: p})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", disk.MaxName+1)
	for name, add := range map[string]func(b *Builder) error{
		"name length": func(b *Builder) error { b.Method(layout.Key{Class: "A", Name: long}); return b.Err() },
		"context depth": func(b *Builder) error {
			m := b.Method(layout.Key{Class: "A", Name: "a"})
			b.Context(m, make([]Frame, disk.MaxDepth+1)...)
			return b.Err()
		},
		"entry size": func(b *Builder) error {
			p := b.Profile(layout.Key{Name: "a"}, 0)
			p.wide(profileset.Wide{Tag: layout.TagReceivers}, 1<<28+1, nil)
			return p.Done()
		},
	} {
		if err := add(newHotSpot()); !errors.Is(err, layout.ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
	}
}

func TestLargestKeysFit(t *testing.T) {
	t.Parallel()
	b := newHotSpot()
	m := b.Method(layout.Key{Class: "A", Name: strings.Repeat("x", disk.MaxName)})
	frames := make([]Frame, disk.MaxDepth)
	for i := range frames {
		frames[i] = Frame{m, int32(i)}
	}
	if err := b.ProfileIn(m, 0, b.Context(m, frames...)).Done(); err != nil {
		t.Fatal(err)
	}
	_, report, err := b.Bytes()
	if err != nil || report.Counts.Contexts != disk.MaxDepth {
		t.Errorf("%d context nodes, %v", report.Counts.Contexts, err)
	}
}
