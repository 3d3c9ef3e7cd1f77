package reader_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// Going up from the deepest context finds for all on the way which method they belong to: going up from each
// of them, two thousand million steps for the deepest that can be, is done once.
func TestContextsOnTheWayAreKept(t *testing.T) {
	t.Parallel()
	const depth = 3000 // more than a chunk of remembered nodes
	b := builder.New(layout.DomainGraal, builder.Config{})
	m := b.Method(layout.Key{Class: "A", Name: "f"})
	at := profileset.NoContext
	for i := range depth {
		at = b.Internal().OuterContext(m, at, m, int32(i))
	}
	s := open(t, laid(t, b))
	section := s.Header().Parts[disk.PartContexts]
	deepest, err := s.ContextAt(disk.RefOf(section.End() - disk.ContextSize))
	if err != nil || deepest.Depth() != depth {
		t.Fatalf("depth %d, %v", deepest.Depth(), err)
	}
	of, err := deepest.Method()
	if err != nil {
		t.Fatal(err)
	}
	for at := section.Offset; at < section.End(); at += disk.ContextSize {
		if got := s.LeafOf(disk.RefOf(at)); got != of.Ref() {
			t.Fatalf("the context at 0x%x is of 0x%x, want 0x%x", at, got, of.Ref())
		}
	}
}
