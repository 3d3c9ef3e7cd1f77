package pages

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// nameElement returns an untrusted name as HTML. The name cannot affect the direction or order of surrounding text.
// Names that may be too long for a line can break between their parts. Copied text does not contain these breaks.
func nameElement(text string) template.HTML {
	text = escape.Printable(text)
	if len(text) <= inOneLine {
		return isolated(text, template.HTMLEscapeString(text))
	}
	divided := partBegins().ReplaceAllString(partEnds().ReplaceAllString(text, "$1\x01$2"), "$1\x01$2")
	divided = longPart().ReplaceAllString(divided, "$0\x01")
	return isolated(text, strings.ReplaceAll(template.HTMLEscapeString(divided), "\x01", "<wbr>"))
}

// Positions for line breaks, which are after packages, classes and parameters, before parameters, and in long parts.
var (
	partEnds   = lazyregexp.New(`([./,$;]|::)([\pL_<])`)
	partBegins = lazyregexp.New(`([\pL\d])([(<][^)])`)
	longPart   = lazyregexp.New(`[^\s\x01]{32}\pM*`)
)

// inOneLine is the length of names that fit in a narrow column.
const inOneLine = 24

// isolated wraps HTML so that it cannot affect the text direction. Only text beyond ASCII needs this.
func isolated(text, html string) template.HTML {
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		html = "<bdi>" + html + "</bdi>"
	}
	return template.HTML(html)
}

// sourceElement returns a line of source code as HTML. It keeps tabs and escapes other unprintable characters.
func sourceElement(line string) template.HTML {
	var b strings.Builder
	w := escape.NewWriter(&b)
	_, _ = io.WriteString(w, strings.ReplaceAll(line, "\n", " ")) // a strings.Builder returns no errors
	_ = w.Close()
	return isolated(b.String(), template.HTMLEscapeString(b.String()))
}

// typeText returns a type as in source code, with its loader if needed. It returns "" for a type without a name.
func typeText(s *reader.Store, name, loader string) string {
	if name == "" {
		return ""
	}
	return display.Spelling{}.Type(s.Header().Domain, name) + display.LoaderNote(s, name, loader)
}

// shortTypeText is like typeText without the package, for wide tables.
func shortTypeText(s *reader.Store, name, loader string) string {
	return display.Spelling{Short: true}.Type(s.Header().Domain, name) + display.LoaderNote(s, name, loader)
}

func typeRecordText(s *reader.Store, t reader.Type) (string, error) {
	name, nameErr := t.Name()
	loader, loaderErr := t.Loader()
	return typeText(s, name.String(), loader.String()), errors.Join(nameErr, loaderErr)
}

// nameless is the text for an empty name, which some functions in CPU profiles have.
const nameless = "(no name)"

func percentText(share float64) string { return cli.FormatShare(share, 1) }

// finePercent formats a share with two significant digits, as "0.013%".
func finePercent(share float64) string {
	value := 100 * share
	switch {
	case value >= 10 || value <= 0:
		return percentText(share)
	case value < 0.0000095:
		return "<0.00001%"
	}
	digits := 1 // after the decimal point
	for least := 1.0; value < 0.995*least; least /= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f%%", digits, value)
}

func changeSign(change float64) string {
	return map[string]string{"more": "▲ ", "less": "▼ "}[changeClass(change)]
}

func changeClass(change float64) string {
	switch {
	case change > 0:
		return "more"
	case change < 0:
		return "less"
	}
	return ""
}

// amountText formats a number with its noun, and nanoseconds as a time, as "50 ms".
func amountText(n uint64, noun string) string {
	if noun == nanosecond {
		return facts.TimeText(n)
	}
	return pluralText(n, noun)
}

const nanosecond = "nanosecond"

// pluralText formats a number with its noun, as "1 method" or "3 methods".
func pluralText(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return cli.Grouped(n) + " " + noun
}

// heatSteps is the number of heat colors, with the CSS classes heat-0 to heat-9.
const heatSteps = 10

// heatClass returns the CSS class of a share from 0 to 1. Half of the classes cover shares below 1%, since few methods
// have most counts.
func heatClass(share float64) string {
	step := 0
	for _, least := range []float64{1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 0.6} {
		if share >= least {
			step++
		}
	}
	return fmt.Sprintf("heat-%d", min(step, heatSteps-1))
}

func capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || !unicode.IsLower(first) {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

func (r *request) inTerms(text string) string {
	return display.InTermsOf(r.archive().Header().Domain, text)
}

// measureAbout returns the description of a measure, as a sentence without its full stop.
func measureAbout(d layout.Domain, name, about string) string {
	if _, rest, named := strings.Cut(about, "VM: "); named {
		about = rest // the VM needs no mention, since the archive belongs to it
	}
	if name == "invocations" {
		about, _, _ = strings.Cut(about, ";")
		if d == layout.DomainHotSpot {
			about += ", until C2 compiled it"
		}
	}
	return capitalized(about)
}

var sectionTitles = map[schema.BlockSection]string{
	schema.SectionData: "Profile points", schema.SectionExtra: "Further traps, and arguments",
	schema.SectionParameters: "Types of parameters", schema.SectionHandlers: "Exception handlers",
}
