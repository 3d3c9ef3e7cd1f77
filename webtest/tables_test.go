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
			tab, searches := openTab(t), 0
			eachView(t, tab, serve(t, tab, name), func(page string) {
				searched := []string{} // the view that the page searches, and a word
				if err := tab.Eval(`[document.querySelector("header form").getAttribute("action"), document.querySelector(".table tbody td")?.textContent.slice(0, 12) ?? ""]`, &searched); err != nil {
					t.Fatal(err)
				}
				if view, _, _ := strings.Cut(page, "?"); searched[0] == view && searched[1] != "" {
					search(t, tab, strings.TrimSpace(searched[1]))
					searches++
				}
			})
			t.Logf("%d views", searches)
			if searches < 5 {
				t.Errorf("%d views were searched", searches)
			}
		})
	}
}

// search searches the page for a word, and checks what its first table has.
func search(t *testing.T, tab *Tab, word string) {
	t.Helper()
	follow(t, tab, chromedp.SetValue(`header input[type=search]`, word, chromedp.ByQuery),
		chromedp.SendKeys(`header input[type=search]`, kb.Enter, chromedp.ByQuery))
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

// visibleRows returns the texts of the rows of the first table.
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
	for _, text := range []string{"CLASS35", "/class3[5]/", "method class35", "*Class35*", "CLASS35|nothing"} {
		typeSearch(t, tab, text)
		foundOnly(t, tab, "class35")
	}
	typeSearch(t, tab, "/no row/")
	holds(t, tab, `document.querySelector("#methods .rows").textContent.startsWith("No row matches “/no row/”")`,
		"the page tells that nothing matches")
	typeSearch(t, tab, "/(/")
	holds(t, tab, `!document.querySelector("header input").validity.valid`, "a malformed expression is told")
	typeSearch(t, tab, "class35")
	click(t, tab, `#methods tbody tr:not([hidden]) a`)
	check(t, tab, "a page of a method", "alone")
	complain(t, "problems", tab.Problems())
}

// typeSearch replaces the text in the search of a report.
func typeSearch(t *testing.T, tab *Tab, text string) {
	t.Helper()
	var emptied string
	if err := tab.Eval(`document.querySelector("header input").value = ""`, &emptied); err != nil {
		t.Fatal(err)
	}
	if err := tab.Do(chromedp.SendKeys(`header input[type=search]`, text, chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
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
