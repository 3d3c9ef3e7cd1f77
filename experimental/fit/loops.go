package fit

import (
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
)

// decideLoops decides on one loop or one branch that ends a loop. Only a loop's branches determine how often it runs.
func (c *conservation) decideLoops() bool {
	for j, i := range c.from {
		if !c.done[j] && i >= 0 && c.now.Points[j].Kind == methodcode.Branch && c.decideLoopExit(j) {
			return true
		}
	}
	return slices.ContainsFunc(c.loops, c.decideLoop)
}

// decideLoopExit decides on a branch with a known flow out of a loop and an unknown number of iterations.
func (c *conservation) decideLoopExit(j int) bool {
	b := c.block[j]
	if len(c.out[b]) != 2 || c.to.confidence[c.from[j]] < possible {
		return false
	}
	for k, e := range c.out[b] {
		if c.net.known[e] && !c.net.known[c.out[b][1-k]] && c.canComeBack(b, 1-k) {
			if c.sidesAgree(j) {
				c.acceptPair(j)
			} else {
				c.refusePair(j)
			}
			return true
		}
	}
	return false
}

func (c *conservation) canComeBack(block, way int) bool {
	seen := make([]bool, len(c.now.Blocks))
	work := []int{int(c.now.Blocks[block].To[way])}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == block {
			return true
		}
		if !seen[b] {
			seen[b] = true
			for _, to := range c.now.Blocks[b].To {
				work = append(work, int(to))
			}
		}
	}
	return false
}

// decideLoop accepts the branches of a loop with several exits if all of them matched, the number of entries is known,
// and their counts are conserved around the loop.
func (c *conservation) decideLoop(loop []int) bool {
	tests := c.undecidedTests(loop)
	if len(tests) == 0 || !c.entryKnown(loop) {
		return false
	}
	trial := c.net.cloneNetwork()
	for _, j := range tests {
		for k, flow := range c.sideFlows(j) {
			trial.setFlow(c.out[c.block[j]][k], flow)
		}
	}
	trial.deriveFlows(func(int) {})
	if !trial.conserved(loop) {
		return false
	}
	for _, j := range tests {
		c.acceptPair(j)
		c.agreed[j] = true
	}
	return true
}

func (c *conservation) entryKnown(loop []int) bool {
	inside := map[int]bool{}
	for _, b := range loop {
		inside[entryNode(b)], inside[exitNode(b)] = true, true
	}
	for e, l := range c.net.edges {
		if inside[l.to] && !inside[l.from] && !c.net.known[e] {
			return false
		}
	}
	return true
}

// undecidedTests returns the undecided branches and switches of a loop, nil if one of them is unmatched.
func (c *conservation) undecidedTests(loop []int) (tests []int) {
	for _, b := range loop {
		at := &c.now.Blocks[b]
		if len(at.To) < 2 {
			continue
		}
		j := int(at.End) - 1
		switch {
		case !slices.ContainsFunc(c.out[b], func(e int) bool { return !c.net.known[e] }):
		case c.done[j] || c.from[j] < 0 || c.to.confidence[c.from[j]] < possible || c.sideFlows(j) == nil:
			return nil
		default:
			tests = append(tests, j)
		}
	}
	return tests
}

// findLoops returns the strongly connected sets of blocks (Tarjan's algorithm).
func findLoops(blocks []methodcode.Block) (loops [][]int) {
	order := make([]int, len(blocks))
	low := make([]int, len(blocks))
	stack := []int{}
	inside := make([]bool, len(blocks))
	clock := 0
	var visit func(b int)
	visit = func(b int) {
		clock++
		order[b], low[b], inside[b] = clock, clock, true
		stack = append(stack, b)
		for _, t := range blocks[b].To {
			to := int(t)
			if order[to] == 0 {
				visit(to)
				low[b] = min(low[b], low[to])
			} else if inside[to] {
				low[b] = min(low[b], order[to])
			}
		}
		if low[b] == order[b] {
			from := slices.Index(stack, b)
			loop := slices.Clone(stack[from:])
			stack = stack[:from]
			for _, member := range loop {
				inside[member] = false
			}
			if len(loop) > 1 || slices.Contains(blocks[b].To, int32(b)) {
				loops = append(loops, loop)
			}
		}
	}
	for b := range blocks {
		if order[b] == 0 {
			visit(b)
		}
	}
	return loops
}
