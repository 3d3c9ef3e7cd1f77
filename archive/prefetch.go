package archive

import "runtime"

// Prefetch reads one byte of the file at each of the places and forgets it, so
// that all of them are on their way into the caches at once: the processor does
// not wait for one before it asks for the next. Nothing is checked; places
// outside the file are passed over. Call it within [Mapping.Guard].
//
// The loop is short on purpose. The processor looks a few hundred instructions
// ahead, and every one that is not a load is room for a load that is lost.
func (m *Mapping) Prefetch(places []int64) {
	var seen byte
	if !m.closed.Load() {
		for _, at := range places {
			if uint64(at) < uint64(len(m.data)) {
				seen |= m.data[at]
			}
		}
	}
	runtime.KeepAlive(seen)
	runtime.KeepAlive(m)
}
