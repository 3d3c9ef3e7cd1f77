package webtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestTablesOfServer uses the table of methods, with the scripts of pages and without.
func TestTablesOfServer(t *testing.T) {
	t.Parallel()
	for _, script := range []bool{true, false} {
		t.Run(fmt.Sprint("script ", script), func(t *testing.T) {
			t.Parallel()
			tab := openTab(t)
			folder := serve(t, tab, "many")
			if err := tab.AllowScript(script); err != nil {
				t.Fatal(err)
			}
			open(t, tab, folder+"methods")
			first := visibleRows(t, tab)
			follow(t, tab, chromedp.Click(`//*[text()="Next rows"]`))
			second := visibleRows(t, tab)
			if len(first) == 0 || len(second) == 0 || first[0] == second[0] {
				t.Errorf("pages begin with the same row: %.80q", first[:1])
			}
			follow(t, tab, chromedp.Click(`th:nth-child(2) a`, chromedp.ByQuery))
			check(t, tab, "sorted", "unsorted")
			holds(t, tab, `document.querySelectorAll("th[aria-sort].number").length === 1`, "sorted by a column")
			search(t, tab, "class7")
			holds(t, tab, `document.querySelectorAll("th[aria-sort].number").length === 1`, "sorted after a search")
			goBack(t, tab, 3, folder+"methods")
			if again := visibleRows(t, tab); strings.Join(again, "\n") != strings.Join(first, "\n") {
				t.Error("the first page is another one after going back")
			}
			open(t, tab, folder+"overview") // whose header searches all methods
			follow(t, tab, chromedp.SendKeys(`header input[type=search]`, "class7"+kb.Enter, chromedp.ByQuery))
			foundOnly(t, tab, "class7")
			complain(t, "problems", tab.Problems())
		})
	}
}

// goBack goes so many pages back in the history of the tab, to an address.
func goBack(t *testing.T, tab *Tab, by int, address string) {
	t.Helper()
	back := chromedp.Evaluate(fmt.Sprintf("history.go(-%d)", by), nil)
	there := fmt.Sprintf(`location.href === %q && document.readyState === "complete"`, address)
	if err := tab.Do(back); err != nil {
		t.Fatal(err)
	}
	if err := tab.Await(there); err != nil {
		t.Fatal(err)
	}
}

// TestSearchOfEveryView searches in every view that offers it for a part of a row.
func TestSearchOfEveryView(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"many", "compared"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openTab(t)
			eachView(t, tab, serve(t, tab, name), func(page string) {
				rows := visibleRows(t, tab)
				if len(rows) == 0 {
					return
				}
				var word string
				if err := tab.Eval(`[...document.querySelectorAll(".table input[type=search]")].find((e) => e.offsetParent).closest(".table").querySelector("tbody td").textContent.slice(0, 12)`, &word); err != nil {
					t.Fatal(err)
				}
				search(t, tab, strings.TrimSpace(word))
			})
		})
	}
}

// search searches for a word in the first table of the page that has a search, and checks what was found.
func search(t *testing.T, tab *Tab, word string) {
	t.Helper()
	follow(t, tab, chromedp.SetValue(`.table input[type=search]`, word, chromedp.ByQuery),
		chromedp.SendKeys(`.table input[type=search]`, kb.Enter, chromedp.ByQuery))
	foundOnly(t, tab, word)
}

// foundOnly reports an error unless there are rows, all of them with a word.
func foundOnly(t *testing.T, tab *Tab, word string) {
	t.Helper()
	rows := visibleRows(t, tab)
	if len(rows) == 0 {
		t.Errorf("%q is not found", word)
	}
	for _, r := range rows {
		if !strings.Contains(strings.ToLower(r), strings.ToLower(word)) {
			t.Errorf("%q is found in %.100q", word, r)
		}
	}
}

// visibleRows returns the texts of the rows of the first table with a search.
func visibleRows(t *testing.T, tab *Tab) []string {
	t.Helper()
	return must(t, func() ([]string, error) { return tab.Check("rows") })
}

// follow does what leads to another page.
func follow(t *testing.T, tab *Tab, actions ...chromedp.Action) {
	t.Helper()
	if err := tab.Submit(actions...); err != nil {
		t.Fatal(err)
	}
}

// TestTablesOfReport sorts and searches by the script of a report.
func TestTablesOfReport(t *testing.T) {
	t.Parallel()
	tab := openTab(t)
	open(t, tab, report(t, tab, "many")+"#methods")
	before := visibleRows(t, tab)
	for _, order := range []string{"descending", "ascending"} {
		t.Run(order, func(t *testing.T) {
			click(t, tab, `#methods th:nth-child(3) button`)
			holds(t, tab, fmt.Sprintf(`document.querySelector("#methods th:nth-child(3)").getAttribute("aria-sort") === %q`,
				order), "sorted")
			check(t, tab, order, "unsorted")
		})
	}
	if len(visibleRows(t, tab)) != len(before) {
		t.Error("sorting loses rows")
	}
	if err := tab.Do(chromedp.SendKeys(`#methods input[type=search]`, "CLASS35", chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
	foundOnly(t, tab, "class35")
	click(t, tab, `#methods tbody tr:not([hidden]) a`)
	check(t, tab, "a page of a method", "alone")
	complain(t, "problems", tab.Problems())
}

func click(t *testing.T, tab *Tab, selector string) {
	t.Helper()
	if err := tab.Do(chromedp.Click(selector, chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
}

// TestReportWithoutScript follows the links of a report without its script.
func TestReportWithoutScript(t *testing.T) {
	t.Parallel()
	tab := openTab(t)
	file := report(t, tab, "many")
	if err := tab.AllowScript(false); err != nil {
		t.Fatal(err)
	}
	open(t, tab, file)
	holds(t, tab, `[...document.querySelectorAll("section.page")].filter((s) => s.offsetParent).length === 1`,
		"one page is shown")
	for _, link := range []string{`nav li:nth-child(2) a`, `.page:target tbody a`} {
		t.Run(link, func(t *testing.T) {
			click(t, tab, link)
			check(t, tab, link, "alone")
		})
	}
}
