package main

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressAfter is how long a work may take before its progress is shown.
const progressAfter = 500 * time.Millisecond

// A meter shows how far a long work has come, where somebody watches.
type meter struct {
	a     *app
	label string
	begun time.Time

	mu    sync.Mutex // a reader may report until it notices that it is not needed any more
	bar   *progressbar.ProgressBar
	ended bool
}

// meter returns a meter of a work that label names.
func (a *app) meter(label string) *meter {
	return &meter{a: a, label: printable(label), begun: time.Now()}
}

// report takes how many of how many bytes are done.
func (m *meter) report(done, total int64) {
	if !m.a.streams.errTerminal || time.Since(m.begun) < progressAfter {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return
	}
	if m.bar == nil {
		m.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(m.a.streams.rawErr), progressbar.OptionSetDescription(m.label),
			progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = m.bar.Set64(done)
}

// done takes the progress off the screen.
func (m *meter) done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if m.bar != nil {
		_ = m.bar.Finish()
	}
}
