package terminal

import (
	"bufio"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/system/lazyregexp"
)

const leastShown = 12

// Cut shortens a text to the rest of a line with used cells. It abbreviates packages to first letters, from the
// outermost on. Then it drops the last parameters of a method. Finally it drops words in the middle, since names differ
// at their ends.
func (s *Screen) Cut(text string, used int) string {
	if s.Width == 0 {
		return text
	}
	return s.cutToWidth(text, max(s.Width-used, leastShown))
}

func (s *Screen) cutToWidth(text string, most int) string {
	text = cutPackages(text, most)
	return cutMiddle(cutParameters(text, most, s.ellipsis()), most, s.ellipsis())
}

// packageWord matches the first package of a class that is longer than a letter, the abbreviated packages before it,
// and the packages after it up to the class.
var packageWord = lazyregexp.New(`(?:^|[^\w.$/])(?:[a-z_][.])*([a-z_][a-z0-9_]+)[.](?:[a-z_][a-z0-9_]*[.])*[A-Z]`)

func cutPackages(text string, most int) string {
	for uniseg.StringWidth(text) > most {
		at := packageWord().FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		text = text[:at[2]+1] + text[at[3]:]
	}
	return text
}

// cutParameters drops the last parameters of a method until it fits into most cells, as in put(Object, …) @7. If that
// is impossible, it returns name.
func cutParameters(name string, most int, ellipsis string) string {
	method, rest, _ := strings.Cut(name, "(")
	parameters, behind, called := strings.Cut(rest, ")")
	if !called || uniseg.StringWidth(name) <= most {
		return name
	}
	list := strings.Split(parameters, ", ")
	for last := len(list) - 1; last >= 0; last-- {
		short := method + "(" + strings.Join(append(list[:last:last], ellipsis), ", ") + ")" + behind
		if uniseg.StringWidth(short) <= most {
			return short
		}
	}
	return name
}

// CutTail is Cut for text whose beginning matters most, such as a source line.
func (s *Screen) CutTail(text string, used int) string {
	most := max(s.Width-used, leastShown)
	if s.Width == 0 || uniseg.StringWidth(text) <= most {
		return text
	}
	return textPrefix(text, most-uniseg.StringWidth(s.ellipsis())) + s.ellipsis()
}

func (s *Screen) ellipsis() string {
	if unicodeLocale() {
		return "…"
	}
	return "..."
}

const wordEnds = "./:$ (,<@"

// cutMiddle shortens a text to most cells, and keeps more of its end than of its beginning. It cuts between words,
// unless a word is too long.
func cutMiddle(text string, most int, ellipsis string) string {
	if uniseg.StringWidth(text) <= most {
		return text
	}
	room := max(most-uniseg.StringWidth(ellipsis), 0)
	begin := textPrefix(text, room/3)
	if i := strings.LastIndexAny(begin, wordEnds); i >= 0 {
		begin = begin[:i+1]
	}
	end := textSuffix(text, room-uniseg.StringWidth(begin))
	if i := strings.IndexAny(end, wordEnds); i >= 0 && i < len(end)/2 {
		end = end[i:]
	}
	return begin + ellipsis + end
}

func textPrefix(text string, most int) string {
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if most -= g.Width(); most < 0 {
			start, _ := g.Positions()
			return text[:start]
		}
	}
	return text
}

func textSuffix(text string, most int) string {
	left := uniseg.StringWidth(text)
	start := 0
	for g := uniseg.NewGraphemes(text); left > most && g.Next(); {
		left -= g.Width()
		_, start = g.Positions()
	}
	return text[start:]
}

const leastCell = 6

func (s *Screen) ShrinkColumns(widths []int) {
	if s.Width == 0 || len(widths) == 0 {
		return
	}
	over := len(columnGap)*(len(widths)-1) - s.Width
	for _, w := range widths {
		over += w
	}
	for ; over > 0; over-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= leastCell {
			return
		}
		widths[widest]--
	}
}

func (s *Screen) PadCell(text string, width int) string {
	text = s.cutToWidth(text, width)
	return text + strings.Repeat(" ", max(width-uniseg.StringWidth(text), 0))
}

func (s *Screen) FormatCount(n uint64) string {
	if s.Width == 0 {
		return strconv.FormatUint(n, 10)
	}
	return cli.Grouped(n)
}

// CountText formats a count of any integer type for a template.
func (s *Screen) CountText(n any) string {
	return s.FormatCount(reflect.ValueOf(n).Convert(reflect.TypeFor[uint64]()).Uint())
}

// FoldLines calls print with an App and the Screen of its output. On a terminal, a long line continues below the text
// after its first column. A word longer than a line stays whole.
func FoldLines(a *cli.App, print func(*cli.App, *Screen)) {
	s := &Screen{a: a}
	_, s.Width, _ = terminalSize(a)
	if s.Width == 0 {
		print(a, s)
		return
	}
	var text strings.Builder
	folded := *a
	folded.Out = bufio.NewWriter(&text)
	print(&folded, s)
	_ = folded.Out.Flush() // a builder takes everything
	for line := range strings.Lines(text.String()) {
		_, _ = a.Out.WriteString(foldLine(strings.TrimSuffix(line, "\n"), s.Width) + "\n")
	}
}

// firstColumn matches the first column of a line and the gap after it, or a gap alone.
var firstColumn = lazyregexp.New(`^ *(?:[^ ]+(?: [^ ]+)*)?  +`)

func foldLine(line string, width int) string {
	if uniseg.StringWidth(line) <= width {
		return line
	}
	first := firstColumn().FindString(line)
	indent := uniseg.StringWidth(first)
	if indent > width/2 {
		first, indent = "", 4
	}
	lines := wrapWords(line[len(first):], width-indent, func(word string) string { return word })
	return first + strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}
