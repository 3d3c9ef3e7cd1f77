package webtest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestStacksWithScript uses the graph of stacks: tips, the search while one types, keys, colours, callers and callees.
func TestStacksWithScript(t *testing.T) {
	t.Parallel()
	tab := openTab(t)
	folder := serve(t, tab, "sampled")
	open(t, tab, folder+"stacks")
	holds(t, tab, `document.querySelectorAll(".packages li").length > 0`, "packages have colours")
	click(t, tab, `[data-colour="share"]`)
	holds(t, tab, `document.querySelector(".flame").classList.contains("by-share")`, "colours are shares")
	const name = `document.querySelectorAll(".flame .box")[1].title.split("\n")[0]`
	var method string
	if err := tab.Eval(name, &method); err != nil {
		t.Fatal(err)
	}
	if err := tab.Do(chromedp.SendKeys(`header input[type=search]`, method, chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
	holds(t, tab, `document.querySelectorAll(".flame .found").length > 0`, "boxes are highlighted")
	holds(t, tab, `/^[\d.]+% of the shown boxes/.test(document.querySelector(".matched").textContent)`, "the share is shown")
	if err := tab.Do(chromedp.Focus(`.flame a`, chromedp.ByQuery)); err != nil {
		t.Fatal(err)
	}
	pressed(t, tab, kb.ArrowDown, `document.activeElement === document.querySelectorAll(".flame a")[1]`, "a key moves down")
	holds(t, tab, `document.querySelector(".tip").textContent.includes("self")`, "a tip has the numbers")
	pressed(t, tab, kb.ArrowUp, `document.activeElement === document.querySelector(".flame a")`, "a key moves up")
	click(t, tab, `[data-sandwich]`)
	follow(t, tab, chromedp.Click(`.flame a[data-around]`, chromedp.ByQuery))
	holds(t, tab, `document.querySelectorAll(".flame").length === 2 && location.search.includes("around=")`,
		"the page has callers and callees")
	follow(t, tab, chromedp.KeyEvent(kb.Escape))
	holds(t, tab, `!location.search.includes("at=")`, "Escape leads to all stacks")
	complain(t, "problems", tab.Problems())
}

// TestStacksOfReport zooms in a report, which has no pages of boxes.
func TestStacksOfReport(t *testing.T) {
	t.Parallel()
	tab := openTab(t)
	open(t, tab, report(t, tab, "sampled")+"#stacks")
	const boxes = `[...document.querySelectorAll(".page:target .flame foreignObject")]`
	var wide int
	if err := tab.Eval(boxes+`.findIndex((box) => parseFloat(box.getAttribute("width")) < 60)`, &wide); err != nil || wide < 1 {
		t.Fatal(wide, err)
	}
	width := fmt.Sprintf(`parseFloat(%s[%d].getAttribute("width"))`, boxes, wide)
	click(t, tab, fmt.Sprintf(`.page:target .flame foreignObject:nth-of-type(%d) .box`, wide+1))
	holds(t, tab, width+` === 100`, "a box fills the graph")
	click(t, tab, `.page:target .flame foreignObject .box`)
	holds(t, tab, width+` < 60`, "the outermost box leads back")
	complain(t, "problems", tab.Problems())
}
