package sourcefiles

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// No name that a compiler gave leads out of the folders.
func TestFilesStayInTheirFolder(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"/etc/passwd": {"etc/passwd", "passwd"}, "../../etc/passwd": {"etc/passwd", "passwd"},
		"a/../../b": {"b"}, "..": nil, "/": nil, "": nil,
	} {
		t.Run(file, func(t *testing.T) {
			var got []string
			for _, place := range (Folders{"src"}).candidatePaths(file) {
				got = append(got, filepath.ToSlash(strings.TrimPrefix(place, "src"+string(filepath.Separator))))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s:\n%s", file, diff)
			}
		})
	}
	if n := len((Folders{"src"}).candidatePaths(strings.Repeat("a/", 100_000))); n != maxDepth {
		t.Errorf("%d places", n)
	}
}
