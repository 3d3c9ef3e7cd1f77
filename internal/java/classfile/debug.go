package classfile

import (
	"cmp"
	"slices"
)

// A LineStart says that the code from a bci on is of a line of the source file.
type LineStart struct{ Bci, Line int }

// Lines returns where lines begin in a method's code, ascending by bci. It is empty if the
// class was compiled without line numbers, or if they are damaged.
func (c *File) Lines(m Method) (lines []LineStart) {
	p := &parser{file: *c, rest: m.attributes}
	p.attributes(func(name string, b []byte) {
		if name == "LineNumberTable" {
			lines = append(lines, lineStarts(b)...)
		}
	})
	if p.bad {
		return nil
	}
	slices.SortStableFunc(lines, func(a, b LineStart) int { return cmp.Compare(a.Bci, b.Bci) })
	return lines
}

func lineStarts(b []byte) (lines []LineStart) {
	in := &parser{rest: b}
	for range in.u2() {
		l := LineStart{int(in.u2()), int(in.u2())}
		if in.bad {
			break
		}
		lines = append(lines, l)
	}
	return lines
}

// SourceFile returns the name of the file that the class was compiled from, without its
// folder; "" if the class does not say it.
func (c *File) SourceFile() (name string) {
	p := &parser{file: *c, rest: c.attributes}
	p.attributes(func(attribute string, b []byte) {
		if in := (&parser{file: *c, rest: b}); attribute == "SourceFile" && name == "" {
			name = in.text(in.u2())
		}
	})
	return name
}
