package fit

import "github.com/profarc/profarc/internal/java/methodcode"

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

// controllingEdges returns the edges of branches and switches that lead to a point, or to what alone leads to it.
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
