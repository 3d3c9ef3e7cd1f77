package coverage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sources are the folders in which source files are looked for: at the whole path that the compiler had, and
// at each shorter end of it. Without a folder files are read where the compiler read them.
type Sources []string

// A Listing is a view beside the text of its file.
type Listing struct {
	File   string `json:"file"`             // as the compiler had it
	Source string `json:"source,omitempty"` // the file with the text
	// Problem says why there is no text; "" if there is.
	Problem string `json:"problem,omitempty"`
	// Short says that the view has lines behind the end of the text: the program was
	// compiled from another version.
	Short bool         `json:"short,omitempty"`
	Lines []ListedLine `json:"lines"`
}

// A ListedLine is one line of a listing.
type ListedLine struct {
	Number int    `json:"line"`
	Mapped bool   `json:"mapped"` // it has code that is counted
	Count  uint64 `json:"count"`
	// Text is without its end. It may have any bytes.
	Text string `json:"text"`
	// Segments are the counts of parts of the line, from a column on.
	Segments []Segment `json:"segments,omitempty"`
	Branches []Branch  `json:"branches,omitempty"`
}

// The limits of listings.
const (
	maxSource   = 32 << 20 // bytes of a source file
	maxUntitled = 1 << 16  // lines without text
)

// List returns the lines of a view from its first to its last, or all lines of the file.
// Without text it has only lines that are counted.
func (s Sources) List(v *View, whole bool) *Listing {
	l := &Listing{File: v.File}
	name, text, err := s.read(v.File)
	if err != nil {
		l.Problem = err.Error()
		l.listWithoutText(v)
		return l
	}
	l.Source = name
	l.list(v, linesOf(text), whole)
	return l
}

// list puts the lines beside the text.
func (l *Listing) list(v *View, text []string, whole bool) {
	first, last := v.First(), v.Last()
	l.Short = last > len(text)
	if whole {
		first, last = 1, len(text)
	}
	for number := first; number < min(v.First(), last+1); number++ {
		l.Lines = append(l.Lines, ListedLine{Number: number, Text: text[number-1]})
	}
	for line := range v.Lines() {
		if line.Number > len(text) {
			break
		}
		if line.Number > 0 {
			l.Lines = append(l.Lines, listed(line, text[line.Number-1]))
		}
	}
	for number := max(v.Last()+1, 1); number <= last; number++ {
		l.Lines = append(l.Lines, ListedLine{Number: number, Text: text[number-1]})
	}
}

// listWithoutText lists the lines that are counted, up to a limit.
func (l *Listing) listWithoutText(v *View) {
	for line := range v.Lines() {
		if len(l.Lines) == maxUntitled {
			break
		}
		if line.Mapped {
			l.Lines = append(l.Lines, listed(line, ""))
		}
	}
}

func listed(line Line, text string) ListedLine {
	return ListedLine{line.Number, line.Mapped, line.Count, text, line.Segments, line.Branches}
}

// linesOf splits a text into lines.
func linesOf(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// read returns the text of a source file and where it is. The error matches
// [fs.ErrNotExist] if it is nowhere.
func (s Sources) read(file string) (name string, text []byte, err error) {
	for _, name := range s.places(file) {
		text, err := readSource(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return name, text, err
		}
	}
	if len(s) == 0 {
		return "", nil, fmt.Errorf("%q is not there any more: %w", file, fs.ErrNotExist)
	}
	return "", nil, fmt.Errorf("%q is not in %s: %w", file, strings.Join(s, ", "), fs.ErrNotExist)
}

// places returns where a file may be, the likeliest first. No name leads out of a folder.
func (s Sources) places(file string) (names []string) {
	if len(s) == 0 {
		return []string{file}
	}
	parts := strings.FieldsFunc(file, func(r rune) bool { return r == '/' || r == '\\' })
	parts = parts[max(len(parts)-maxDepth, 0):]
	for i := range parts {
		rest := filepath.Join(parts[i:]...)
		if !filepath.IsLocal(rest) {
			continue
		}
		for _, folder := range s {
			names = append(names, filepath.Join(folder, rest))
		}
	}
	return names
}

// maxDepth is the number of folders that a name is looked for in.
const maxDepth = 64

func readSource(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is no file: %w", name, fs.ErrNotExist)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, io.LimitReader(f, maxSource+1)); err != nil {
		return nil, err
	}
	if text.Len() > maxSource {
		return nil, fmt.Errorf("%s: a source file of more than %d bytes", name, maxSource)
	}
	return text.Bytes(), nil
}
