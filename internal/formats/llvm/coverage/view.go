package coverage

import (
	"cmp"
	"iter"
	"slices"

	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/system/sourcefiles"
)

// A View is the coverage of a source file, or of a function's part of it.
type View struct {
	File     string // name from the compiler, with its folder
	Segments []Segment
	Branches []Branch // sorted by position
}

// addFunctions adds the regions and conditions of functions in files for which belongs is true.
func (v *View) addFunctions(functions []*Function, belongs func(f *Function, file uint32) bool, ones bool) {
	var regions []countedRegion
	var conditions []condition
	for _, f := range functions {
		for _, r := range f.regions {
			if belongs(f, r.file) {
				regions = append(regions, r)
			}
		}
		for _, c := range f.conditions {
			if belongs(f, c.file) {
				conditions = append(conditions, c)
			}
		}
	}
	v.Segments, v.Branches = segmentsOf(regions, ones), branchesOf(conditions, ones)
}

// A Line is a line of source.
type Line struct {
	Number int  // 1-based
	Mapped bool // the line has counted code
	// Count is the execution count of the line: the maximum of the regions that begin there and of the count that
	// continues from the previous line.
	Count uint64
	// Segments and branches begin in the line.
	Segments []Segment
	Branches []Branch
}

// First returns the number of the first line, or 0 for an empty view.
func (v *View) First() int { return v.lineOf(0) }

// Last returns the number of the last line, or 0 for an empty view.
func (v *View) Last() int { return v.lineOf(len(v.Segments) - 1) }

func (v *View) lineOf(segment int) int {
	if len(v.Segments) == 0 {
		return 0
	}
	return int(v.Segments[segment].Line)
}

// Lines returns the lines from the first to the last, including lines without code. The numbers come from the program
// and can exceed the lines of any source file.
func (v *View) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		var before *Segment // last segment before the line
		rest := v.Segments
		branches := v.Branches
		for number := v.First(); len(rest) > 0; number++ {
			var here []Segment
			here, rest = parse.CutWhile(rest, func(s Segment) bool { return int(s.Line) == number })
			line := countLine(number, here, before)
			line.Branches, branches = branchesAt(branches, number)
			if !yield(line) {
				return
			}
			if len(here) > 0 {
				before = &here[len(here)-1]
			}
		}
	}
}

// branchesAt splits branches by position into those in a line and those after it.
func branchesAt(list []Branch, number int) (at, after []Branch) {
	_, list = parse.CutWhile(list, func(b Branch) bool { return int(b.Line) < number })
	return parse.CutWhile(list, func(b Branch) bool { return int(b.Line) == number })
}

func countLine(number int, segments []Segment, before *Segment) Line {
	line := Line{Number: number, Segments: segments}
	entered := false
	most := uint64(0)
	for _, s := range segments {
		if s.HasCount && s.Entry && !s.Gap {
			entered = true
			most = max(most, s.Count)
		}
	}
	skipped := len(segments) > 0 && segments[0].Entry && !segments[0].HasCount
	line.Mapped = entered || !skipped && before != nil && before.HasCount
	if !line.Mapped {
		return line
	}
	if before != nil {
		line.Count = before.Count
	}
	line.Count = max(line.Count, most)
	return line
}

// A Branch is a condition in the source, with the number of times it was true and false.
type Branch struct {
	Line      uint32 `json:"line"`   // 1-based
	Column    uint32 `json:"column"` // 1-based, in bytes
	EndLine   uint32 `json:"end_line"`
	EndColumn uint32 `json:"end_column"`
	True      uint64 `json:"true"`
	False     uint64 `json:"false"`
	// Folded is set if the compiler knew the outcome, so that nothing was counted.
	Folded bool `json:"folded,omitempty"`
}

type condition struct {
	region
	isTrue, isFalse uint64
}

