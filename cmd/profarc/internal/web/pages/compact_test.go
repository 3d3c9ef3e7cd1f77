package pages

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/profarc/profarc/internal/testkit/specimen"
)

// A shownText writes what a browser shows of nodes, as text: elements with their attributes but for
// those that compact may leave out, and spaces where they are shown.
type shownText struct{ strings.Builder }

// blocks are the elements around whose tags spaces are not shown: each has lines of its own,
// or is of SVG.
var blocks = setOf("table caption thead tbody tr td th ul ol li dl dt dd p div pre section details summary h1 h2 h3 " +
	"nav form g rect title text line path")

var (
	spacesAtLines = regexp.MustCompile(` *\n[\n ]*`)
	spacesInLine  = regexp.MustCompile(`[ \t\r\n]+`)
	keptSpaces    = strings.NewReplacer(" ", "\u2423", "\n", "\u21b5")
)

// shownOf returns what a browser shows of a page's HTML, which x/net/html reads by the rules of
// browsers.
func shownOf(t *testing.T, page string) string {
	nodes, err := html.ParseFragment(strings.NewReader(page),
		&html.Node{Type: html.ElementNode, Data: "main", DataAtom: atom.Main})
	if err != nil {
		t.Fatal(err)
	}
	var shown shownText
	for _, n := range nodes {
		shown.node(n, false)
	}
	return spacesAtLines.ReplaceAllString(shown.String(), "\n")
}

func (s *shownText) node(n *html.Node, inPre bool) {
	switch {
	case n.Type == html.TextNode && inPre:
		s.WriteString(keptSpaces.Replace(n.Data))
	case n.Type == html.TextNode:
		s.WriteString(spacesInLine.ReplaceAllString(n.Data, " "))
	case n.Data == "bdi" && n.FirstChild != nil && n.FirstChild == n.LastChild &&
		plainNumber.MatchString(n.FirstChild.Data):
		s.node(n.FirstChild, inPre)
	default:
		s.element(n, inPre || n.Data == "pre")
	}
}

func (s *shownText) element(n *html.Node, inPre bool) {
	border := ""
	if blocks[n.Data] {
		border = "\n"
	}
	fmt.Fprintf(s, "%s<%s", border, n.Data)
	for _, a := range n.Attr {
		if a.Key != "id" && a.Key != "title" && a.Key != "data-value" {
			fmt.Fprintf(s, " %s=%q", a.Key, a.Val)
		}
	}
	s.WriteString(">" + border)
	for within := range n.ChildNodes() {
		s.node(within, inPre)
	}
	fmt.Fprintf(s, "%s</%s>%s", border, n.Data, border)
}

