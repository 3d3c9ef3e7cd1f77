//go:build !linux

package live

import (
	"context"
	"iter"
	"net"
	"time"

	"github.com/profarc/profarc/internal/system/procfs"
	"github.com/profarc/profarc/layout"
)

// A process cannot be read on this system.
type process struct{ pid int }

// A holding does not exist on this system.
type holding struct {
	threads map[int]int
	begun   time.Time
	lasted  time.Duration
	resume  func()
}

func openProcess(int) (*process, error)        { return nil, ErrUnsupported }
func openPeer(*net.UnixConn) (*process, error) { return nil, ErrUnsupported }

func (p *process) sendQuit() error                                 { return ErrUnsupported }
func (p *process) isGone() bool                                    { return true }
func (p *process) isAlive() bool                                   { return false }
func (p *process) heldBytes() int64                                { return 0 }
func (p *process) readAt([]byte, uint64) error                     { return ErrUnsupported }
func (p *process) readSpans([]byte, []span, func(int) error) error { return ErrUnsupported }
func (p *process) holdWhile(func(*holding) error) error            { return ErrUnsupported }

func (p *process) mappings(context.Context) iter.Seq2[procfs.Mapping, error] {
	return func(yield func(procfs.Mapping, error) bool) { yield(procfs.Mapping{}, ErrUnsupported) }
}

func largePages(b []byte) []byte { return b }

func translateError(err error) error { return err }

func (h *holding) releaseThreads() {}

var errBusy = ErrUnsupported

// An origin is unknown on this system.
type origin struct {
	launch
	process layout.Process
	begun   time.Time
	root    string
}

func (p *process) readOrigin() *origin { return &origin{} }

func (o *origin) openPath(string) (at string, version fileVersion, done func(), err error) {
	return "", fileVersion{}, func() {}, ErrUnsupported
}
