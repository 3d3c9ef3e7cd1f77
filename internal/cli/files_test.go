package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestListsOfInputsMayHaveLongLinesAndNULBytes(t *testing.T) {
	t.Chdir(t.TempDir())
	deep := strings.Repeat("./", 40<<10) + "x"
	for _, list := range []string{deep + "\nb c\n", deep + "\r\n\r\nb c", deep + "\x00b c\x00"} {
		a := App{}
		a.In = strings.NewReader(list)
		l := FileArguments{lists: []string{"-"}}
		files, err := l.Expand(&a, nil, &FailureMode{mode: FailAll})
		if err != nil || len(files) != 2 || files[0].Name != deep || files[1].Name != "b c" {
			t.Fatalf("%d files, %v", len(files), err)
		}
	}
}

func TestPatternsYieldToFilesOfThatName(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a[1].parc", "a1.parc", "@b", ".hidden", "old~"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := FileArguments{}
	files, err := l.Expand(&App{}, []string{"a[1].parc:2", "a?.parc", "@b", "."}, &FailureMode{mode: failAny})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, filepath.ToSlash(f.Name))
	}
	if want := []string{"a[1].parc:2", "a1.parc", "@b", "@b", "a1.parc", "a[1].parc"}; !slices.Equal(names, want) {
		t.Fatal(names)
	}
}
