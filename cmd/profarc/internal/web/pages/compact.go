package pages

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// compact returns the HTML of a page of a report in fewer bytes, from which a browser makes the
// same elements: without the ids to which no link leads, spaces that are not shown, end tags that
// follow from the next tag, quotes around simple values, and titles that the page has before. targets has the ids that
// links lead to.
func compact(page string, targets map[string]bool) string {
	c := &compactor{pieces: piecesOf(page), targets: targets, titles: map[string]bool{}}
	for i := range c.pieces {
		if p := &c.pieces[i]; p.name == "" {
			c.text(i)
		} else if p.name == "bdi" && c.aroundNumber(i) {
			continue
		} else if p.name == "pre" {
			c.inPre = !p.end
			c.b.WriteString(p.text)
		} else if p.end {
			c.end(i)
		} else {
			c.start(i)
		}
	}
	return c.b.String()
}

// targetsOf adds the ids to which the links of a page lead.
func targetsOf(page string, into map[string]bool) {
	for _, found := range targetForm.FindAllStringSubmatch(page, -1) {
		into[found[1]] = true
	}
}

var targetForm = regexp.MustCompile(` (?:href="#|aria-labelledby="|for=")([^"]*)"`)

// A piece of HTML is a tag or a text. Templates escape what is neither.
type piece struct {
	text string
	name string // of a tag
	end  bool   // of an element
}

// piecesOf divides HTML, in which no value of an attribute has a >.
func piecesOf(page string) (list []piece) {
	for page != "" {
		at := strings.IndexByte(page, '<')
		if at != 0 {
			if at < 0 {
				at = len(page)
			}
			list = append(list, piece{text: page[:at]})
			page = page[at:]
			continue
		}
		length := strings.IndexByte(page, '>') + 1
		if length == 0 {
			return append(list, piece{text: page})
		}
		p := piece{text: page[:length], end: page[1] == '/'}
		name := strings.TrimPrefix(p.text[1:], "/")
		p.name = name[:strings.IndexAny(name, " \n>/")]
		list, page = append(list, p), page[length:]
	}
	return list
}

// A compactor writes pieces.
type compactor struct {
	pieces  []piece
	targets map[string]bool
	titles  map[string]bool // those before
	b       strings.Builder
	inPre   bool
}

// Elements around whose tags spaces are not shown.
var spaceless = setOf("table caption thead tbody tr td th ul ol li dl dt dd p div section details summary h1 h2 h3 " +
	"nav form g rect title text line path")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// space is what HTML takes for one: others are shown.
var space = regexp.MustCompile(`[ \t\r\n]+`)

// text writes a text.
func (c *compactor) text(i int) {
	if c.inPre {
		c.b.WriteString(c.pieces[i].text)
		return
	}
	text := space.ReplaceAllString(c.pieces[i].text, " ")
	if c.isSpaceless(i - 1) {
		text = strings.TrimPrefix(text, " ")
	}
	if c.isSpaceless(i + 1) {
		text = strings.TrimSuffix(text, " ")
	}
	c.b.WriteString(text)
}

// plainNumber are the texts that any direction of writing leaves as they are.
var plainNumber = regexp.MustCompile(`^[0-9][0-9,]*(\.[0-9]+%)?$`)

// aroundNumber reports whether a tag begins or ends an element with a mere number in it.
func (c *compactor) aroundNumber(i int) bool {
	from := i
	if c.pieces[i].end {
		from = i - 2
	}
	if from < 0 || from+2 >= len(c.pieces) {
		return false
	}
	begin, text, end := c.pieces[from], c.pieces[from+1], c.pieces[from+2]
	return begin.text == "<bdi>" && end.text == "</bdi>" && plainNumber.MatchString(text.text)
}

// isSpaceless reports whether a piece is a tag beside which spaces are not shown.
func (c *compactor) isSpaceless(i int) bool {
	return i < 0 || i >= len(c.pieces) || spaceless[c.pieces[i].name]
}

// omitted are the tags before which the end tags of elements may be left out, by the rules of
// HTML.
var omitted = map[string]map[string]bool{
	"td": setOf("td th /tr"), "th": setOf("td th /tr"), "tr": setOf("tr /tbody /thead"), "li": setOf("li /ul /ol"),
	"dt": setOf("dt dd"), "dd": setOf("dd dt /dl"),
	"thead": setOf("tbody"), "tbody": setOf("/table"),
	"p": setOf("p div dl ul ol table form nav section details h2 h3 /section /div /details"),
}

// end writes an end tag.
func (c *compactor) end(i int) {
	p := &c.pieces[i]
	if !omitted[p.name][c.next(i)] {
		c.b.WriteString(p.text)
	}
}

// next returns the name of the tag after a piece, with a slash if it ends an element; empty if a
// text comes first.
func (c *compactor) next(i int) string {
	for i++; i < len(c.pieces); i++ {
		switch p := &c.pieces[i]; {
		case p.end:
			return "/" + p.name
		case p.name != "":
			return p.name
		case space.ReplaceAllString(p.text, "") != "":
			return ""
		}
	}
	return ""
}

// attribute is an attribute of our templates, which quote all values.
var attribute = regexp.MustCompile(` ([a-zA-Z-]+)="([^"]*)"`)

// simple are the values that need no quotes.
var simple = regexp.MustCompile("^[^\\s\"'`=<>]+$")

// start writes a start tag.
func (c *compactor) start(i int) {
	p := &c.pieces[i]
	empty := strings.HasSuffix(p.text, "/>")
	text := attribute.ReplaceAllStringFunc(p.text, func(whole string) string {
		found := attribute.FindStringSubmatch(whole)
		name, value := found[1], found[2]
		switch {
		case name == "id" && !c.targets[value], name == "title" && c.titles[value]:
			return ""
		case name == "title":
			c.titles[value] = true
		case name == "data-value":
			if value = c.sortValue(i, value); value == "" {
				return ""
			}
		}
		if simple.MatchString(value) {
			return " " + name + "=" + value
		}
		return " " + name + `="` + value + `"`
	})
	if before := strings.TrimSuffix(text, "/>"); empty && before != "<"+p.name && !strings.HasSuffix(before, `"`) {
		text = before + " />" // else the slash would belong to the value
	}
	c.b.WriteString(text)
}

// sortValue returns what a cell must say by what it is sorted: nothing if its text is that
// number.
func (c *compactor) sortValue(i int, value string) string {
	v, err := strconv.ParseFloat(strings.ReplaceAll(value, "&#43;", "+"), 64)
	if err != nil {
		return value
	}
	if shown, err := strconv.ParseFloat(strings.ReplaceAll(c.cell(i), ",", ""), 64); err == nil && shown == v {
		return ""
	}
	if v > 0 && v <= 1 {
		return strconv.FormatFloat(v, 'g', 6, 64) // a share
	}
	return value
}

// cell returns the text of a cell, as a script sees it.
func (c *compactor) cell(i int) string {
	var b strings.Builder
	end := slices.IndexFunc(c.pieces[i:], func(p piece) bool { return p.end && p.name == "td" })
	for _, p := range c.pieces[i : i+max(end, 0)] {
		if p.name == "" {
			b.WriteString(p.text)
		}
	}
	return strings.TrimSpace(b.String())
}
