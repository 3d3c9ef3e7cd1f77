package fit

import (
	"math"
	"slices"

	"github.com/profarc/profarc/internal/java/methodcode"
)

// A network is the control flow of a method as a graph. The flow of an edge is the number of times control passed it.
// Flow into a node equals flow out of it. A block is an edge from its entry to its exit.
type network struct {
	edges []link
	nodes int

	known []bool
	flow  []float64 // flow of known edges
	bad   []bool    // flows around the edge contradict each other, so it stays unknown
}

type link struct{ from, to int }

// outer is the node outside of the method, the source of calls and the target of returns.
const outer = 0

func newNetwork(nodes int) *network { return &network{nodes: nodes} }

func (n *network) addLink(from, to int) int {
	n.edges = append(n.edges, link{from, to})
	n.known, n.flow, n.bad = append(n.known, false), append(n.flow, 0), append(n.bad, false)
	return len(n.edges) - 1
}

func (n *network) setFlow(e int, flow float64) {
	if !n.bad[e] {
		n.known[e], n.flow[e] = true, flow
	}
}

func (n *network) cloneNetwork() *network {
	c := *n
	c.known, c.flow, c.bad = slices.Clone(n.known), slices.Clone(n.flow), slices.Clone(n.bad)
	return &c
}

func (n *network) conserved(blocks []int) bool {
	in := make([]float64, n.nodes)
	out := make([]float64, n.nodes)
	open := make([]bool, n.nodes)
	for e, l := range n.edges {
		in[l.to] += n.flow[e]
		out[l.from] += n.flow[e]
		if !n.known[e] {
			open[l.to], open[l.from] = true, true
		}
	}
	return !slices.ContainsFunc(blocks, func(b int) bool {
		entered := entryNode(b)
		left := exitNode(b)
		return open[entered] || open[left] || !sameFlow(in[entered], out[entered]) || !sameFlow(in[left], out[left])
	})
}

func entryNode(block int) int { return 1 + 2*block }
func exitNode(block int) int  { return 2 + 2*block }

// deriveFlows sets all flows that follow from known flows, and calls found with each such edge.
//
// The flow of an edge follows if its ends have no other connection over unknown edges, since all other flow into one
// side is then known.
func (n *network) deriveFlows(found func(e int)) {
	for n.deriveOnce(found) {
	}
}

type bridgeSearch struct {
	n       *network
	at      [][]int // unknown edges by node
	seen    []int   // entry time of each node, from 1
	low     []int
	balance []float64 // known flow into each node minus known flow out of it
	clock   int
	bridges []bridge
}

// A bridge is an edge whose flow follows.
type bridge struct {
	edge int
	flow float64
}

func (n *network) deriveOnce(found func(e int)) (progress bool) {
	b := &bridgeSearch{n: n, at: make([][]int, n.nodes), seen: make([]int, n.nodes), low: make([]int, n.nodes)}
	b.balance = make([]float64, n.nodes)
	for e, l := range n.edges {
		switch {
		case n.known[e]:
			b.balance[l.to] += n.flow[e]
			b.balance[l.from] -= n.flow[e]
		case l.from != l.to:
			b.at[l.from] = append(b.at[l.from], e)
			b.at[l.to] = append(b.at[l.to], e)
		}
	}
	for node := range n.nodes {
		if b.seen[node] == 0 {
			b.visitNode(node, -1)
		}
	}
	for _, f := range b.bridges {
		if n.bad[f.edge] {
			continue
		}
		if f.flow < 0 {
			if f.flow < -toleranceFor(n.largestFlow()) {
				n.bad[f.edge] = true
				continue
			}
			f.flow = 0
		}
		n.setFlow(f.edge, f.flow)
		found(f.edge)
		progress = true
	}
	return progress
}

func (n *network) largestFlow() (most float64) {
	for e, known := range n.known {
		if known {
			most = math.Max(most, n.flow[e])
		}
	}
	return most
}

// visitNode visits the nodes below one and returns the total of their balances.
func (b *bridgeSearch) visitNode(node, by int) (balance float64) {
	b.clock++
	b.seen[node], b.low[node] = b.clock, b.clock
	balance = b.balance[node]
	for _, e := range b.at[node] {
		if e == by {
			continue
		}
		l := b.n.edges[e]
		other := l.from + l.to - node
		if b.seen[other] > 0 {
			b.low[node] = min(b.low[node], b.seen[other])
			continue
		}
		below := b.visitNode(other, e)
		balance += below
		b.low[node] = min(b.low[node], b.low[other])
		if b.low[other] > b.seen[node] {
			if l.to == other {
				below = -below
			}
			b.bridges = append(b.bridges, bridge{e, below})
		}
	}
	return balance
}

