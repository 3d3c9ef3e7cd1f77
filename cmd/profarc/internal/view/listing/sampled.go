package listing

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/system/sourcefiles"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Samples are the samples of an archive's methods, with their source. It is safe for concurrent use.
type Samples struct {
	*facts.SampleTally
	store        *reader.Store
	folders      sourcefiles.Folders
	declarations map[layout.Ref]stacks.Place

	mu    sync.Mutex
	texts map[string][]string // lines by file; nil for missing files
}

// A Sampled holds the samples of a method by line, caller and callee.
type Sampled struct {
	facts.StackCounts
	File             string // "" if unknown
	Problem          string // reason for missing source lines, or ""
	Lines            []SampledLine
	Callers, Callees []facts.SampledCall
	Contexts         int // number of calling contexts with a profile
}

type SampledLine struct {
	facts.StackCounts
	Number int64
	Text   string // without line end
	After  bool   // whether lines before it are omitted
}

const linesBeside = 1

// ReadSamples reads the samples of an archive. Source files are searched in folders.
func ReadSamples(s *reader.Store, folders []string) (*Samples, error) {
	unit, err := facts.UnitOfSamples(s)
	if err != nil {
		return nil, err
	}
	t, err := facts.TallyLines(s, unit)
	if err != nil {
		return nil, err
	}
	places, err := stacks.Places(s)
	return &Samples{SampleTally: t, store: s, folders: folders, declarations: places, texts: map[string][]string{}}, err
}

func (t *Samples) OfMethod(m reader.Method) (*Sampled, error) {
	at := t.declarations[m.Ref()]
	f := &Sampled{StackCounts: t.SampleTally.OfMethod(m), File: at.File}
	f.Callers, f.Callees = t.CallsOf(m)
	f.addLines(t.LinesOf(m), int64(at.Line), t.sourceLines(f, at))
	for p, err := range m.Profiles() {
		if err != nil {
			return nil, err
		}
		if _, inContext, err := p.Context(); err != nil {
			return nil, err
		} else if inContext {
			f.Contexts++
		}
	}
	return f, nil
}

// addLines adds the lines with samples and, if the source is known, their neighbors. Points are relative to the
// declaration on line first.
func (f *Sampled) addLines(sampled []facts.SampledLine, first int64, text []string) {
	counts := map[int64]facts.StackCounts{}
	if len(text) > 0 && len(sampled) > 0 {
		counts[max(first, 1)] = facts.StackCounts{}
	}
	for _, l := range sampled {
		number := first + int64(l.Point)
		counts[number] = l.StackCounts
		for near := max(number-linesBeside, first, 1); near <= min(number+linesBeside, int64(len(text))); near++ {
			if _, known := counts[near]; !known {
				counts[near] = facts.StackCounts{}
			}
		}
	}
	for _, number := range slices.Sorted(maps.Keys(counts)) {
		n := len(f.Lines)
		f.Lines = append(f.Lines, SampledLine{counts[number], number, lineText(text, number),
			n > 0 && len(text) > 0 && f.Lines[n-1].Number+1 < number})
	}
}

func lineText(text []string, number int64) string {
	if number < 1 || number > int64(len(text)) {
		return ""
	}
	return strings.ToValidUTF8(text[number-1], "\uFFFD")
}

// sourceLines returns the lines of a function's file, or nil. Archives can name any file, so only files in the folders
// are read.
func (t *Samples) sourceLines(f *Sampled, at stacks.Place) []string {
	if len(t.folders) == 0 || at.File == "" {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	lines, read := t.texts[at.File]
	if !read {
		var err error
		_, lines, err = t.folders.Lines(at.File)
		if err != nil {
			f.Problem = err.Error()
		}
		t.texts[at.File] = lines
	}
	if lines != nil && path.Ext(at.File) == ".go" && !strings.Contains(lineText(lines, int64(at.Line)), "func") {
		f.Problem = fmt.Sprintf("the source file is of another version: no function begins on its line %d", at.Line)
		return nil
	}
	return lines
}

// At returns the position of a line: "decode.go:123", "line 123" without a file, or "bci 5" in Java code.
func (t *Samples) At(f *Sampled, number int64) string {
	if f.File != "" {
		return fmt.Sprintf("%s:%d", f.File[strings.LastIndexAny(f.File, `/\`)+1:], number)
	}
	return fmt.Sprintf("%s %d", t.PointWord(), number)
}

// PointWord returns the word for a position without a file.
func (t *Samples) PointWord() string {
	if d := t.store.Header().Domain; d != layout.DomainSampled {
		return display.PointWord(d)
	}
	return "line"
}
