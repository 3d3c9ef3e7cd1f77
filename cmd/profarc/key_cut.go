package main

import (
	"strings"

	"github.com/profarc/profarc/layout"
)

// A cut is where a text may fall into two parts: the first ends at end, and the
// second begins at next.
type cut struct{ end, next int }

// cutsAt are the cuts at all places of a mark, which they leave out.
func cutsAt(s, mark string) (cuts []cut) {
	for at := range len(s) {
		if strings.HasPrefix(s[at:], mark) {
			cuts = append(cuts, cut{at, at + len(mark)})
		}
	}
	return cuts
}

// signatureCuts are where the signature of a method may begin, the likeliest
// first: at the parameters or, where the return type stands before them, behind
// a blank or a double colon. Names of methods may have any of these in them.
func signatureCuts(d layout.Domain, s string) []cut {
	var atParameters []cut
	for _, c := range cutsAt(s, "(") {
		atParameters = append(atParameters, cut{c.end, c.end})
	}
	behindBlank := cutsAt(s, " ")
	none := cut{len(s), len(s)}
	if d != layout.DomainGraal {
		return append(append(atParameters, none), behindBlank...)
	}
	var likely []cut
	parameters := strings.LastIndexByte(s, '(')
	for _, mark := range []string{" ", "::"} {
		if at := strings.LastIndex(s[:max(parameters, 0)], mark); at >= 0 {
			likely = append(likely, cut{at, at + len(mark)})
		}
	}
	return append(append(append(likely, atParameters...), none), behindBlank...)
}

// classCuts are where the class of a method may end, the likeliest first.
func classCuts(named string) []cut {
	cuts := cutsAt(named, "::")
	if at := strings.LastIndexByte(named, '.'); at >= 0 {
		cuts = append(cuts, cut{at, at + 1})
	}
	return append(cuts, cut{}) // no class
}
