package cli

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/profarc/profarc/internal/names/escape"
)

const progressAfter = 500 * time.Millisecond

// A Meter shows a progress bar on a terminal.
type Meter struct {
	a     *App
	label string
	begun time.Time
	steps bool // the counts are steps, not bytes

	mu    sync.Mutex // other goroutines can call Report after Done
	bar   *progressbar.ProgressBar
	ended bool
}

// Meter returns a Meter of bytes.
func (a *App) Meter(label string) *Meter {
	return &Meter{a: a, label: escape.Printable(label), begun: time.Now()}
}

// StepMeter returns a Meter of steps.
func (a *App) StepMeter(label string) *Meter {
	m := a.Meter(label)
	m.steps = true
	return m
}

// Report shows that done of total bytes or steps are done.
func (m *Meter) Report(done, total int64) {
	if !m.a.Streams.ErrTerminal || time.Since(m.begun) < progressAfter {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return
	}
	if m.bar == nil {
		m.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(m.a.Streams.RawErr),
			progressbar.OptionSetDescription(m.label), progressbar.OptionShowBytes(!m.steps), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = m.bar.Set64(done)
}

// Done removes the progress bar.
func (m *Meter) Done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if m.bar != nil {
		_ = m.bar.Finish()
	}
}
