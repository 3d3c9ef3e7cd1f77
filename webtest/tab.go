package webtest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	browserlog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Schemes are the colour schemes that pages have.
var Schemes = []string{"light", "dark"}

// Widths are the widths at which pages are looked at, in pixels: of a phone, of half a
// screen, and of a screen.
var Widths = []int64{360, 800, 1400}

// height of the window, in pixels.
const height = 900

// A Tab shows one page at a time. It is not safe for concurrent use.
type Tab struct {
	ctx   context.Context
	close context.CancelFunc

	width  int64  // of the window
	scheme string // of the colours

	mu       sync.Mutex
	origin   string   // what every request must begin with
	problems []string // since the last call of Problems
}

// NewTab opens a tab.
func (b *Browser) NewTab() (*Tab, error) {
	t := &Tab{}
	t.ctx, t.close = chromedp.NewContext(b.ctx)
	chromedp.ListenTarget(t.ctx, t.note)
	// The first call makes the tab, which lives as long as the context of that call.
	if err := chromedp.Run(t.ctx, audits.Enable(), emulation.SetFocusEmulationEnabled(true)); err != nil {
		t.Close()
		return nil, err
	}
	return t, t.View(1400, "light")
}

// Close closes the tab.
func (t *Tab) Close() { t.close() }

// run runs actions, with an end.
func (t *Tab) run(actions ...chromedp.Action) error {
	ctx, end := context.WithTimeout(t.ctx, patience)
	defer end()
	return chromedp.Run(ctx, actions...)
}

// note keeps what a page must not do: errors on the console, violations of its policy,
// requests that leave its origin, and dialogs.
func (t *Tab) note(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			t.problem("console: %s", consoleText(e))
		}
	case *runtime.EventExceptionThrown:
		t.problem("exception: %s", e.ExceptionDetails.Error())
	case *browserlog.EventEntryAdded:
		if e.Entry.Level == browserlog.LevelError || e.Entry.Level == browserlog.LevelWarning {
			t.problem("console: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *audits.EventIssueAdded:
		if d := e.Issue.Details.ContentSecurityPolicyIssueDetails; d != nil {
			t.problem("policy violated: %s %s", d.ViolatedDirective, d.BlockedURL)
		}
	case *network.EventRequestWillBeSent:
		t.checkRequest(e.Request.URL)
	case *page.EventJavascriptDialogOpening:
		t.problem("dialog: %s", e.Message)
		go func() { _ = t.run(page.HandleJavaScriptDialog(false)) }() // not here, where events are read
	}
}

func consoleText(e *runtime.EventConsoleAPICalled) string {
	var parts []string
	for _, a := range e.Args {
		parts = append(parts, string(a.Value)+a.Description)
	}
	return strings.Join(parts, " ")
}

// checkRequest notes a request that leaves the origin of the page.
func (t *Tab) checkRequest(url string) {
	t.mu.Lock()
	origin := t.origin
	t.mu.Unlock()
	if !strings.HasPrefix(url, origin) && !strings.HasPrefix(url, "data:") {
		t.problem("request to %s", url)
	}
}

func (t *Tab) problem(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// Problems returns what went wrong since the last call.
func (t *Tab) Problems() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.problems
	t.problems = nil
	return found
}

// SetOrigin names what the address of each request must begin with.
func (t *Tab) SetOrigin(origin string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.origin = origin
}

// takeReloads tells whether the page waits for a computation. Then it takes the page's timers, so that it does not load
// itself again while the next is opened.
const takeReloads = `(() => {
	const waits = document.querySelector("[data-again]") !== null;
	for (let timer = waits ? setTimeout(() => 0) : 0; timer > 0; timer--) clearTimeout(timer);
	return waits;
})()`

// Open shows the page at an address and waits until it is complete. A page that waits for
// a computation is asked for again.
func (t *Tab) Open(url string) error {
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		err := t.run(chromedp.Navigate(url))
		waits := err != nil && strings.Contains(err.Error(), "net::ERR_ABORTED") // the page before loaded itself again
		switch {
		case err == nil:
			err = t.Eval(takeReloads, &waits)
		case !waits:
			err = fmt.Errorf("%s: %w", url, err)
		}
		if !waits {
			return err
		}
		if time.Since(begun) > patience {
			return fmt.Errorf("%s: not finished after %v", url, patience)
		}
	}
}

// View sets the width of the window, in pixels, and the colour scheme.
func (t *Tab) View(width int64, scheme string) error {
	if t.width == width && t.scheme == scheme {
		return nil
	}
	t.width, t.scheme = width, scheme
	return t.run(emulation.SetDeviceMetricsOverride(width, height, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// AllowScript switches the scripts of pages on or off, from the next page on. Eval works all the same.
func (t *Tab) AllowScript(allowed bool) error {
	return t.run(emulation.SetScriptExecutionDisabled(!allowed))
}

// Eval stores the value of an expression of JavaScript in result, once it is there if it is a promise.
func (t *Tab) Eval(expression string, result any) error {
	return t.run(chromedp.Evaluate(expression, result,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// Submit does what loads another page, and waits until that is complete.
func (t *Tab) Submit(actions ...chromedp.Action) error {
	if err := t.Eval(`globalThis.left = true`, nil); err != nil {
		return err
	}
	if err := t.run(actions...); err != nil {
		return err
	}
	return t.Await(`!globalThis.left && document.readyState === "complete"`)
}

// Await waits until an expression is true, on this page or the next.
func (t *Tab) Await(expression string) error {
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(10 * time.Millisecond) {
		there := false
		// Between two pages there is nothing to ask, which is an error.
		if err := t.Eval(expression, &there); err == nil && there {
			return nil
		}
	}
	return fmt.Errorf("after %v still not: %s", patience, expression)
}

// Press presses a key. As from a keyboard, a page that handles a key keeps it from being typed.
func (t *Tab) Press(key rune) error {
	events := kb.Encode(key)
	down := events[0]
	up := events[len(events)-1]
	down.Type = input.KeyDown
	if len(events) == 3 {
		down.Text = events[1].Text
	}
	return t.run(down, up)
}

// Do runs actions on the page.
func (t *Tab) Do(actions ...chromedp.Action) error { return t.run(actions...) }

// Picture returns what a window of the current width and a height shows as a PNG; the whole
// page if it is less high.
func (t *Tab) Picture(highest int64) (png []byte, err error) {
	var size [2]int64
	if err := t.Eval(`[innerWidth, document.documentElement.scrollHeight]`, &size); err != nil {
		return nil, err
	}
	t.width = 0 // the height changes
	err = t.run(emulation.SetDeviceMetricsOverride(size[0], min(size[1], highest), 1, false), page.BringToFront(),
		chromedp.CaptureScreenshot(&png))
	return png, err
}
