package archive

import (
	"runtime"

	"github.com/profarc/profarc/internal/fast"
)

// Prefetch brings the bytes of the file at each of the places on their way into
// the caches, and waits for none of them. Nothing is checked; places outside the
// file are passed over. Call it within [Mapping.Guard]: where there is no
// instruction for it, it reads.
func (m *Mapping) Prefetch(places []int64) {
	if !m.closed.Load() {
		fast.Prefetch(m.data, places)
	}
	runtime.KeepAlive(m)
}