func (b Branch) comparePosition(c Branch) int {
	return cmp.Or(cmp.Compare(b.Line, c.Line), cmp.Compare(b.Column, c.Column),
		cmp.Compare(c.EndLine, b.EndLine), cmp.Compare(c.EndColumn, b.EndColumn))
}

// branchesOf returns the branches of conditions by position. Branches at the same position, as in instantiations of a
// template, are added.
func branchesOf(list []condition, ones bool) []Branch {
	branches := make([]Branch, len(list))
	for i, c := range list {
		folded := c.count.kind == counterZero && c.otherwise.kind == counterZero
		branches[i] = Branch{c.start.line, c.start.column, c.end.line, c.end.column, c.isTrue, c.isFalse, folded}
	}
	slices.SortStableFunc(branches, Branch.comparePosition)
	united := branches[:0]
	for _, b := range branches {
		if n := len(united); n > 0 && united[n-1].comparePosition(b) == 0 {
			last := &united[n-1]
			last.True, last.False = addCounts(last.True, b.True, ones), addCounts(last.False, b.False, ones)
			last.Folded = last.Folded && b.Folded
			continue
		}
		united = append(united, b)
	}
	return united
}

// Sources are the folders to search for source files.
type Sources sourcefiles.Folders

// A Listing is a view with the text of its file.
type Listing struct {
	File   string `json:"file"`             // name from the compiler
	Source string `json:"source,omitempty"` // path of the file with the text
	// Problem is the reason for missing text, or "".
	Problem string `json:"problem,omitempty"`
	// Short is set if the view has lines beyond the end of the text, because the program was compiled from another
	// version.
	Short bool         `json:"short,omitempty"`
	Lines []ListedLine `json:"lines"`
}

// A ListedLine is one line of a listing.
type ListedLine struct {
	Number int    `json:"line"`
	Mapped bool   `json:"mapped"` // the line has counted code
	Count  uint64 `json:"count"`
	// Text excludes the line end and can have any bytes.
	Text string `json:"text"`
	// Segments are the counts of parts of the line.
	Segments []Segment `json:"segments,omitempty"`
	Branches []Branch  `json:"branches,omitempty"`
}

// maxUntitled is the maximum number of lines in a listing without text.
const maxUntitled = 1 << 16

// List returns the lines of a view from its first to its last, or with whole all lines of the file. Without text it
// returns only counted lines.
func (s Sources) List(v *View, whole bool) *Listing {
	l := &Listing{File: v.File}
	name, text, err := sourcefiles.Folders(s).Lines(v.File)
	if err != nil {
		l.Problem = err.Error()
		l.listWithoutText(v)
		return l
	}
	l.Source = name
	l.listWithText(v, text, whole)
	return l
}

// listWithText combines the lines with the text.
func (l *Listing) listWithText(v *View, text []string, whole bool) {
	first := v.First()
	last := v.Last()
	l.Short = last > len(text)
	if whole {
		first = 1
		last = len(text)
	}
	for number := first; number < min(v.First(), last+1); number++ {
		l.Lines = append(l.Lines, ListedLine{Number: number, Text: text[number-1]})
	}
	for line := range v.Lines() {
		if line.Number > len(text) {
			break
		}
		if line.Number > 0 {
			l.Lines = append(l.Lines, newListedLine(line, text[line.Number-1]))
		}
	}
	for number := max(v.Last()+1, 1); number <= last; number++ {
		l.Lines = append(l.Lines, ListedLine{Number: number, Text: text[number-1]})
	}
}

// listWithoutText lists up to maxUntitled counted lines.
func (l *Listing) listWithoutText(v *View) {
	for line := range v.Lines() {
		if len(l.Lines) == maxUntitled {
			break
		}
		if line.Mapped {
			l.Lines = append(l.Lines, newListedLine(line, ""))
		}
	}
}

func newListedLine(line Line, text string) ListedLine {
	return ListedLine{line.Number, line.Mapped, line.Count, text, line.Segments, line.Branches}
}
