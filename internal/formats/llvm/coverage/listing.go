package coverage

import "github.com/profarc/profarc/internal/system/sourcefiles"

// Sources are the folders in which source files are looked for.
type Sources sourcefiles.Folders

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

// maxUntitled is the most lines without text in a listing.
const maxUntitled = 1 << 16

// List returns the lines of a view from its first to its last, or all lines of the file.
// Without text it has only lines that are counted.
func (s Sources) List(v *View, whole bool) *Listing {
	l := &Listing{File: v.File}
	name, text, err := sourcefiles.Folders(s).Lines(v.File)
	if err != nil {
		l.Problem = err.Error()
		l.listWithoutText(v)
		return l
	}
	l.Source = name
	l.list(v, text, whole)
	return l
}

// list puts the lines beside the text.
func (l *Listing) list(v *View, text []string, whole bool) {
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
