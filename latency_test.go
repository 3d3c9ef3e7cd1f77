package profarc_test

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
)

// latencies has how long operations took, by their names.
type latencies struct{ of sync.Map }

// A histogram counts times in steps of an eighth of a power of two of nanoseconds.
type histogram struct {
	mu    sync.Mutex
	steps [64 * 8]uint64
	n     uint64
	most  time.Duration
}

func (l *latencies) take(name string, f func()) {
	begun := time.Now()
	f()
	took := time.Since(begun)
	found, ok := l.of.Load(name)
	if !ok {
		found, _ = l.of.LoadOrStore(name, &histogram{})
	}
	found.(*histogram).add(took)
}

func (l *latencies) note(name string, f func() error) (err error) {
	l.take(name, func() { err = f() })
	return err
}

func (h *histogram) add(took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n++
	h.steps[stepOf(uint64(took))]++
	h.most = max(h.most, took)
}

func stepOf(ns uint64) int {
	n := max(4, bits.Len64(ns))
	return n*8 + int(ns>>(n-4)&7)
}

// quantile returns a time that a share of all did not exceed.
func (h *histogram) quantile(share float64) time.Duration {
	left := uint64(share * float64(h.n))
	for step, n := range h.steps {
		if left < n {
			return min(h.most, time.Duration(uint64(9+step%8)<<(step/8-4)))
		}
		left -= n
	}
	return h.most
}

func (l *latencies) String() string {
	all := map[string]*histogram{}
	l.of.Range(func(name, h any) bool {
		all[name.(string)] = h.(*histogram)
		return true
	})
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		h := all[name]
		fmt.Fprintf(&text, "%-10s %12d times, half %v, p99 %v, longest %v\n",
			name, h.n, h.quantile(0.5), h.quantile(0.99), h.most)
	}
	return text.String()
}
