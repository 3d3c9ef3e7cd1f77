package builder_test

import (
	"errors"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// TestOuterContexts: a context that grows frame by frame is the same as one of all frames at once.
func TestOuterContexts(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	m, caller := b.Method(layout.Key{Class: "C", Name: "m"}), b.Method(layout.Key{Class: "C", Name: "caller"})
	frames := []builder.Frame{{Caller: caller, Point: 1}, {Caller: m, Point: -1}, {Caller: caller, Point: 1}}
	at := profileset.NoContext
	for i, f := range frames {
		at = b.Internal().OuterContext(m, at, f.Caller, f.Point)
		if at != b.Context(m, frames[:i+1]...) || at == profileset.NoContext {
			t.Errorf("%d frames: context %d, want %d", i+1, at, b.Context(m, frames[:i+1]...))
		}
	}
	if b.Err() != nil {
		t.Error(b.Err())
	}
}

func TestInvalidOuterContexts(t *testing.T) {
	t.Parallel()
	for what, add := range map[string]func(b *builder.Builder, m builder.MethodRef) builder.ContextRef{
		"of no method": func(b *builder.Builder, m builder.MethodRef) builder.ContextRef {
			return b.Internal().OuterContext(m+1, profileset.NoContext, m, 0)
		},
		"of another method": func(b *builder.Builder, m builder.MethodRef) builder.ContextRef {
			other := b.Method(layout.Key{Class: "C", Name: "other"})
			return b.Internal().OuterContext(other, b.Context(m, builder.Frame{Caller: m}), m, 0)
		},
		"around none": func(b *builder.Builder, m builder.MethodRef) builder.ContextRef {
			return b.Internal().OuterContext(m, 1, m, 0)
		},
		"with no caller": func(b *builder.Builder, m builder.MethodRef) builder.ContextRef {
			return b.Internal().OuterContext(m, profileset.NoContext, m+1, 0)
		},
	} {
		t.Run(what, func(t *testing.T) {
			b := builder.New(layout.DomainGraal, builder.Config{})
			if at := add(b, b.Method(layout.Key{Class: "C", Name: "m"})); at != profileset.NoContext || b.Err() == nil {
				t.Errorf("%s: context %d, error %v", what, at, b.Err())
			}
		})
	}
}

func TestContextsTooDeep(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	m, at := b.Method(layout.Key{Class: "C", Name: "m"}), profileset.NoContext
	for range disk.MaxDepth {
		at = b.Internal().OuterContext(m, at, m, 0)
	}
	if b.Err() != nil {
		t.Fatal(b.Err())
	}
	if at = b.Internal().OuterContext(m, at, m, 0); at != profileset.NoContext ||
		!errors.Is(b.Err(), layout.ErrTooLarge) {
		t.Errorf("context %d, error %v", at, b.Err())
	}
}
