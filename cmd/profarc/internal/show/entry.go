package show

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/system/lists"
)

func (p *profilePrinter) printPoint(q *analyze.Point) {
	p.begin = fmt.Sprintf("%*s  %-*s %s", p.inset+pointWidth, p.pointText(p.function, q.Point), kindWidth, q.Kind,
		pointNotes(q))
	switch {
	case q.Undecoded != 0:
		p.printUndecoded(q)
	case q.BySchema:
		p.printCells(q)
	default:
		p.printFirstLine("%s", p.headText(q))
		p.printRows(q)
		p.printTypes(q)
	}
}

func pointNotes(q *analyze.Point) string {
	notes := ""
	if q.Mark != nil {
		notes += q.Mark.String() + " "
	}
	if q.Traps != "" {
		notes += fmt.Sprintf("trap(%s) ", q.Traps)
	}
	if q.NullSeen {
		notes += "null_seen "
	}
	return notes
}

func (p *profilePrinter) printFirstLine(format string, args ...any) {
	fmt.Fprintln(p.w, strings.TrimRight(p.begin+fmt.Sprintf(format, args...), " "))
}

func (p *profilePrinter) printRowLine(format string, args ...any) {
	fmt.Fprintf(p.w, "%*s   "+format+"\n", append([]any{p.indent, ""}, args...)...)
}

func (p *profilePrinter) headText(q *analyze.Point) string {
	if q.RowNoun != "" {
		return fmt.Sprintf("%d %s", len(q.Outcomes), q.RowNoun)
	}
	var texts []string
	if q.CountsRest {
		texts = append(texts, "count "+restText(q))
	}
	for i := range q.Outcomes {
		if o := &q.Outcomes[i]; !o.Row && !isRestKind(o.Kind) {
			texts = append(texts, p.outcomeText(q, o))
		}
	}
	switch {
	case len(texts) == 0 && q.Guess:
		return "in none"
	case len(texts) == 0:
		return q.SubWords
	}
	return strings.Join(texts, ", ")
}

func isRestKind(k analyze.Kind) bool {
	return k == analyze.Others || k == analyze.Untyped || k == analyze.Failed
}

// restText returns the count for outcomes without a row. As in HotSpot, it is negative for failed type checks.
func restText(q *analyze.Point) string {
	for i := range q.Outcomes {
		switch o := &q.Outcomes[i]; {
		case o.Kind == analyze.Failed:
			return fmt.Sprintf("-%d", o.Count)
		case isRestKind(o.Kind):
			return fmt.Sprint(o.Count)
		}
	}
	return "0"
}

func (p *profilePrinter) outcomeText(q *analyze.Point, o *analyze.Outcome) string {
	switch {
	case o.Method != nil:
		return "in " + p.screen.MethodText(*o.Method)
	case q.Bits != nil:
		return fmt.Sprintf("%s: %x", o.Text, q.Bits)
	case o.Kind == analyze.Call:
		return fmt.Sprintf("count %d", o.Count)
	}
	text := fmt.Sprintf("%s %d", o.What(), o.Count)
	if q.Site != "" && !q.CountsRest && o == &q.Outcomes[0] {
		text += fmt.Sprintf(" (%.2f)", q.LookedShare(o))
	}
	if q.Interpreted {
		text += ", interpreted"
	}
	return text
}

// printRows prints a line with count and share per row. Failed type checks have no share, because only some of them
// have rows.
func (p *profilePrinter) printRows(q *analyze.Point) {
	if p.printCounters(q) {
		return
	}
	for i := range q.Outcomes {
		switch o := &q.Outcomes[i]; {
		case o.Kind == analyze.Failed:
			p.printRowLine("%12d        %s", o.Count, o.What())
		case o.Row && q.Bytecode == "ret":
			p.printRowLine("%12d  to bci %d", o.Count, *o.Target)
		case o.Row:
			p.printRowLine("%12d  %.2f  %s", o.Count, q.LookedShare(o), p.rowOutcomeText(o))
		}
	}
}

func (p *profilePrinter) rowOutcomeText(o *analyze.Outcome) string {
	switch o.Kind {
	case analyze.OfType:
		return p.screen.TypeText(p.s, o.Type, o.Loader)
	case analyze.To:
		return fmt.Sprintf("to %d (%d)", *o.Target, o.Index)
	case analyze.Call:
		return p.methodText(o.Method)
	case analyze.Value:
		return p.screen.Spelling.Function(o.Text)
	}
	return o.What()
}

func (p *profilePrinter) methodText(m *analyze.MethodName) string {
	if m == nil || m.ID == "" {
		return "none"
	}
	return p.screen.MethodText(*m)
}

const countersPerLine = 8

