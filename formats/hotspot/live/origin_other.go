//go:build !linux

package live

import (
	"time"

	"github.com/profarc/profarc/layout"
)

// An origin is never known on this system.
type origin struct {
	launch
	process layout.Process
	begun   time.Time
	root    string
}

func (p *process) origin() *origin { return &origin{} }

func (o *origin) open(string) (at string, version fileVersion, done func(), err error) {
	return "", fileVersion{}, func() {}, ErrUnsupported
}
