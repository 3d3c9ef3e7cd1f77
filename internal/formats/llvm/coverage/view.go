package coverage

import "iter"

// A View is the coverage of a source file, or of the part of one that a function is in.
type View struct {
	File     string // as the compiler had it, with its folder
	Segments []Segment
	Branches []Branch // by position
}

// fill gives a view what some functions have in the files that belong to it.
func (v *View) fill(functions []*Function, belongs func(f *Function, file uint32) bool, ones bool) {
	var regions []counted
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
	Number int  // from 1
	Mapped bool // it has code that is counted
	// Count is how often the code of the line ran: the highest count of the regions that
	// begin there, and of what goes on from the line before.
	Count uint64
	// Segments and branches are those that begin in the line.
	Segments []Segment
	Branches []Branch
}

// First returns the number of the first line, and Last the number of the last one; 0 if the view is empty.
func (v *View) First() int {
	if len(v.Segments) == 0 {
		return 0
	}
	return int(v.Segments[0].Line)
}

// Last returns the number of the last line.
func (v *View) Last() int {
	if len(v.Segments) == 0 {
		return 0
	}
	return int(v.Segments[len(v.Segments)-1].Line)
}

// Lines returns the lines from the first to the last, also those without code. The numbers
// are what the program says: there may be more lines than a source file can have.
func (v *View) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		var before *Segment // the last one of the lines before
		rest := v.Segments
		branches := v.Branches
		for number := v.First(); len(rest) > 0; number++ {
			n := 0
			for n < len(rest) && int(rest[n].Line) == number {
				n++
			}
			line := newLine(number, rest[:n:n], before)
			line.Branches, branches = branchesAt(branches, number)
			if !yield(line) {
				return
			}
			if n > 0 {
				before = &rest[n-1]
				rest = rest[n:]
			}
		}
	}
}

// branchesAt splits branches by position into branches of a line and branches after it.
func branchesAt(list []Branch, number int) (at, after []Branch) {
	for len(list) > 0 && int(list[0].Line) < number {
		list = list[1:]
	}
	n := 0
	for n < len(list) && int(list[n].Line) == number {
		n++
	}
	return list[:n:n], list[n:]
}

// newLine counts a line by the segments in it and the last one before it.
func newLine(number int, segments []Segment, before *Segment) Line {
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