// Tolerances for comparing flows. Interpreter and compiled code count differently, compiled code may be left in the
// middle of a method, and exceptions leave it anywhere.
const (
	slackShare = 0.03
	slackCount = 4
)

func toleranceFor(flow float64) float64 { return slackShare*flow + slackCount }

func sameFlow(a, b float64) bool { return math.Abs(a-b) <= toleranceFor(math.Max(a, b)) }

// A codeFlow is one version of a method's code with its points and the control flow between them. An archive does not
// have the code between points, so a return after a call looks like an edge to the next point in both versions.
type codeFlow struct {
	points        []methodcode.Point
	in, out       [][]edge // edges of each point, without jumps
	before, after []int    // bytes to the previous and next point, or to the end of the code; -1 if unknown
}

// An edge is one end of a path between two points.
type edge struct {
	point int // other end, outside for the start and end of the code
	how   int // next, holds or fails; firstCase+n for case n of a switch
}

// outside stands for the caller, where the code is entered and left.
const outside = -1

// Ways of leaving a point.
const (
	next  = iota // control passes to the next point
	holds        // if the condition of a branch holds
	fails        // if the condition fails
	firstCase
)

func newCodeFlow(points []methodcode.Point, size int) *codeFlow {
	s := &codeFlow{points: points, in: make([][]edge, len(points)), out: make([][]edge, len(points)),
		before: make([]int, len(points)), after: make([]int, len(points))}
	last := 0
	for i, p := range points {
		s.before[i] = int(p.Bci) - last
		last = int(p.Bci)
		switch {
		case i+1 < len(points):
			s.after[i] = int(points[i+1].Bci) - last
		case size > 0:
			s.after[i] = size - last
		default:
			s.after[i] = -1
		}
	}
	s.addEdges()
	return s
}

func (s *codeFlow) addEdges() {
	s.addEdge(outside, next, 0)
	for i := range s.points {
		switch p := &s.points[i]; p.Kind {
		case methodcode.Branch:
			taken, not := holds, fails
			if p.FormerSketch().Inverse {
				taken, not = fails, holds
			}
			s.addEdge(i, taken, targetPoint(p, 0))
			s.addEdge(i, not, i+1)
		case methodcode.Switch:
			for k := range p.Targets {
				s.addEdge(i, firstCase+k, targetPoint(p, k))
			}
		case methodcode.Call, methodcode.VirtualCall, methodcode.TypeCheck:
			s.addEdge(i, next, i+1)
		}
	}
}

// targetPoint returns a target of a point, -1 if it is unknown.
func targetPoint(p *methodcode.Point, k int) int {
	if k >= len(p.Targets) {
		return -1
	}
	return int(p.Targets[k])
}

// maxJumps limits chains of jumps, maxEdges the edges of a point.
const (
	maxJumps = 8
	maxEdges = 32
)

// addEdge adds the edge from a point to another one. It follows jumps to their targets.
func (s *codeFlow) addEdge(from, how, to int) {
	for range maxJumps {
		if to < 0 {
			return // target unknown
		}
		if to < len(s.points) && len(s.in[to]) < maxEdges {
			s.in[to] = append(s.in[to], edge{from, how})
		}
		if to >= len(s.points) || s.points[to].Kind != methodcode.Jump {
			break
		}
		to = targetPoint(&s.points[to], 0)
	}
	if to >= len(s.points) {
		to = outside
	}
	if from != outside && len(s.out[from]) < maxEdges {
		s.out[from] = append(s.out[from], edge{to, how})
	}
}

// controllingEdges returns the edges of branches and switches that lead to point i. If control reaches i only by
// running on from one other point, it returns the edges of that point instead.
func (s *codeFlow) controllingEdges(i int) (edges []edge) {
	for range s.points {
		if len(s.in[i]) != 1 || s.in[i][0].how != next || s.in[i][0].point == outside {
			break
		}
		i = s.in[i][0].point
	}
	for _, e := range s.in[i] {
		if e.point != outside && e.how != next {
			edges = append(edges, e)
		}
	}
	return edges
}