// eachReportPage calls f with all pages of the reports of all specimens, and the ids to which
// their links lead.
func eachReportPage(t *testing.T, f func(name, page string, targets map[string]bool)) {
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		requests, err := specimenSite(t, sp).reportRequests(t.Context(), ReportOptions{Methods: 20})
		if err != nil {
			t.Fatal(err)
		}
		held, targets := reportLinks{}, map[string]bool{}
		for _, r := range requests {
			held.addPage(r)
		}
		made, err := newSideTemplates(held)
		if err != nil {
			t.Fatal(err)
		}
		for _, into := range []func(p *shownPage){
			func(p *shownPage) { targetsOf(string(p.Content), targets) },
			func(p *shownPage) { f(sp.Name+" "+p.ID, string(p.Content), targets) },
		} {
			if err := eachPage(made, requests, func(_ int, p *shownPage) error { into(p); return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A browser makes the same of a page that was made compact.
func TestCompactPagesAreTheSame(t *testing.T) {
	t.Parallel()
	before, after, pages := 0, 0, 0
	eachReportPage(t, func(name, page string, targets map[string]bool) {
		short := compact(page, targets)
		if d := cmp.Diff(shownOf(t, page), shownOf(t, short)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		before, after, pages = before+len(page), after+len(short), pages+1
	})
	if pages < 50 || after > before*5/6 {
		t.Errorf("%d bytes of %d remain in %d pages", after, before, pages)
	}
}

var (
	valueCells = regexp.MustCompile(`<td class="?number"?(?: data-value=(?:"([^"]*)"|([^\s>]+)))?[^>]*>([^<]*(?:<bdi>[^<]*)?)`)
	idForm     = regexp.MustCompile(` id=(?:"([^"]*)"|([^\s>]+))`)
)

// A table of a report is sorted as that of a server.
func TestCompactTablesAreSortedAlike(t *testing.T) {
	t.Parallel()
	cells := 0
	eachReportPage(t, func(name, page string, targets map[string]bool) {
		before, after := valueCells.FindAllStringSubmatch(page, -1),
			valueCells.FindAllStringSubmatch(compact(page, targets), -1)
		if len(before) != len(after) {
			t.Fatalf("%s: %d cells of %d", name, len(after), len(before))
		}
		for i, cell := range before {
			if cell[1] == "" {
				continue // of a table that is not sorted
			}
			want, err := strconv.ParseFloat(strings.ReplaceAll(cell[1], "&#43;", "+"), 64)
			if err != nil {
				t.Fatal(err)
			}
			text := after[i][1] + after[i][2]
			if text == "" {
				text = strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(after[i][3], ",", ""), "<bdi>"))
			}
			got, err := strconv.ParseFloat(strings.ReplaceAll(text, "&#43;", "+"), 64)
			if err != nil || math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Errorf("%s: sorted by %v, want %v (%v)", name, got, want, err)
			}
			cells++
		}
	})
	if cells < 1000 {
		t.Errorf("only %d cells", cells)
	}
}

func TestCompactKeepsWhatIsShown(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<p>a\n  b</p>\n<p>c <a href=\"#x\">d</a> <b>e</b>\n<b>f</b></p>": "<p>a b<p>c <a href=#x>d</a> <b>e</b> " +
			"<b>f</b></p>",
		"<td><pre>a\n\n  <bdi>b </bdi></pre></td>\n</tr>": "<td><pre>a\n\n  <bdi>b </bdi></pre></tr>",
		"<div id=\"x\"></div><div id=\"y\"></div>":        "<div id=x></div><div></div>",
		"<p>a</p>b<p>c</p> d":                             "<p>a</p>b<p>c</p>d",
		"<i title=\"t u\">a</i> <i title=\"t u\">b</i>":   "<i title=\"t u\">a</i> <i>b</i>",
		"<b class=\"\" data-x=\"a=b\" data-y=\"&#34;\">\u00a0c</b>": "<b class=\"\" data-x=\"a=b\" " +
			"data-y=&#34;>\u00a0c</b>",
		"<rect width=\"5\"/><rect class=\"a b\"/><rect/>":                   "<rect width=5 /><rect class=\"a b\"/><rect/>",
		"<bdi>1,234</bdi> <bdi>50.5%</bdi> <bdi>1<wbr>2</bdi> <bdi>-</bdi>": "1,234 50.5% <bdi>1<wbr>2</bdi> <bdi>-</bdi>",
		"<td data-value=\"1e&#43;06\">1,000,000</td>":                       "<td>1,000,000</td>",
		"<td data-value=\"-1\">not known</td>":                              "<td data-value=-1>not known</td>",
		"<td data-value=\"0.123456789\">12.3%</td>":                         "<td data-value=0.123457>12.3%</td>",
		"<td data-value=\"12345678.5\">12,345,678</td>":                     "<td data-value=12345678.5>12,345,678</td>",
		"<li>a<ul><li>b</li></ul></li><li>c</li></ul>":                      "<li>a<ul><li>b</ul><li>c</ul>",
		"<p><span>a</span></p><p><b>c</b></p></div>":                        "<p><span>a</span><p><b>c</b></div>",
		"a < b": "a < b",
	} {
		if got := compact(page, map[string]bool{"x": true}); got != want {
			t.Errorf("%q is %q, want %q", page, got, want)
		}
	}
}
