package lint

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the maximum length of a line in characters. In Go a tab counts as one.
const maxColumns = 120

// TestLinesAreShort checks the length of lines in Go, C and the help of commands. A line of Go may be longer if more
// than half of it is a string that begins or ends there, such as a regular expression or JSON.
func TestLinesAreShort(t *testing.T) {
	startInRoot(t)
	for _, line := range []string{strings.Repeat("a+", 80),
		`f("` + strings.Repeat("a", 50) + `", ` + strings.Repeat("b+", 40) + "c)"} {
		if allowed := longStrings([]byte(line)); allowed[1] || utf8.RuneCountInString(line) <= maxColumns {
			t.Errorf("%s is allowed", line)
		}
	}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return filepath.SkipDir
		case filepath.Ext(name) == ".c" || filepath.Ext(name) == ".h":
			return checkColumnsOfC(t, name)
		case filepath.Ext(name) != ".go" && d.Name() != "help.txt":
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var allowed map[int]bool
		for i, line := range strings.Split(string(src), "\n") {
			if utf8.RuneCountInString(line) <= maxColumns {
				continue
			}
			if allowed == nil && d.Name() != "help.txt" {
				allowed = longStrings(src)
			}
			if !allowed[i+1] {
				t.Errorf("%s:%d has %d characters", name, i+1, utf8.RuneCountInString(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkColumnsOfC checks a file in C, where a tab counts as four columns.
func checkColumnsOfC(t *testing.T, name string) error {
	src, err := os.ReadFile(name)
	for i, line := range strings.Split(string(src), "\n") {
		if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > maxColumns {
			t.Errorf("%s:%d has %d columns", name, i+1, n)
		}
	}
	return err
}

// longStrings returns the numbers of lines with a string, or a part of one, that is longer than half of maxColumns.
func longStrings(src []byte) map[int]bool {
	lines := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && len(text) > maxColumns/2 {
			first := file.Line(at)
			for i := range strings.Count(text, "\n") + 1 {
				lines[first+i] = true
			}
		}
	}
}
