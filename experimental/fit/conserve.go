package fit

import (
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/methodcode"
)

// A conservation checks moved counts against the control flow of the new code. All flow into a block leaves it, so the
// invocations and the matched branches determine how often a block runs. A point with a different count is now under
// another condition. A point without counts gets the flow of its block.
type conservation struct {
	old *profiledCode
	now *methodcode.Version
	to  *alignment

	net      *network
	blocks   []int   // edge through each block
	out      [][]int // edges out of each block
	loops    [][]int // sets of blocks that reach one another
	handlers []int   // edges into exception handlers
	throws   []int   // edges out of blocks that throw

	level float64   // confidence of facts derived from now on
	sure  []float64 // confidence of the flow of each edge
	block []int     // block of each new point
	from  []int     // old point of each new point, -1 if unmatched
	done  []bool    // whether each new point is decided
	// agreed reports for each new point whether its count equals the flow. doubtful reports whether some count did not,
	// which means that exceptions may leave the code between points.
	agreed   []bool
	doubtful bool
}

// conserveFlow decides which pairs of an alignment agree with the flow of the new code. If the flow or the number of
// invocations is unknown, it returns nil, and all pairs become at most assumed.
func conserveFlow(old *profiledCode, now *methodcode.Version, to *alignment) *conservation {
	if len(now.Blocks) == 0 || !old.entered {
		for i := range to.confidence {
			to.confidence[i] = min(to.confidence[i], assumed)
		}
		return nil
	}
	c := &conservation{old: old, now: now, to: to, level: sure}
	c.buildNetwork()
	n := len(now.Points)
	c.from = slices.Repeat([]int{-1}, n)
	c.done = make([]bool, n)
	c.agreed = make([]bool, n)
	for i, j := range to.to {
		if j >= 0 {
			c.from[j] = i
		}
	}
	c.refuseOtherSides()
	c.decidePairs()
	return c
}

func (c *conservation) buildNetwork() {
	blocks := c.now.Blocks
	c.net = newNetwork(entryNode(len(blocks)))
	c.block = make([]int, len(c.now.Points))
	c.out = make([][]int, len(blocks))
	entry := c.net.addLink(outer, entryNode(0))
	for b := range blocks {
		at := &blocks[b]
		c.blocks = append(c.blocks, c.net.addLink(entryNode(b), exitNode(b)))
		for p := at.First; p < at.End; p++ {
			c.block[p] = b
		}
		for _, to := range at.To {
			c.out[b] = append(c.out[b], c.net.addLink(exitNode(b), entryNode(int(to))))
		}
		if at.Handler {
			c.handlers = append(c.handlers, c.net.addLink(outer, entryNode(b)))
		}
		if len(at.To) == 0 {
			e := c.net.addLink(exitNode(b), outer)
			if at.Throws {
				c.throws = append(c.throws, e)
			}
		}
	}
	c.sure, c.loops = make([]float64, len(c.net.edges)), findLoops(blocks)
	c.setFlow(entry, c.old.invocations)
}

func (c *conservation) setFlow(e int, flow float64) {
	if !c.net.known[e] {
		c.net.setFlow(e, flow)
		c.sure[e] = c.level
	}
}

// decidePairs decides on all pairs in three steps. The first uses certain facts. The second assumes that nothing throws
// and that new tests find no null arguments. The third assumes that each remaining point runs as often as before.
func (c *conservation) decidePairs() {
	c.propagate()
	c.level = likely
	for _, e := range slices.Concat(c.throws, c.handlers, c.nullEdges()) {
		c.setFlow(e, 0)
	}
	c.propagate()
	c.level = assumed
	for j := range c.from {
		if !c.done[j] && c.from[j] >= 0 && c.to.confidence[c.from[j]] > assumed {
			c.acceptPair(j)
			c.propagate()
		}
	}
}

func (c *conservation) nullEdges() (edges []int) {
	for b := range c.now.Blocks {
		at := &c.now.Blocks[b]
		if last := int(at.End) - 1; at.IfNull >= 0 && at.IfNull < len(c.out[b]) && last >= int(at.First) && c.from[last] < 0 {
			edges = append(edges, c.out[b][at.IfNull])
		}
	}
	return edges
}

// propagate decides on the points of blocks with known flow until nothing changes.
func (c *conservation) propagate() {
	for {
		c.net.deriveFlows(func(e int) { c.sure[e] = c.level })
		if !c.decideReached() && !c.decideLoops() {
			return
		}
	}
}

func (c *conservation) decideReached() (progress bool) {
	for j, i := range c.from {
		e := c.blocks[c.block[j]]
		if c.done[j] || i < 0 || !c.net.known[e] {
			continue
		}
		progress = true
		if c.agreesWithFlow(i, c.net.flow[e]) && c.sidesAgree(j) {
			c.acceptPair(j)
			c.agreed[j] = true
		} else {
			c.refusePair(j)
			c.doubtful = true
		}
	}
	return progress
}

// agreesWithFlow compares the count of an old point with a flow. A type check counts no nulls or types beyond its rows.
func (c *conservation) agreesWithFlow(i int, flow float64) bool {
	if sameFlow(c.old.weights[i], flow) {
		return true
	}
	if c.old.points[i].Kind != methodcode.TypeCheck || c.old.weights[i] > flow {
		return false
	}
	return slices.ContainsFunc(c.old.alwaysTogether(i), func(n int) bool { return sameFlow(c.old.weights[n], flow) })
}

