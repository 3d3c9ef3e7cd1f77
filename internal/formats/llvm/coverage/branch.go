package coverage

import (
	"cmp"
	"slices"
)

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
