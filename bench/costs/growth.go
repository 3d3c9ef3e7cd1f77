package main

import (
	"fmt"
	"math"
	"time"
)

// Limits of the cost of an operation.
const (
	mostExponent = 1.35
	leastTime    = 400 * time.Millisecond // growth of less is noise
	mostPerByte  = 2000.0                 // nanoseconds
	mostMemory   = 1000.0                 // bytes for each byte of input
	leastMemory  = 200 << 20
)

// A growth has the costs of an operation on inputs of sizes that double.
type growth struct {
	costs    []cost
	exponent float64 // e for which cpu = bytes^e fits best
}

// measureGrowth measures an operation on inputs from a quarter of a size to four times it. Each cost is the lower
// cost of two runs.
func measureGrowth(j judge, g genome, operation string, size int) (r growth, ok bool) {
	for s := size / 4; s <= 4*size; s *= 2 {
		var best cost
		for run := range 2 {
			c, ok := measureOnce(j, g, operation, s)
			if !ok {
				return r, false
			}
			if run == 0 || c.cpu < best.cpu {
				best = c
			}
		}
		r.costs = append(r.costs, best)
		if best.cpu > patience/2 {
			break
		}
	}
	r.exponent = exponentOf(r.costs)
	return r, true
}

func measureOnce(j judge, g genome, operation string, size int) (cost, bool) {
	input := j.prepare(g, size)
	defer input.remove()
	return input.measure(operation)
}

func exponentOf(costs []cost) float64 {
	var sx, sy, sxx, sxy, n float64
	for i := range costs {
		x := math.Log2(costs[i].bytes())
		y := math.Log2(float64(costs[i].cpu + 10*time.Millisecond)) // differences of some milliseconds are noise
		n++
		sx += x
		sy += y
		sxx += x * x
		sxy += x * y
	}
	if spread := n*sxx - sx*sx; spread > 0.01 {
		return (n*sxy - sx*sy) / spread
	}
	return 0
}

func (r growth) last() *cost { return &r.costs[len(r.costs)-1] }

// isFinding reports whether an operation grows faster than its input and output, or is too expensive.
func (r growth) isFinding() bool {
	last := r.last()
	if last.memory > leastMemory && last.memoryPerByte() > mostMemory {
		return true
	}
	return last.cpu > leastTime && (r.exponent > mostExponent || last.perByte() > mostPerByte)
}

func (r growth) String() string {
	text := fmt.Sprintf("exponent %.2f:", r.exponent)
	for _, c := range r.costs {
		text += fmt.Sprintf(" %d+%d B %d ms %d MB;", c.input, c.output, c.cpu.Milliseconds(), c.memory>>20)
	}
	return text
}
