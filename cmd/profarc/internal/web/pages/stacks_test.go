package pages

import (
	"errors"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/web/flame"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/reader"
)

// eachStacks calls f with the specimens that have stacks of a source, and the tree of them.
func eachStacks(t *testing.T, source string, f func(name string, site *Site, tree *flame.Tree)) {
	t.Helper()
	found := 0
	for _, sp := range append(specimen.All(), specimen.Hostile()...) {
		site := specimenSite(t, sp)
		for _, s := range stackSources(site.Archive) {
			if s.name != source {
				continue
			}
			tree, err := s.read(t.Context(), site.Archive, &Progress{})
			if err != nil {
				t.Fatal(err)
			}
			found++
			f(sp.Name, site, tree)
		}
	}
	if found < 2 {
		t.Errorf("%d specimens have %s", found, source)
	}
}

// attribute spells a number as the attributes of templates do.
func attribute(n uint64) string {
	return strings.ReplaceAll(fmt.Sprintf("%.7g", float64(n)), "+", "&#43;")
}

// The table beside sampled stacks has the numbers of the ranking by samples.
func TestStacksHaveTheNumbersOfTheRanking(t *testing.T) {
	t.Parallel()
	eachStacks(t, "samples", func(name string, site *Site, tree *flame.Tree) {
		ranked, err := facts.MostSampled(t.Context(), site.Archive, usualUnit(t, site), analyze.RankOptions{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.Nodes[flame.Root].Total; got != ranked.Total {
			t.Errorf("%s: %d samples, want %d", name, got, ranked.Total)
		}
		body := shownPageOf(t, site, "stacks", newQuery("of", "samples"))
		for _, m := range ranked.Methods {
			number := func(n uint64) string {
				if text := ranked.By.Short(n, cli.Grouped); text != cli.Grouped(n) {
					return fmt.Sprintf(`<td class="number" data-value="%s">%s`, attribute(n), text)
				}
				return fmt.Sprintf(`<td class="number">%s`, cli.Grouped(n))
			}
			spelled := template.HTMLEscapeString(escape.Printable(m.Spelled()))
			row, total := fmt.Sprintf(`%s</a>%s`, spelled, number(m.Self)), number(m.Total)+"\n"
			if _, after, ok := strings.Cut(body, row); !ok || !strings.Contains(strings.SplitAfter(after, "\n")[0], total) {
				t.Errorf("%s: no row of %s with %d and %d", name, m.Method, m.Self, m.Total)
			}
		}
	})
}

// The contexts of profiles have all that the profiles count.
func TestContextsHaveTheCountsOfTheProfiles(t *testing.T) {
	t.Parallel()
	eachStacks(t, "contexts", func(name string, site *Site, tree *flame.Tree) {
		by, sum := contextMeasure(site.Archive), uint64(0)
		for q, err := range site.Archive.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			sum = disk.SaturatingAdd(sum, by.Of(q))
		}
		if got := tree.Nodes[flame.Root].Total; got != sum || tree.Cut != 0 {
			t.Errorf("%s: %d of %d counts, %d cut", name, got, sum, tree.Cut)
		}
	})
}

var boxElements = regexp.MustCompile(`<foreignObject x="([0-9.]+)%" y="([0-9]+)" width="([0-9.]+)%" height="19"><div class="box`)

// All boxes lie in the graph, upside down, zoomed and searched too, and matches are marked.
func TestBoxesLieInTheGraph(t *testing.T) {
	t.Parallel()
	eachStacks(t, "samples", func(name string, site *Site, tree *flame.Tree) {
		for at := range tree.Nodes {
			if tree.Nodes[at].Total == 0 {
				continue
			}
			for _, up := range []string{"", "1"} {
				body := shownPageOf(t, site, "stacks", newQuery("of", "samples", "at", nodeText(at), "up", up, "find", "fib"))
				height := regexp.MustCompile(`width="100%" height="(\d+)"`).FindStringSubmatch(body)
				most, _ := strconv.Atoi(height[1])
				boxes := boxElements.FindAllStringSubmatch(body, -1)
				if len(boxes) == 0 || strings.Contains(body, "\u202e") {
					t.Errorf("%s: bad graph of node %d", name, at)
				}
				for _, b := range boxes {
					x, _ := strconv.ParseFloat(b[1], 64)
					y, _ := strconv.Atoi(b[2])
					width, _ := strconv.ParseFloat(b[3], 64)
					if x+width > 100.01 || y+levelHeight > most {
						t.Errorf("%s: a box at %g, %d of width %g in a graph of height %d", name, x, y, width, most)
					}
				}
				if name == "sampled" && at == flame.Root && strings.Count(body, " found") < 3 {
					t.Errorf("%s: too little is found", name)
				}
			}
		}
	})
}

// The graph of callers is drawn beside the page, which tells what was cut from it and fails if it is damaged.
func TestCallersTellErrorsAndCuts(t *testing.T) {
	t.Parallel()
	damaged := errors.New("damaged")
	callers := flame.New()
	callers.Add([]uint32{1, 2}, 3)
	callers.Sum()
	callers.Cut = 7
	eachStacks(t, "samples", func(name string, site *Site, tree *flame.Tree) {
		b := newFlameGraph(requestOf(t, site, nameOfFlame), tree, flame.Root, &flamePage{})
		b.methods = func(uint32) (reader.Method, error) { return reader.Method{}, damaged }
		b.drawCallers(callers)
		if !errors.Is(*b.request.damage, damaged) || b.page.Cut != 7 {
			t.Errorf("%s: error %v, %d cut", name, *b.request.damage, b.page.Cut)
		}
	})
}
