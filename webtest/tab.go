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

// Schemes are the colour schemes of pages.
var Schemes = []string{"light", "dark"}

// Widths are the tested widths in pixels, for a phone, half a screen, and a screen.
var Widths = []int64{360, 800, 1400}

// height is the height of the window in pixels.
const height = 900

// A Tab shows one page at a time. It is not safe for concurrent use.
type Tab struct {
	ctx   context.Context
	close context.CancelFunc

	width  int64  // width of the window in pixels
	scheme string // colour scheme

	mu       sync.Mutex
	origin   string   // required prefix of all requests
	problems []string // problems since the last call of Problems
}

// NewTab opens a tab.
func (b *Browser) NewTab() (*Tab, error) {
	t := &Tab{}
	t.ctx, t.close = chromedp.NewContext(b.ctx)
	chromedp.ListenTarget(t.ctx, t.recordEvent)
	// The first call creates the tab, which lives as long as its context.
	if err := chromedp.Run(t.ctx, audits.Enable(), emulation.SetFocusEmulationEnabled(true)); err != nil {
		t.Close()
		return nil, err
	}
	return t, t.View(1400, "light")
}

// Close closes the tab.
func (t *Tab) Close() { t.close() }

// runWithTimeout runs actions with a timeout.
func (t *Tab) runWithTimeout(actions ...chromedp.Action) error {
	ctx, end := context.WithTimeout(t.ctx, patience)
	defer end()
	return chromedp.Run(ctx, actions...)
}

// recordEvent records console errors, policy violations, requests to other origins, and dialogs.
func (t *Tab) recordEvent(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			t.addProblem("console: %s", consoleText(e))
		}
	case *runtime.EventExceptionThrown:
		t.addProblem("exception: %s", e.ExceptionDetails.Error())
	case *browserlog.EventEntryAdded:
		if e.Entry.Level == browserlog.LevelError || e.Entry.Level == browserlog.LevelWarning {
			t.addProblem("console: %s %s", e.Entry.Text, e.Entry.URL)
		}
	case *audits.EventIssueAdded:
		if d := e.Issue.Details.ContentSecurityPolicyIssueDetails; d != nil {
			t.addProblem("policy violated: %s %s", d.ViolatedDirective, d.BlockedURL)
		}
	case *network.EventRequestWillBeSent:
		t.checkRequest(e.Request.URL)
	case *page.EventJavascriptDialogOpening:
		t.addProblem("dialog: %s", e.Message)
		go func() { _ = t.runWithTimeout(page.HandleJavaScriptDialog(false)) }() // must not block the reader of events
	}
}

func consoleText(e *runtime.EventConsoleAPICalled) string {
	var parts []string
	for _, a := range e.Args {
		parts = append(parts, string(a.Value)+a.Description)
	}
	return strings.Join(parts, " ")
}

// checkRequest records a request to another origin.
func (t *Tab) checkRequest(url string) {
	t.mu.Lock()
	origin := t.origin
	t.mu.Unlock()
	if !strings.HasPrefix(url, origin) && !strings.HasPrefix(url, "data:") {
		t.addProblem("request to %s", url)
	}
}

func (t *Tab) addProblem(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, fmt.Sprintf(format, args...))
}

// Problems returns the problems since the last call.
func (t *Tab) Problems() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.problems
	t.problems = nil
	return found
}

// SetOrigin sets the required prefix of all requests.
func (t *Tab) SetOrigin(origin string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.origin = origin
}

// takeReloads returns whether the page waits for a computation, or is loading again because it did. It clears the
// timers of such a page, so that the page does not reload itself while the next one is opened.
const takeReloads = `(() => {
	const waits = document.readyState !== "complete" || document.querySelector("[data-again]") !== null;
	for (let timer = waits ? setTimeout(() => 0) : 0; timer > 0; timer--) clearTimeout(timer);
	return waits;
})()`

// Open loads a page and waits until it is complete. It reloads a page that waits for a computation.
func (t *Tab) Open(url string) error {
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		err := t.runWithTimeout(chromedp.Navigate(url))
		waits := err != nil && strings.Contains(err.Error(), "net::ERR_ABORTED") // the previous page reloaded itself
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

// View sets the width of the window in pixels and the colour scheme.
func (t *Tab) View(width int64, scheme string) error {
	if t.width == width && t.scheme == scheme {
		return nil
	}
	t.width = width
	t.scheme = scheme
	return t.runWithTimeout(emulation.SetDeviceMetricsOverride(width, height, 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// AllowScript enables or disables the scripts of later pages. It does not affect Eval.
func (t *Tab) AllowScript(allowed bool) error {
	return t.runWithTimeout(emulation.SetScriptExecutionDisabled(!allowed))
}

// Eval evaluates a JavaScript expression, awaits it if it is a promise, and stores its value in result.
func (t *Tab) Eval(expression string, result any) error {
	return t.runWithTimeout(chromedp.Evaluate(expression, result,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
}

// Submit runs actions that load another page, and waits until this page is complete.
func (t *Tab) Submit(actions ...chromedp.Action) error {
	if err := t.Eval(`globalThis.left = true`, nil); err != nil {
		return err
	}
	if err := t.runWithTimeout(actions...); err != nil {
		return err
	}
	return t.Await(`!globalThis.left && document.readyState === "complete"`)
}

// Await waits until an expression is true, on this page or the next.
func (t *Tab) Await(expression string) error {
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(10 * time.Millisecond) {
		there := false
		// Between two pages Eval returns an error.
		if err := t.Eval(expression, &there); err == nil && there {
			return nil
		}
	}
	return fmt.Errorf("after %v still not: %s", patience, expression)
}

// Press presses a key. Like a real key, it types a character unless the page handles it.
func (t *Tab) Press(key rune) error {
	events := kb.Encode(key)
	down := events[0]
	up := events[len(events)-1]
	down.Type = input.KeyDown
	if len(events) == 3 {
		down.Text = events[1].Text
	}
	return t.runWithTimeout(down, up)
}

// Do runs actions on the page.
func (t *Tab) Do(actions ...chromedp.Action) error { return t.runWithTimeout(actions...) }

// Picture returns a PNG of the page in a window with the current width, and with the height of the page or highest.
func (t *Tab) Picture(highest int64) (png []byte, err error) {
	var size [2]int64
	if err := t.Eval(`[innerWidth, document.documentElement.scrollHeight]`, &size); err != nil {
		return nil, err
	}
	t.width = 0 // makes View restore the height
	err = t.runWithTimeout(
		emulation.SetDeviceMetricsOverride(size[0], min(size[1], highest), 1, false),
		page.BringToFront(),
		chromedp.CaptureScreenshot(&png),
	)
	return png, err
}
