package pages

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/reader"
)

// nameElement returns a text from an archive as HTML. Its content cannot change the direction or the order of what
// stands around it. Names that may be too long for a line may be broken where their parts end: copies of them are
// without breaks.
func nameElement(text string) template.HTML {
	text = escape.Printable(text)
	if len(text) <= inOneLine {
		return isolated(text, template.HTMLEscapeString(text))
	}
	divided := partBegins.ReplaceAllString(partEnds.ReplaceAllString(text, "$1\x01$2"), "$1\x01$2")
	divided = longPart.ReplaceAllString(divided, "$0\x01")
	return isolated(text, strings.ReplaceAll(template.HTMLEscapeString(divided), "\x01", "<wbr>"))
}

// Names are broken after packages, classes and parameters, before parameters, and where they have none for long.
var (
	partEnds   = regexp.MustCompile(`([./,$;]|::)([\pL_<])`)
	partBegins = regexp.MustCompile(`([\pL\d])([(<][^)])`)
	longPart   = regexp.MustCompile(`[^\s\x01]{32}\pM*`)
)

// inOneLine is the length of names that fit in a narrow column.
const inOneLine = 24

// isolated returns a text that is HTML already. Only text beyond ASCII can change what stands around it.
func isolated(text, html string) template.HTML {
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		html = "<bdi>" + html + "</bdi>"
	}
	return template.HTML(html)
}

// sourceElement returns a line of source code as HTML, with its tabs. What else is not printable is escaped.
func sourceElement(line string) template.HTML {
	var b strings.Builder
	w := escape.NewWriter(&b)
	_, _ = io.WriteString(w, strings.ReplaceAll(line, "\n", " ")) // a builder has no errors
	_ = w.Close()
	return isolated(b.String(), template.HTMLEscapeString(b.String()))
}

// typeText returns a type of an archive as programmers write it, with its loader where people
// need that; empty if it has no name.
func typeText(s *reader.Store, name, loader string) string {
	if name == "" {
		return ""
	}
	return display.Spelling{}.Type(s.Header().Domain, name) + display.LoaderNote(s, name, loader)
}

// shortTypeText returns a type as typeText does, without its package: in tables with much else.
func shortTypeText(s *reader.Store, name, loader string) string {
	return display.Spelling{Short: true}.Type(s.Header().Domain, name) + display.LoaderNote(s, name, loader)
}

// typeRecordText returns a type record as typeText does.
func typeRecordText(s *reader.Store, t reader.Type) (string, error) {
	name, nameErr := t.Name()
	loader, loaderErr := t.Loader()
	return typeText(s, name.String(), loader.String()), errors.Join(nameErr, loaderErr)
}

// nameless is shown where a name is empty, as some functions of CPU profiles have it.
const nameless = "(no name)"

// percentText returns a share in percent: "12.3%"; a share above 0 is never "0.0%".
func percentText(share float64) string {
	switch {
	case share > 0 && share < 0.0005:
		return "<0.1%"
	case share < 1 && share > 0.9995:
		return ">99.9%"
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}

// finePercent returns a share in percent with two digits that say something: "0.013%".
func finePercent(share float64) string {
	value := 100 * share
	switch {
	case value >= 10 || value <= 0:
		return percentText(share)
	case value < 0.0000095:
		return "<0.00001%"
	}
	digits := 1 // behind the point
	for least := 1.0; value < 0.995*least; least /= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f%%", digits, value)
}

// changeSign returns the sign of a change, for those who see no colours.
func changeSign(change float64) string {
	return map[string]string{"more": "▲ ", "less": "▼ "}[changeClass(change)]
}

// changeClass returns the class of a change, empty if there is none.
func changeClass(change float64) string {
	switch {
	case change > 0:
		return "more"
	case change < 0:
		return "less"
	}
	return ""
}

// amountText returns a number with its noun, and nanoseconds as a time: "50 ms".
func amountText(n uint64, noun string) string {
	if noun == nanosecond {
		return facts.TimeText(n)
	}
	return pluralText(n, noun)
}

const nanosecond = "nanosecond"

// pluralText returns a number with its noun: "1 method", "3 methods".
func pluralText(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return cli.Grouped(n) + " " + noun
}

// heatSteps is the number of colours for heat: classes heat-0 to heat-9.
const heatSteps = 10

// heatClass returns the class of a share from 0 to 1, coldest first. Half of the steps are
// for shares below a hundredth, since most counts are of few methods.
func heatClass(share float64) string {
	step := 0
	for _, least := range []float64{1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 0.6} {
		if share >= least {
			step++
		}
	}
	return fmt.Sprintf("heat-%d", min(step, heatSteps-1))
}
