package replay

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/builder"
)

// readRecording puts the profiles of a recording into a builder.
func readRecording(r *recording) (*builder.Builder, *Report, error) {
	return r.buildArchive(ReadOptions{ProfilesOnly: true})
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
