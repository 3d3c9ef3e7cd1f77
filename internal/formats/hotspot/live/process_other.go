//go:build !linux

package live

import "time"

// A process cannot be read on this system.
type process struct{ pid int }

type mapping struct {
	start, offset uint64
	path          string
}

// A holding is never made on this system.
type holding struct {
	threads map[int]int
	begun   time.Time
	lasted  time.Duration
}

func openProcess(int) (*process, error) { return nil, ErrUnsupported }

func (p *process) alive() bool                              { return false }
func (p *process) mappings() ([]mapping, error)             { return nil, ErrUnsupported }
func (p *process) read([]byte, uint64) error                { return ErrUnsupported }
func (p *process) readMany([]byte, []span, func(int)) error { return ErrUnsupported }
func (p *process) hold(func(*holding) error) error          { return ErrUnsupported }

func (h *holding) release() {}

var errBusy = ErrUnsupported
