package gopgo

import (
	"slices"
	"strings"
)

// hotPercent is the default of the compiler's debugging flag pgoinlinecdfthreshold, the share of hot edges in the total
// weight.
const hotPercent = 99

// fillerName is the caller and callee of filler edges. It is not a function name, and sorts after all of them.
const fillerName = "~cold"

// A call identifies the calls of methods with one name at one line.
type call struct {
	caller, point int32
	method        string
}

// dropCold replaces cold edges that are not the heaviest of their call by filler edges. It returns the number of
// dropped edges.
func (p *profile) dropCold() (dropped int) {
	p.sortByWeight(p.edges)
	hot := p.countHotEdges()
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
		p.edges = append(kept, p.fillerEdges(weight, p.edges[hot-1].weight)...)
	}
	return dropped
}

// countHotEdges returns the number of hot edges. They end with the edge at which the cumulative weight exceeds 99%.
func (p *profile) countHotEdges() int {
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

// callOf returns the call of an edge. The method name is part of it because a line can call several methods.
func (p *profile) callOf(e edge) call {
	name := p.names[e.callee]
	if at := strings.IndexByte(name, '['); at >= 0 {
		name = name[:at] // type arguments have dots
	}
	return call{e.caller, e.point, name[strings.LastIndexByte(name, '.')+1:]}
}

// fillerEdges returns filler edges with the given total weight. No edge is heavier than lightest.
func (p *profile) fillerEdges(weight uint64, lightest int64) (edges []edge) {
	if weight == 0 {
		return nil
	}
	name := p.indexOf(fillerName)
	for point := int32(0); weight > 0; point++ {
		n := min(uint64(lightest), weight)
		edges = append(edges, edge{name, name, point, int64(n)})
		weight -= n
	}
	return edges
}
