package listing

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/internal/system/sourcefiles"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Samples are the samples of an archive's methods, with their source. It is safe for concurrent use.
type Samples struct {
	*facts.SampleTally
	store        *reader.Store
	locations    *sample.Locations
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
	// Recorded has numbers that only sample profiles of LLVM have, or is nil.
	Recorded *Recorded
}

// Recorded has totals of a sample profile of LLVM, which its lines do not add up to.
type Recorded struct{ Total, Head uint64 }

type SampledLine struct {
	facts.StackCounts
	Number int64
	Name   string // number, or line and discriminator
	Text   string // without line end
	After  bool   // whether lines before it are omitted

	Targets []facts.SampledCall // functions that the line called in any context, by a sample profile of LLVM
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
	if err != nil {
		return nil, err
	}
	locations, err := sample.ReadLocations(s)
	return &Samples{SampleTally: t, store: s, locations: locations, folders: folders, declarations: places,
		texts: map[string][]string{}}, err
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
	return f, t.addRecorded(f, m)
}

// addRecorded adds facts that only sample profiles of LLVM have. Counts of call targets include all contexts.
func (t *Samples) addRecorded(f *Sampled, m reader.Method) error {
	name, err := m.Name()
	if t.locations == nil || err != nil {
		return err
	}
	slices.SortFunc(f.Lines, func(a, b SampledLine) int {
		return t.locations.Compare(name.String(), int32(a.Number), int32(b.Number))
	})
	lines := map[int32]*SampledLine{}
	for i := range f.Lines {
		l := &f.Lines[i]
		lines[int32(l.Number)] = l
		l.Name = t.locations.Text(name.String(), int32(l.Number))
	}
	f.Recorded = &Recorded{}
	for p := range poll.Values(m.Profiles(), &err) {
		_, inContext, _ := p.Context()
		for e := range p.Entries() {
			if c, ok := e.Counter(); ok && e.Sub() == schema.SubTotal && (!inContext || t.locations.Calling) {
				f.Recorded.Total += c.Trained()
			}
			if l := lines[e.Point()]; l != nil {
				if err := l.addTargets(e); err != nil {
					return err
				}
			}
		}
		if c, ok := p.Invocations(); ok {
			f.Recorded.Head += c.Trained()
		}
	}
	return err
}

// addTargets adds the calls of a Callees entry.
func (l *SampledLine) addTargets(e reader.Entry) error {
	rows, ok := e.Rows()
	if !ok || e.Tag() != layout.TagCallees {
		return nil
	}
	for i := range rows.Len() {
		m, err := rows.Method(i)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(l.Targets, func(c facts.SampledCall) bool { return c.Other == m.Ref() })
		if at < 0 {
			at = len(l.Targets)
			l.Targets = append(l.Targets, facts.SampledCall{Other: m.Ref()})
		}
		l.Targets[at].Total = schema.AddCounts(l.Targets[at].Total, rows.Cell(i, 1).Trained())
	}
	slices.SortStableFunc(l.Targets, func(a, b facts.SampledCall) int { return cmp.Compare(b.Total, a.Total) })
	return nil
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
		f.Lines = append(f.Lines, SampledLine{StackCounts: counts[number], Number: number,
			Name: strconv.FormatInt(number, 10), Text: lineText(text, number),
			After: n > 0 && len(text) > 0 && f.Lines[n-1].Number+1 < number})
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
func (t *Samples) At(f *Sampled, l SampledLine) string {
	if f.File != "" {
		return f.File[strings.LastIndexAny(f.File, `/\`)+1:] + ":" + l.Name
	}
	return t.PointWord() + " " + l.Name
}

// PointWord returns the word for a position without a file.
func (t *Samples) PointWord() string {
	if d := t.store.Header().Domain; d != layout.DomainSampled {
		return display.PointWord(d)
	}
	if t.locations != nil && t.locations.Probes {
		return "probe"
	}
	return "line"
}