func (c *conservation) sidesAgree(j int) bool {
	for k, flow := range c.sideFlows(j) {
		if e := c.out[c.block[j]][k]; c.net.known[e] && !sameFlow(c.net.flow[e], flow) {
			return false
		}
	}
	return true
}

// sideFlows returns the flows out of a block by the old counts of its branch or switch, nil for other points.
func (c *conservation) sideFlows(j int) []float64 {
	i := c.from[j]
	p := &c.now.Points[j]
	old := &c.old.points[i]
	raw := disk.Entry(c.old.entries[i].Bytes())
	flows := make([]float64, len(c.out[c.block[j]]))
	switch {
	case p.Kind == methodcode.Branch && old.Kind == p.Kind && len(flows) == 2:
		flows[0], flows[1] = float64(raw.Cell(takenCell)), float64(raw.Cell(notTakenCell))
		if oppositeSenses(old, p) {
			flows[0], flows[1] = flows[1], flows[0]
		}
	case p.Kind == methodcode.Switch && old.Kind == p.Kind && sameRows(old, p):
		for k, to := range mapCases(old, p) {
			if to < len(flows) {
				flows[to] += float64(raw.Cell(1 + 2*k))
			}
		}
	default:
		return nil
	}
	return flows
}

func (c *conservation) acceptPair(j int) {
	i := c.from[j]
	c.done[j] = true
	confidence := &c.to.confidence[i]
	if *confidence < likely && *confidence != possible {
		return // too uncertain to determine flows
	}
	*confidence = c.level
	if c.old.points[i].Kind != methodcode.TypeCheck {
		c.setFlow(c.blocks[c.block[j]], c.old.weights[i])
	}
	for k, flow := range c.sideFlows(j) {
		c.setFlow(c.out[c.block[j]][k], flow)
	}
}

func (c *conservation) refusePair(j int) {
	i := c.from[j]
	c.to.to[i], c.to.confidence[i], c.to.lost[i] = -1, 0, lostFlow
	c.from[j], c.done[j] = -1, true
}

// alwaysTogether returns the points that run exactly when point i runs. The next point does if nothing else leads to
// it. The previous one does if it alone leads to point i.
func (p *profiledCode) alwaysTogether(i int) (points []int) {
	passes := func(a int) bool {
		k := p.points[a].Kind
		return (k == methodcode.Call || k == methodcode.VirtualCall || k == methodcode.TypeCheck) && !p.targeted[a+1]
	}
	if i+1 < len(p.points) && passes(i) {
		points = append(points, i+1)
	}
	if i > 0 && passes(i-1) {
		points = append(points, i-1)
	}
	return points
}

// derivedCounts returns the counts of a new point that follow from the flow of the code. A call or jump has one count,
// a branch two, a switch the default's and one per case. ok is false if the flow does not determine them.
func (c *conservation) derivedCounts(j int) (counts []uint64, confidence float64, ok bool) {
	b := c.block[j]
	edges := c.out[b]
	switch c.now.Points[j].Kind {
	case methodcode.Call, methodcode.Jump:
		edges = c.blocks[b : b+1]
	case methodcode.Branch, methodcode.Switch:
	default:
		return nil, 0, false
	}
	if c.doubtful && !c.agreesAfter(j) {
		return nil, 0, false
	}
	confidence = 1
	for _, e := range edges {
		if !c.net.known[e] {
			return nil, 0, false
		}
		counts = append(counts, uint64(c.net.flow[e]+0.5))
		confidence = min(confidence, c.sure[e])
	}
	return counts, confidence, true
}

// refuseOtherSides drops pairs of points that are reached from different sides of the same branch or switch.
func (c *conservation) refuseOtherSides() {
	old := newCodeFlow(c.old.points, c.old.size)
	now := newCodeFlow(c.now.Points, c.now.Size)
	for j, i := range c.from {
		if i >= 0 && c.otherSide(old.controllingEdges(i), now.controllingEdges(j)) {
			c.refusePair(j)
		}
	}
}

func (c *conservation) otherSide(was, is []edge) bool {
	for _, e := range was {
		by := c.to.to[e.point]
		if by < 0 || e.how < holds {
			continue
		}
		if old, now := &c.old.points[e.point], &c.now.Points[by]; e.how >= firstCase && sameRows(old, now) {
			e.how = firstCase + mapCases(old, now)[e.how-firstCase]
		}
		controls := func(f edge) bool { return f.point == by }
		if slices.ContainsFunc(is, controls) && !slices.Contains(is, edge{by, e.how}) {
			return true
		}
	}
	return false
}

// agreesAfter reports whether point j or a later point in its block has the count of the flow, so no exception left the
// block before it. A handler may have led the flow back after the block.
func (c *conservation) agreesAfter(j int) bool {
	return slices.Contains(c.agreed[j:c.now.Blocks[c.block[j]].End], true)
}

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
	to := int(c.now.Blocks[block].To[way])
	return slices.ContainsFunc(c.loops, func(loop []int) bool {
		return slices.Contains(loop, block) && slices.Contains(loop, to)
	})
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
