package coverage

import "github.com/profarc/profarc/internal/system/sourcefiles"

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
