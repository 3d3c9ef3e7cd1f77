package webtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/chromedp"
)

// ErrNoBrowser means that this machine has no Chromium.
var ErrNoBrowser = errors.New("no chromium: install Debian's package chromium")

// browsers are the names of supported programs, the preferred one first.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"}

// patience is the timeout for a step in the browser.
const patience = 20 * time.Second

// A Browser is a running headless Chromium.
type Browser struct {
	ctx  context.Context
	ends []context.CancelFunc
}

// Start starts a browser, which runs until ctx is done or Close is called. It does not resolve host names, so that
// pages can only access this machine. The error is ErrNoBrowser if there is no browser.
func Start(ctx context.Context) (*Browser, error) {
	path, err := browserPath()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", false),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // required by Chromium as root
	}
	ctx, endProcess := chromedp.NewExecAllocator(ctx, options...)
	ctx, endBrowser := chromedp.NewContext(ctx)
	b := &Browser{ctx, []context.CancelFunc{endBrowser, endProcess}}
	if err := chromedp.Run(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

func browserPath() (string, error) {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

// Close ends the browser.
func (b *Browser) Close() {
	for _, end := range b.ends {
		end()
	}
}
