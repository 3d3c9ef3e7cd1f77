package coverage

import (
	"cmp"
	"slices"
)

// A Branch is a condition of the source, with how often it was true and how often false.
type Branch struct {
	Line      uint32 `json:"line"`   // from 1
	Column    uint32 `json:"column"` // in bytes, from 1
	EndLine   uint32 `json:"end_line"`
	EndColumn uint32 `json:"end_column"`
	True      uint64 `json:"true"`
	False     uint64 `json:"false"`
	// Folded says that the compiler knew the outcome: nothing was counted.
	Folded bool `json:"folded,omitempty"`
}

// A condition is the region of a branch with the counts of its outcomes.
type condition struct {
	region
	isTrue, isFalse uint64
}

// branch returns a condition as a Branch.
func (c condition) branch() Branch {
	return Branch{c.start.line, c.start.column, c.end.line, c.end.column, c.isTrue, c.isFalse,
		c.count.kind == counterZero && c.otherwise.kind == counterZero}
}

// order sorts branches by position, outer ones first.
func (b Branch) order(c Branch) int {
	return cmp.Or(cmp.Compare(b.Line, c.Line), cmp.Compare(b.Column, c.Column),
		cmp.Compare(c.EndLine, b.EndLine), cmp.Compare(c.EndColumn, b.EndColumn))
}

// branchesOf returns the branches of conditions by position. Those of one place, as
// instantiations of one template have, are summed.
func branchesOf(list []condition, ones bool) []Branch {
	branches := make([]Branch, len(list))
	for i, c := range list {
		branches[i] = c.branch()
	}
	slices.SortStableFunc(branches, Branch.order)
	united := branches[:0]
	for _, b := range branches {
		if n := len(united); n > 0 && united[n-1].order(b) == 0 {
			last := &united[n-1]
			last.True, last.False = add(last.True, b.True, ones), add(last.False, b.False, ones)
			last.Folded = last.Folded && b.Folded
			continue
		}
		united = append(united, b)
	}
	return united
}
