package listing

import (
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/classfile"
)

// A Source is the source file of a class, with the counts of one method at its lines.
type Source struct {
	File  string `json:"file"` // path; of a file in a zip file zip!/path
	Lines []Line `json:"lines"`
	// First and Last are the lines of the method, from 1; 0 if the class has no line numbers.
	First int `json:"first"`
	Last  int `json:"last"`
	// Short says that the code has lines behind the end of the file: it was compiled from another version.
	Short bool `json:"short,omitempty"`
}

// A Line is one line of a source file.
type Line struct {
	Text string `json:"text"` // without its end; of any length, with any characters, but UTF-8
	Bcis []int  `json:"bcis,omitempty"`
	// the highest of its instructions, of those that were counted if there are some; see Basis
	Count uint64  `json:"count"`
	Basis Basis   `json:"basis,omitempty"`
	Sum   uint64  `json:"sum"` // of all counts of its profile points
	Heat  float64 `json:"heat"`
}

// maxLines is the number of the last line that a class file can mention.
const maxLines = 1<<16 - 1

// addSource adds the source file.
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

// splitLines cuts a text into lines as Java does. Bytes that are not UTF-8 are replaced.
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

// addInstruction adds an instruction to its line.
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
		line.Sum = disk.SaturatingAdd(line.Sum, p.Count)
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

// setHeat sets the heat of the lines.
func (s *Source) setHeat() {
	highest := uint64(0)
	for i := range s.Lines {
		highest = max(highest, s.Lines[i].Count)
	}
	for i := range s.Lines {
		s.Lines[i].Heat = Heat(s.Lines[i].Count, highest)
	}
}
