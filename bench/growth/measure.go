package main

import (
	"context"
	"io"
	"math"
	"runtime"
	"time"
)

// doublings is how often a size is doubled: n, 2n, 4n, 8n.
const doublings = 3

// A cost is what one run of an operation took.
type cost struct {
	bytes     int // of the archive
	time      time.Duration
	allocated uint64
	steps     uint64 // as far as the operation asked its context
	printed   int64
}

// work is a number of what was done that is the same on every machine: bytes
// allocated, and steps taken.
func (c cost) work() float64 { return float64(c.allocated) + stepWork*float64(c.steps) }

// stepWork is what a question to a context weighs against a byte that was
// allocated: loops ask once in some hundred steps.
const stepWork = 2 << 10

// run runs an operation once on a fresh archive.
func (p pair) run(op operation) (c cost, err error) {
	s, err := open(p.one)
	if err != nil {
		return c, err
	}
	other, err := open(p.other)
	if err != nil {
		return c, err
	}
	ctx := &counting{Context: context.Background()}
	var out counter
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	err = op.run(ctx, s, other, &out)
	c.time = time.Since(begin)
	runtime.ReadMemStats(&after)
	c.bytes, c.allocated, c.steps, c.printed = len(p.one), after.TotalAlloc-before.TotalAlloc, ctx.asked.Load(), out.n
	return c, err
}

// exponent fits cost = size^e to what was measured at doubling sizes.
func exponent(costs []cost, of func(cost) float64) float64 {
	var sx, sy, sxx, sxy float64
	for i, c := range costs {
		x, y := float64(i), math.Log2(max(1, of(c)))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(costs))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// counter counts what is written.
type counter struct{ n int64 }

var _ io.Writer = (*counter)(nil)

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}
