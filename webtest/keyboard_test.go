package webtest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestKeyboard walks over pages with the key Tab: the link that skips the menu comes first,
// everything that can be used is reached, and one sees where one is. With -short it does so in two samples.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	names := []string{"compared", "hotspot", "sampled", "llvm-ir", "graal"}
	if testing.Short() {
		names = names[:2]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openTab(t)
			eachView(t, tab, serve(t, tab, name), func(page string) {
				var presses int
				if err := tab.Eval(checksScript+"; checks.watchFocus()", &presses); err != nil {
					t.Fatal(err)
				}
				for ; presses > 0; presses -= 100 { // the longest pages take longer than an action may
					if err := tab.Do(chromedp.KeyEvent(strings.Repeat(kb.Tab, min(presses, 100)))); err != nil {
						t.Fatal(err)
					}
				}
				check(t, tab, page, "focusProblems")
			})
		})
	}
}

// eachView calls f with the first page of every kind below an address, but for those that show another part
// of a table, and pages of the second archive, which are like the first's. The page is shown then.
func eachView(t *testing.T, tab *Tab, folder string, f func(page string)) {
	t.Helper()
	crawl := NewCrawl(folder + "overview")
	for a := crawl.Next(); a != ""; a = crawl.Next() {
		page := strings.TrimPrefix(a, folder)
		if !plain(page) || strings.Contains(page, "archive=b") {
			continue
		}
		open(t, tab, a)
		links, err := tab.Links()
		if err != nil {
			t.Fatal(err)
		}
		crawl.Add(links...)
		if crawl.First(a) {
			f(page)
		}
		complain(t, page, tab.Problems())
	}
}

func TestKeysOfPages(t *testing.T) {
	t.Parallel()
	tab := openTab(t)
	folder := serve(t, tab, "many")
	for _, address := range []string{folder + "methods", report(t, tab, "many") + "#methods"} {
		tab.SetOrigin(address[:strings.LastIndex(address, "methods")-1])
		open(t, tab, address)
		if err := tab.Do(chromedp.Focus(".skip", chromedp.ByQuery)); err != nil {
			t.Fatal(err)
		}
		pressed(t, tab, kb.Enter, `document.activeElement.matches("main")`, "the first link skips the menu")
		holds(t, tab, `document.querySelector("h1").textContent !== "Overview" || !document.querySelector("h1").offsetParent`,
			"the page stays")
		open(t, tab, address)
		pressed(t, tab, "/", `document.activeElement.matches("input[type=search]") && document.activeElement.value === ""`,
			"/ leads to the search")
		pressed(t, tab, "a/b", `document.activeElement.value === "a/b"`, "/ can be typed in the search")
	}
}

// pressed presses keys and reports an error unless an expression is true then.
func pressed(t *testing.T, tab *Tab, keys, expression, what string) {
	t.Helper()
	for _, key := range keys {
		if err := tab.Press(key); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, tab, expression, what)
}

// holds reports an error unless an expression is true.
func holds(t *testing.T, tab *Tab, expression, what string) {
	t.Helper()
	var true bool
	if err := tab.Eval(expression, &true); err != nil {
		t.Fatal(err)
	}
	if !true {
		var focused string
		_ = tab.Eval(`document.activeElement.outerHTML.slice(0, 200)+document.activeElement.value`, &focused)
		t.Errorf("%s: %s is false; the focus is on %s", what, expression, focused)
	}
}
