package webtest

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

// mostUnlike is the share of a picture that another version of the browser, of its fonts or
// of the JDK may change. A line of text more or less changes all below it.
const mostUnlike = 0.1

var update = flag.Bool("update", false, "rewrite the pictures in docs/images")

// TestReadmePictures takes the pictures of the README again, and compares them with docs/images.
func TestReadmePictures(t *testing.T) {
	t.Parallel()
	tab := openTab(t)
	taken, err := ReadmePictures(t.Context(), must(t, shared.command), tab, t.TempDir())
	if errors.Is(err, ErrNoSources) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	complain(t, "pictures", tab.Problems())
	folder := filepath.Join(must(t, moduleFolder), "docs/images")
	for name, png := range taken {
		if *update {
			if err := os.WriteFile(filepath.Join(folder, name), png, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			continue
		}
		unlike, err := Unlike(png, kept)
		t.Logf("%s: %.1f %% differs", name, 100*unlike)
		if err != nil || unlike > mostUnlike {
			t.Errorf("docs/images/%s differs in %.0f %%, %v; take it again: cd webtest && go test -run ReadmePictures "+
				"-update", name, 100*unlike, err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(taken) {
		t.Errorf("docs/images has %d files, %d are taken; %v", len(entries), len(taken), err)
	}
}

// TestPicturesOfOtherPagesAreUnlike compares the two pictures with each other.
func TestPicturesOfOtherPagesAreUnlike(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(must(t, moduleFolder), "docs/images")
	var pictures [][]byte
	for name := range readmePages {
		png, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, png)
	}
	if unlike, err := Unlike(pictures[0], pictures[1]); err != nil || unlike < 2*mostUnlike {
		t.Errorf("%.2f differs, %v", unlike, err)
	}
	if unlike, err := Unlike(pictures[0], pictures[0]); err != nil || unlike != 0 {
		t.Errorf("%.2f of the same picture differs, %v", unlike, err)
	}
}
