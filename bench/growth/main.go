// Growth measures how the cost of every operation on whole archives grows with
// the archive, over shapes that an attacker would choose:
//
//	go run ./bench/growth              all shapes and operations
//	go run ./bench/growth -n 8000 -shape deep -operation diff
//
// Each line has the time and the allocated bytes at the sizes n, 2n, 4n and 8n,
// and the exponents that fit: 1 is linear. The test of this package limits the
// exponent of the work, which is the same on every machine.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

func main() {
	n := flag.Int("n", 4000, "the smallest size")
	shapeName := flag.String("shape", "", "measure only shapes whose names begin with this")
	operationName := flag.String("operation", "", "measure only operations whose names begin with this")
	flag.Parse()
	if err := measureAll(*n, *shapeName, *operationName); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func measureAll(n int, shapeName, operationName string) error {
	fmt.Printf("%-22s%-16s%12s%38s%34s%12s\n", "shape", "operation", "archive", "time at n, 2n, 4n, 8n, exponent", "allocated, exponent", "printed")
	for _, sh := range shapes {
		if !strings.HasPrefix(sh.name, shapeName) {
			continue
		}
		var pairs []pair
		for i := range doublings + 1 {
			p, err := makePair(sh, n<<i)
			if err != nil {
				return fmt.Errorf("%s: %w", sh.name, err)
			}
			pairs = append(pairs, p)
		}
		for _, op := range operations {
			if strings.HasPrefix(op.name, operationName) && op.applies(pairs[0].domain) {
				if err := printGrowth(sh, op, pairs); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func printGrowth(sh shape, op operation, pairs []pair) error {
	var costs []cost
	for _, p := range pairs {
		c, err := p.run(op)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", sh.name, op.name, err)
		}
		costs = append(costs, c)
	}
	last := costs[len(costs)-1]
	fmt.Printf("%-22s%-16s%9.2f MB", sh.name, op.name, float64(last.bytes)/1e6)
	for _, c := range costs {
		fmt.Printf("%8.1f", float64(c.time)/float64(time.Millisecond))
	}
	fmt.Printf(" ms%7.2f", exponent(costs, func(c cost) float64 { return float64(c.time) }))
	for _, c := range costs {
		fmt.Printf("%7.1f", float64(c.allocated)/1e6)
	}
	fmt.Printf(" MB%6.2f%9.1f MB\n", exponent(costs, func(c cost) float64 { return float64(c.allocated) }), float64(last.printed)/1e6)
	return nil
}

// doublings is the number of times that a size is doubled: n, 2n, 4n, 8n.
const doublings = 3

// A cost is the cost of one run of an operation.
type cost struct {
	bytes     int // of the archive
	time      time.Duration
	allocated uint64
	steps     uint64 // number of times that the operation checked its context
	printed   int64
}

// work returns a measure of the cost that is the same on every machine: bytes
// allocated plus weighted steps.
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
	begin := time.Now()
	err = op.run(ctx, s, other, &out)
	c.time = time.Since(begin)
	runtime.ReadMemStats(&after)
	c.bytes, c.allocated, c.steps, c.printed = len(p.one), after.TotalAlloc-before.TotalAlloc, ctx.asked.Load(), out.n
	return c, err
}

// exponent returns the e for which cost = size^e fits the costs at doubling
// sizes best.
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
