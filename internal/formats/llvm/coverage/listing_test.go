package coverage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func view(file string, segments ...Segment) *View { return &View{File: file, Segments: segments} }

// step is a view of lines 2 and 3.
func step(file string) *View {
	return view(file, Segment{2, 1, 5, true, true, false}, Segment{3, 4, 0, false, false, false})
}

func TestListing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeSource(t, dir, "lib/a.c", "one\r\ntwo\nthree\n\nfive")
	of := func(l *Listing) (text string) {
		for _, line := range l.Lines {
			text += line.Text + map[bool]string{true: "*", false: ""}[line.Mapped] + " "
		}
		return text
	}
	for _, c := range []struct {
		file  string
		whole bool
		want  string
	}{
		{"/build/lib/a.c", false, "two* three* "}, {`C:\x\lib\a.c`, false, "two* three* "},
		{"/build/lib/a.c", true, "one two* three*  five "},
	} {
		l := (Sources{filepath.Join(dir, "none"), dir}).List(step(c.file), c.whole)
		if of(l) != c.want || l.Problem != "" || l.Short || l.File != c.file || l.Source != filepath.Join(dir, "lib", "a.c") {
			t.Errorf("%s: %+v", c.file, l)
		}
	}
	// The text is too short, or not there.
	writeSource(t, dir, "lib/a.c", "one\ntwo\n")
	if l := (Sources{dir}).List(step("/lib/a.c"), true); of(l) != "one two* " || !l.Short {
		t.Errorf("%+v", l)
	}
	l := (Sources{dir}).List(step("/lib/b.c"), true)
	if of(l) != "* * " || l.Source != "" || !strings.Contains(l.Problem, `"/lib/b.c" is not in `+dir) {
		t.Errorf("%+v", l)
	}
	// Without folders the file is where the compiler had it.
	name := filepath.Join(dir, "lib", "a.c")
	if l := (Sources)(nil).List(step(name), false); of(l) != "two* " || l.Source != name {
		t.Errorf("%+v", l)
	}
	if l := (Sources)(nil).List(step(dir), false); of(l) != "* * " ||
		!strings.Contains(l.Problem, "is not there any more") {
		t.Errorf("%+v", l)
	}
}

func writeSource(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A view may have as many lines as a program says.
func TestEndlessViews(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeSource(t, dir, "a.c", "one\n")
	v := view("a.c", Segment{1, 1, 5, true, true, false}, Segment{1<<32 - 1, 1, 0, false, false, false})
	if l := (Sources{dir}).List(v, false); len(l.Lines) != 1 || !l.Short {
		t.Errorf("%d lines", len(l.Lines))
	}
	if l := (Sources{dir}).List(view("b.c", v.Segments...), false); len(l.Lines) != maxUntitled {
		t.Errorf("%d lines", len(l.Lines))
	}
	v = view("a.c", Segment{1<<32 - 2, 1, 5, true, true, false}, Segment{1<<32 - 1, 1, 0, false, false, false})
	if l := (Sources{dir}).List(v, true); len(l.Lines) != 1 || !l.Short {
		t.Errorf("%d lines", len(l.Lines))
	}
}
