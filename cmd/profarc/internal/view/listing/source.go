package listing

import (
	"strings"

	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/names/schema"
)

// A Source is the source file of a class, with the counts of one method.
type Source struct {
	File  string `json:"file"` // path, or zip!/path in a zip file
	Lines []Line `json:"lines"`
	// First and Last delimit the method, from 1; 0 without line numbers.
	First int `json:"first"`
	Last  int `json:"last"`
	// Short means that the code has lines after the end of the file, which is another version.
	Short bool `json:"short,omitempty"`
}

type Line struct {
	Text string `json:"text"` // without line end; any length, any valid UTF-8
	Bcis []int  `json:"bcis,omitempty"`
	// highest count of its instructions; counted instructions take precedence
	Count uint64  `json:"count"`
	Basis Basis   `json:"basis,omitempty"`
	Sum   uint64  `json:"sum"` // total of the counts of its profile points
	Heat  float64 `json:"heat"`
}

// maxLines is the highest line number in a class file.
const maxLines = 1<<16 - 1

func (l *Listing) addSource(sources *classfile.Sources, class *classfile.File) {
	file, text, err := sources.Find(class)
	if err != nil {
		l.Problem = strings.TrimPrefix(l.Problem+"; "+err.Error(), "; ")
	}
	if file == "" {
		return
	}
	s := &Source{File: file, Lines: splitLines(text)}
	for i := range l.Instructions {
		s.addInstruction(&l.Instructions[i])
	}
	s.setHeat()
	l.Source = s
}

// splitLines splits a text into lines as Java does, and replaces invalid UTF-8.
func splitLines(text []byte) (lines []Line) {
	whole := strings.TrimPrefix(strings.ToValidUTF8(string(text), "\uFFFD"), "\uFEFF")
	whole = strings.ReplaceAll(strings.ReplaceAll(whole, "\r\n", "\n"), "\r", "\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(whole, "\n"), "\n") {
		if len(lines) == maxLines {
			break
		}
		lines = append(lines, Line{Text: line})
	}
	return lines
}

func (s *Source) addInstruction(i *Instruction) {
	if i.Line == 0 {
		return
	}
	if s.First == 0 {
		s.First = i.Line
	}
	s.First = min(s.First, i.Line)
	s.Last = max(s.Last, i.Line)
	if i.Line > len(s.Lines) {
		s.Short = true
		return
	}
	line := &s.Lines[i.Line-1]
	line.Bcis = append(line.Bcis, i.Bci)
	for _, p := range i.Points {
		line.Sum = schema.AddCounts(line.Sum, p.Count)
	}
	switch {
	case i.Basis == Counted && line.Basis != Counted:
		line.Count = i.Count
		line.Basis = Counted
	case i.Basis == line.Basis, line.Basis == NotKnown:
		line.Count = max(line.Count, i.Count)
		line.Basis = i.Basis
	}
}

func (s *Source) setHeat() {
	highest := uint64(0)
	for i := range s.Lines {
		highest = max(highest, s.Lines[i].Count)
	}
	for i := range s.Lines {
		s.Lines[i].Heat = Heat(s.Lines[i].Count, highest)
	}
}
