// Package growth tests how the cost of every operation on whole archives grows with the
// archive, over shapes that an attacker would choose: each takes nearly linear work.
package growth

import (
	"context"
	"io"
	"math"
	"runtime"
	"sync/atomic"
)

// doublings is the number of times that a size is doubled: n, 2n, 4n, 8n.
const doublings = 3

// A cost is the cost of one run of an operation.
type cost struct {
	bytes     int // of the archive
	allocated uint64
	steps     uint64 // number of times that the operation checked its context
	printed   int64
}

// work returns a measure of the cost that is the same on every machine: bytes allocated plus weighted steps.
func (c cost) work() float64 { return float64(c.allocated) + stepWork*float64(c.steps) }

// stepWork is the weight of a check of the context, in allocated bytes: loops
// check once in some hundred steps.
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
	err = op.run(ctx, s, other, &out)
	runtime.ReadMemStats(&after)
	c.bytes, c.allocated, c.steps, c.printed = len(p.one), after.TotalAlloc-before.TotalAlloc, ctx.asked.Load(), out.n
	return c, err
}

// exponent returns the e for which cost = size^e fits the costs at doubling sizes best.
func exponent(costs []cost, of func(cost) float64) float64 {
	var sx, sy, sxx, sxy float64
	for i, c := range costs {
		x, y := float64(i), math.Log2(max(1, of(c)))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(costs))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// A counter is a writer that counts bytes.
type counter struct{ n int64 }

var _ io.Writer = (*counter)(nil)

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// A counting context counts the checks whether it is done. If most is not 0, it
// is done from the check with that number on.
type counting struct {
	context.Context
	asked atomic.Uint64
	most  uint64
}

func (c *counting) Err() error {
	if n := c.asked.Add(1); c.most != 0 && n >= c.most {
		return context.Canceled
	}
	return nil
}
