package pages

import (
	"cmp"
	"fmt"
	"slices"
)

// Limits of the displayed sources.
const (
	linesOnPage = 1500
	linesAround = 2 // source lines before and after the method
	lineLength  = 400
)

// A sourceTable has source lines with their counts.
type sourceTable struct {
	File     string // empty if unknown
	Short    bool   // the file has fewer lines than the code expects, so it is another version
	WithSelf bool   // lines also have counts without callees
	Lines    []sourceLine
	More     int // number of hidden lines
}

// A sourceLine is a line of source. Unknown counts are empty.
type sourceLine struct {
	ID          string
	At          link // line number
	Self, Count string
	Heat        string
	Text        string
	After       bool     // lines before it are hidden
	Branches    []*point // conditions that begin in the line, with their outcomes

	number int
	count  uint64
}

// addHottest adds a link to the line with the highest nonzero count.
func (p *methodPage) addHottest(r *request, s *sourceTable, amount func(uint64) string) {
	if s == nil || len(s.Lines) == 0 {
		return
	}
	most := slices.MaxFunc(s.Lines, func(a, b sourceLine) int { return cmp.Compare(a.count, b.count) })
	if most.count > 0 {
		p.Top = append(p.Top, r.linkToElement(fmt.Sprintf("hottest line %d: %s", most.number, amount(most.count)),
			lineElement(most.number)))
	}
}

// countText formats the count of a line.
func countText(n uint64) string { return pluralText(n, "count") }

// shortenLine truncates a text that is longer than lines of code are.
func shortenLine(text string) string {
	if letters := []rune(text); len(letters) > lineLength {
		return string(letters[:lineLength]) + " ..."
	}
	return text
}
