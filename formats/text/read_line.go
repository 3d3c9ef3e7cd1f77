package text

import "github.com/profarc/profarc/layout"

// What the lines of a text are told by: their first words. Which of them can
// stand depends on what is open.

// dispatch reads the line by its first word.
func (p *parser) dispatch() {
	start := p.At
	if p.ended {
		p.Miss("nothing behind the line \"end\"")
		return
	}
	if p.Line[p.At] == '@' {
		p.entryLine(start, layout.SectionData)
		return
	}
	word := p.takeWord("a word")
	if p.b == nil {
		if p.headerLine(word) {
			return
		}
		p.begin()
	}
	if p.b == nil || p.profileLine(start, word) || p.methodLine(word) || p.tableLine(word) {
		return
	}
	p.topLine(start, word)
}

// topLine reads a line that ends the method or table before it.
func (p *parser) topLine(start int, word []byte) {
	before := p.possible()
	p.close()
	switch string(word) {
	case "type":
		p.typeLine()
	case "method":
		p.newMethodLine()
	case "table":
		p.newTableLine()
	case "end":
		p.ended = true
	default:
		p.MissAt(start, before)
	}
}

// possible says what lines can stand here.
func (p *parser) possible() string {
	switch {
	case p.profile.Profile != nil:
		return "an entry (@ and a point), a field of the profile, or context, profile, method, type, table, end"
	case p.method != 0:
		return "context, profile, method, type, table, end"
	case p.table.columns != nil:
		return "row, or table, method, type, end"
	}
	return "method, type, table, end; a blank line ends a method and a table"
}
