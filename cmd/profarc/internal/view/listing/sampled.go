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

// Samples are what was sampled of the methods of an archive, and where their source is. The methods may be
// called at the same time.
type Samples struct {
	*facts.SampleTally
	store        *reader.Store
	folders      sourcefiles.Folders
	declarations map[layout.Ref]stacks.Place

	mu    sync.Mutex
	texts map[string][]string // lines by file, nil of those that were not found
}

// A Sampled is what was sampled of a method: by line, and by what called it and what it called.
type Sampled struct {
	facts.StackCounts
	File             string // "" if it is not known
	Problem          string // why there is no text, "" if there is or no folder is named
	Lines            []SampledLine
	Callers, Callees []facts.SampledCall
	Contexts         int // of callers, of those that were recorded as profiles
}

// A SampledLine is a line of the source, or a bci, with what was sampled there.
type SampledLine struct {
	facts.StackCounts
	Number int64
	Text   string // without its end
	After  bool   // lines before it are left out
}

// linesBeside is how many lines without samples stand before and after one with samples.
const linesBeside = 1

// ReadSamples sums the samples of an archive. Source files are looked for in some folders, none without any.
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

// Method returns what was sampled of a method.
func (t *Samples) Method(m reader.Method) (*Sampled, error) {
	at := t.declarations[m.Ref()]
	f := &Sampled{StackCounts: t.Of(m), File: at.File}
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

// addLines adds lines with samples and, if there is text, those beside them. First is the line of the declaration,
// from which points count.
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

// lineText returns a line of a text, from 1, "" if there is none.
func lineText(text []string, number int64) string {
	if number < 1 || number > int64(len(text)) {
		return ""
	}
	return strings.ToValidUTF8(text[number-1], "\uFFFD")
}

// sourceLines returns the lines of the file of a function, nil if there are none. An archive may name any file:
// only the folders are read.
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

// At spells the place of a line: "decode.go:123", "line 123" without a file, "bci 5" in Java's code.
func (t *Samples) At(f *Sampled, number int64) string {
	if f.File != "" {
		return fmt.Sprintf("%s:%d", f.File[strings.LastIndexAny(f.File, `/\`)+1:], number)
	}
	return fmt.Sprintf("%s %d", t.PointWord(), number)
}

// Line returns the number of the line at a point of a method.
func (t *Samples) Line(method layout.Ref, point int32) int64 {
	return int64(t.declarations[method].Line) + int64(point)
}

// PointWord says what lines are numbered by if they have no file.
func (t *Samples) PointWord() string {
	if d := t.store.Header().Domain; d != layout.DomainSampled {
		return display.PointWord(d)
	}
	return "line"
}
