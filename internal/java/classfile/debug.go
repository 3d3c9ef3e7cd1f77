package classfile

import (
	"cmp"
	"slices"
)

// A LineStart is the first bytecode index of a line of the source file.
type LineStart struct{ Bci, Line int }

// Lines returns the starts of lines in a method's code, by ascending bytecode index. It returns nil if the class has no
// line numbers, or damaged ones.
func (c *File) Lines(m Method) (lines []LineStart) {
	p := &parser{file: *c, rest: m.attributes}
	p.eachAttribute(func(name string, b []byte) {
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
	for range in.readU2() {
		l := LineStart{int(in.readU2()), int(in.readU2())}
		if in.bad {
			break
		}
		lines = append(lines, l)
	}
	return lines
}

// SourceFile returns the file name of the class's source without its folder; "" if the class does not name it.
func (c *File) SourceFile() (name string) {
	p := &parser{file: *c, rest: c.attributes}
	p.eachAttribute(func(attribute string, b []byte) {
		if in := (&parser{file: *c, rest: b}); attribute == "SourceFile" && name == "" {
			name = in.utf8Constant(in.readU2())
		}
	})
	return name
}
