package profileset

import (
	"testing"

	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/layout"
)

// Later searches find contexts that were added without a search, one by one and in groups.
func TestContextsAddedWithoutASearchAreFound(t *testing.T) {
	t.Parallel()
	b := New(layout.DomainSampled, Heading{}, spill.Config{})
	leaf, caller := b.Method(layout.Key{Name: "leaf"}), b.Method(layout.Key{Name: "caller"})
	var frames []OuterFrame
	var want []ContextRef
	for point := range int32(FrameGroup) {
		inner := NoContext
		if point > 0 {
			inner = want[point/2]
		}
		frames = append(frames, OuterFrame{inner, caller, point})
		if point%3 == 0 {
			want = append(want, b.OuterContext(leaf, inner, caller, point))
		} else {
			want = append(want, b.NewContext(leaf, inner, caller, point))
		}
	}
	for i, ref := range b.OuterContexts(leaf, frames) {
		if again := b.OuterContext(leaf, frames[i].Inner, caller, frames[i].Point); ref != want[i] || again != want[i] {
			t.Errorf("frame %d: contexts %d and %d, want %d", i, ref, again, want[i])
		}
	}
	if n := b.Contexts.Len(); n != FrameGroup {
		t.Errorf("%d contexts, want %d", n, FrameGroup)
	}
}
