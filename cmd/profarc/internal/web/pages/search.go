package pages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/methods"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

// keyOfFind is the key of a query for the text in the search of a page.
const keyOfFind = "find"

// A search selects rows, methods and frames by their names. It lists what a text can mean, each as patterns that must
// all match: the text as one name, or its words.
type search [][]match.Pattern

// searchWords matches words, and expressions that contain spaces.
var searchWords = lazyregexp.New(`/[^/]+/(?:\s|$)|\S+`)

func newSearch(d layout.Domain, text string) search {
	s := search{{match.Folded(text)}}
	for _, reading := range slices.Concat([]string{text}, s[0][0].Readings()[1:]) {
		var words []match.Pattern
		for _, word := range searchWords().FindAllString(reading, -1) {
			words = append(words, match.Folded(strings.TrimSpace(word)))
		}
		s = append(s, words)
	}
	for _, k := range methods.ParseKeys(d, text, "") {
		if spelled := (display.Spelling{}).Method(d, k); spelled != display.MethodText(d, k) {
			s = append(s, []match.Pattern{match.Folded(spelled)})
		}
	}
	return s
}

// selects reports whether one of the meanings matches names from match.Fold, which betweenNames separates.
func (s search) selects(names string) bool {
	return slices.ContainsFunc(s, func(all []match.Pattern) bool {
		return !slices.ContainsFunc(all, func(p match.Pattern) bool { return !isInNames(&p, names) })
	})
}

func isInNames(p *match.Pattern, names string) bool {
	return slices.ContainsFunc(p.Readings(), func(r string) bool { return strings.Contains(names, r) }) ||
		!p.OnlyContained() && slices.ContainsFunc(strings.Split(names, betweenNames), p.MatchesWhole)
}

// problem describes a malformed expression, and is "" without one.
func (s search) problem() string {
	for _, p := range slices.Concat(s...) {
		if p.Err() != nil {
			return fmt.Sprintf("%s is no regular expression: %v. ", p.Text(), p.Err())
		}
	}
	return ""
}
