package pages

import (
	"cmp"
	"fmt"
	"slices"
)

// Parts of sources that a page shows.
const (
	linesOnPage = 1500
	linesAround = 2 // source lines before and after the method's
	lineLength  = 400
)

// A sourceTable is lines of source with their counts.
type sourceTable struct {
	File     string // empty if it is not known
	Short    bool   // the file has fewer lines than the code: it is another version
	WithSelf bool   // lines have counts of their own beside those with what they called
	Lines    []sourceLine
	More     int // lines that are not shown
}

// A sourceLine is one line of the source. Counts are empty if they are not known.
type sourceLine struct {
	ID          string
	At          link // its number
	Self, Count string
	Heat        string
	Text        string
	After       bool     // lines before it are left out
	Branches    []*point // the conditions that begin in the line, with their outcomes

	number int
	count  uint64
}

// addHottest adds a link to the line with the highest count, if one has any.
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

// countText is the usual amount of a line.
func countText(n uint64) string { return pluralText(n, "count") }

// shortenLine returns a text, or its beginning if it is longer than a line of code ever is.
func shortenLine(text string) string {
	if letters := []rune(text); len(letters) > lineLength {
		return string(letters[:lineLength]) + " ..."
	}
	return text
}
