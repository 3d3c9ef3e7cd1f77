package analyze_test

import (
	"testing"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// TestEveryTagHasAKind checks that pages can describe every tag that an archive may contain.
func TestEveryTagHasAKind(t *testing.T) {
	t.Parallel()
	for tag := layout.TagBit; tag < layout.TagProducer; tag++ {
		if _, ok := disk.SchemaOf(tag); ok != (analyze.About(tag) != "") {
			t.Errorf("%v has a schema: %v; its kind is about %q", tag, ok, analyze.About(tag))
		}
	}
}
