package artifact

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// TestCommentHasTheFormat checks that the package comment has every media type and annotation.
func TestCommentHasTheFormat(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("artifact.go")
	if err != nil {
		t.Fatal(err)
	}
	f := Facts{Created: time.Unix(0, 0), Builds: []string{"17"},
		Dumps: []string{"1"}, Platforms: []Platform{"linux/amd64", "linux/arm64"}}
	for _, field := range f.stringFields() {
		*field = "x"
	}
	names := []string{ArchiveType, LayerType, ChannelType, annotationDigest, annotationSize, annotationHistory,
		annotationVolume, annotationVolumes, ocispec.AnnotationTitle}
	for name := range f.annotations() {
		names = append(names, name)
	}
	for _, name := range names {
		short := "`." + strings.TrimPrefix(name, prefix) + "`"
		if !strings.Contains(string(text), "`"+name+"`") && !strings.Contains(string(text), short) {
			t.Errorf("the package comment does not have %s", name)
		}
	}
	again := parseFacts(f.annotations())
	if again.Domain != "x" || again.Score != "x" || len(again.Builds) != 1 || len(again.Dumps) != 1 ||
		!slices.Equal(again.Platforms, f.Platforms) || !again.Created.Equal(f.Created) {
		t.Errorf("%+v became %+v", f, again)
	}
}
