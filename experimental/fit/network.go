package fit

import (
	"math"
	"slices"
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

// entryNode and exitNode return the entry and exit node of a block.
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