func (p *profilePrinter) printCounters(q *analyze.Point) bool {
	rows := q.Outcomes
	if len(rows) == 0 || !rows[0].Row || rows[0].Kind != analyze.Events {
		return false
	}
	for first := 0; first < len(rows); first += countersPerLine {
		line := fmt.Sprintf("%4d:", first)
		for _, o := range rows[first:min(first+countersPerLine, len(rows))] {
			line += fmt.Sprintf(" %d", o.Count)
		}
		p.printRowLine("%s", line)
	}
	return true
}

func (p *profilePrinter) printTypes(q *analyze.Point) {
	for _, t := range q.Types {
		where := fmt.Sprintf("slot %d", t.Slot)
		if t.Slot < 0 {
			where = "return"
		}
		p.printRowLine("%s: %s", where, p.valueText(t))
	}
}

func (p *profilePrinter) valueText(t analyze.ValueType) string {
	text := p.screen.TypeText(p.s, t.Type, t.Loader)
	if t.Several {
		text = "several types"
	}
	if t.NullSeen {
		text += ", null_seen"
	}
	return text
}

// printCells prints a point by the cells of its entry. Single cells and lists of numbers are on the first line, and
// each row of several cells is on a separate line.
func (p *profilePrinter) printCells(q *analyze.Point) {
	var first, rows []string
	if q.SubWords != "" {
		first = append(first, q.SubWords)
	}
	if q.OwnFlags != 0 {
		first = append(first, fmt.Sprintf("flags %#x", q.OwnFlags))
	}
	for _, g := range p.cellGroups(q) {
		switch {
		case g.Once:
			first = append(first, p.cellTexts(g.Rows[0])...)
		case g.List:
			text := g.Name
			for _, cells := range g.Rows {
				text += " " + p.cellText(&cells[0])
			}
			first = append(first, text)
		default:
			for _, cells := range g.Rows {
				rows = append(rows, strings.Join(p.cellTexts(cells), ", "))
			}
		}
	}
	p.printFirstLine("%s", strings.Join(first, ", "))
	for _, row := range rows {
		p.printRowLine("%s", row)
	}
}

func (p *profilePrinter) cellGroups(q *analyze.Point) []analyze.CellGroup {
	groups, err := q.Cells()
	p.err = cmp.Or(p.err, err)
	return groups
}

func (p *profilePrinter) cellTexts(cells []analyze.Cell) []string {
	return lists.Map(cells, func(c analyze.Cell) string { return c.Name + " " + p.cellText(&c) })
}

func (p *profilePrinter) cellText(c *analyze.Cell) string {
	switch {
	case c.Type != nil:
		return p.valueText(*c.Type)
	case c.Method != nil:
		return p.methodText(c.Method)
	}
	return cmp.Or(c.Text, fmt.Sprint(c.Value))
}

const wordsPerLine = 4

func (p *profilePrinter) printUndecoded(q *analyze.Point) {
	words := p.cellGroups(q)[0].Rows
	of := ""
	if q.OneOf {
		of = ", those of one of several runs"
	}
	p.printFirstLine("%s from an entry of HotSpot's tag %d on, which was not known%s: not adopted",
		cli.Amount(len(words), "raw word"), q.Undecoded, of)
	for first := 0; first < len(words); first += wordsPerLine {
		line := fmt.Sprintf("%4d:", first)
		for _, word := range words[first:min(first+wordsPerLine, len(words))] {
			line += fmt.Sprintf(" %016x", word[0].Value)
		}
		p.printRowLine("%s", line)
	}
}

type countedLine struct {
	number string
	count  string  // "" if unknown
	heat   float64 // see listing.Heat
	text   string
}

// The widths of the column of line numbers, as in llvm-cov, unless a number is longer, and of tabs.
const (
	numberWidth = 5
	tabWidth    = 8
)

const maxSourceLine = 1 << 10

func printLine(w *bufio.Writer, screen *terminal.Screen, indent string, width int, l countedLine) {
	front := fmt.Sprintf("%s%*s|%*s|", indent, numberWidth, l.number, width, l.count)
	text := strings.TrimRight(expandTabs(l.text), " ")
	if len(text) > maxSourceLine {
		text = fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(text[:maxSourceLine], ""), len(l.text))
	}
	screen.PaintText(w, heatColor(l.heat, l.count != ""), front+screen.CutTail(text, len(front)))
	fmt.Fprintln(w)
}

func heatColor(heat float64, known bool) string {
	if heat == 0 && known {
		return terminal.Faint
	}
	return terminal.HeatColor(heat)
}

// expandTabs replaces tabs with spaces, since the columns before the text shift the tab stops.
func expandTabs(text string) string {
	var b strings.Builder
	column := 0
	for i, part := range strings.Split(text, "\t") {
		if i > 0 {
			n := tabWidth - column%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			column += n
		}
		b.WriteString(part)
		column += utf8.RuneCountInString(part)
	}
	return b.String()
}
