package gopgo

import (
	"slices"
	"strings"
)

// hotPercent is the share of the weight whose edges the compiler calls hot, unless its
// debugging flag pgoinlinecdfthreshold says otherwise.
const hotPercent = 99

// fillerName is the name of the caller and the callee of the edges that stand for cold ones.
// It is the name of no function, and comes after the names of all.
const fillerName = "~cold"

// A call is where calls of methods of one name are made.
type call struct {
	caller, point int32
	method        string
}

// dropCold drops the edges that the compiler treats as cold and that are not the heaviest of
// their call, and returns their number. Their weight stays, see fill.
func (p *profile) dropCold() (dropped int) {
	p.byWeight(p.edges)
	hot := p.hotEdges()
	best := map[call]int64{}
	for _, e := range p.edges {
		c := p.callOf(e)
		best[c] = max(best[c], e.weight)
	}
	kept := slices.Clone(p.edges[:hot])
	weight := uint64(0)
	for _, e := range p.edges[hot:] {
		if e.weight == best[p.callOf(e)] {
			kept = append(kept, e)
			continue
		}
		dropped++
		weight += uint64(e.weight)
	}
	if hot > 0 {
		p.edges = append(kept, p.fill(weight, p.edges[hot-1].weight)...)
	}
	return dropped
}

// hotEdges returns the number of hot edges: those up to the one with which the sum exceeds
// 99% of all weights.
func (p *profile) hotEdges() int {
	total := int64(0)
	sum := int64(0)
	for _, e := range p.edges {
		total += e.weight
	}
	for i, e := range p.edges {
		if sum += e.weight; float64(sum)/float64(total)*100 > hotPercent {
			return i + 1
		}
	}
	return len(p.edges)
}

// callOf returns the call of an edge. A line may have calls of several methods, of which each
// has a heaviest callee.
func (p *profile) callOf(e edge) call {
	name := p.names[e.callee]
	if at := strings.IndexByte(name, '['); at >= 0 {
		name = name[:at] // type arguments have dots
	}
	return call{e.caller, e.point, name[strings.LastIndexByte(name, '.')+1:]}
}

// fill returns edges with a weight in all, each as heavy as the lightest hot edge at most, and
// sorted behind it.
func (p *profile) fill(weight uint64, lightest int64) (edges []edge) {
	if weight == 0 {
		return nil
	}
	name := int32(len(p.names))
	p.names = append(p.names, fillerName)
	for point := int32(0); weight > 0; point++ {
		n := min(uint64(lightest), weight)
		edges = append(edges, edge{name, name, point, int64(n)})
		weight -= n
	}
	return edges
}
