package gopgo

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type edge struct {
	caller, callee int32 // indexes in profile.names
	point          int32
	weight         int64
}

// A profile has the edges of an archive.
type profile struct {
	s           *reader.Store
	kind        string // pprof sample type of the weights
	unit        string // unit of the weights
	names       []string
	nameIndexes map[layout.Ref]int32 // indexes in names
	indexes     map[string]int32     // indexes in names
	edges       []edge
	clamped     int  // number of weights reduced to math.MaxInt64
	text        bool // names are written as lines
	lost        codec.Losses
}

// newProfile returns an empty profile of s. It returns an error if the compiler could not use the edges.
func newProfile(s *reader.Store) (*profile, error) {
	fail := func(err error) (*profile, error) {
		return nil, fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, err)
	}
	if s.Header().Domain != layout.DomainSampled {
		return fail(ErrNoEdges)
	}
	p := &profile{s: s, nameIndexes: map[layout.Ref]int32{}, indexes: map[string]int32{}}
	places, err := s.TableOrEmpty(disk.TableFunctions)
	if err != nil {
		return nil, err
	}
	started := false
	for row := range places.Rows {
		started = started || places.Cell(3, row) != 0
	}
	if !started {
		return fail(ErrNoStartLines)
	}
	facts, err := entries.Properties(s)
	if err != nil {
		return nil, err
	}
	if err := p.setUnit(facts[disk.PropertySampleTypes]); err != nil {
		return fail(err)
	}
	return p, nil
}

// setUnit sets the sample type of the weights. lists has the sample types of each imported profile, of which the
// weights are the first type that the compiler accepts.
func (p *profile) setUnit(lists []string) error {
	const samples, cpu = "samples/count", "cpu/nanoseconds"
	ofCPU := 0
	for _, types := range lists {
		names := strings.Fields(types)
		first := slices.IndexFunc(names, func(name string) bool { return name == samples || name == cpu })
		if first < 0 && len(names) > 0 {
			return fmt.Errorf("%w: this one has %s", ErrNotCPU, types)
		}
		if first >= 0 && names[first] == cpu {
			ofCPU++
		}
	}
	p.kind, p.unit = "samples", "count"
	switch {
	case ofCPU == 0:
		return nil
	case ofCPU < len(lists):
		return ErrUnits
	}
	p.kind, p.unit = "cpu", "nanoseconds"
	return nil
}

func (p *profile) readEdges() error {
	type place struct{ caller, callee, point int32 }
	at := map[place]int{} // code without symbols has one name
	err := stacks.Edges(p.s, func(e stacks.Edge) error {
		caller, errCaller := p.nameIndex(e.Caller)
		callee, errCallee := p.nameIndex(e.Callee)
		if err := cmp.Or(errCaller, errCallee); err != nil {
			return err
		}
		weight := e.Weight
		if weight > math.MaxInt64 {
			weight = math.MaxInt64
			p.clamped++
		}
		if weight == 0 {
			return nil
		}
		i, again := at[place{caller, callee, e.Point}]
		if again {
			p.edges[i].weight = int64(min(uint64(p.edges[i].weight)+weight, math.MaxInt64))
			return nil
		}
		at[place{caller, callee, e.Point}] = len(p.edges)
		p.edges = append(p.edges, edge{caller, callee, e.Point, int64(weight)})
		return nil
	})
	if err == nil && len(p.edges) == 0 {
		err = fmt.Errorf("%s: %w", p.s.Mapping().Name(), ErrNoEdges)
	}
	return err
}

// lineBreaks replaces what ends a line. A reader drops a carriage return only at the end.
var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ")

func (p *profile) nameIndex(m reader.Method) (int32, error) {
	if n, ok := p.nameIndexes[m.Ref()]; ok {
		return n, nil
	}
	name := ""
	if m.Valid() {
		k, err := m.Key()
		if err != nil {
			return 0, err
		}
		name = k.Name
	}
	if _, _, ok := stacks.ParseAddressName(name); ok {
		name = ""
	}
	if kept := lineBreaks.Replace(name); p.text && kept != name {
		p.lost.AddLoss(codec.Loss{What: LossBreaks, Count: 1, First: []string{name}})
		name = kept
	}
	n := p.indexOf(name)
	p.nameIndexes[m.Ref()] = n
	return n, nil
}

func (p *profile) indexOf(name string) int32 {
	n, ok := p.indexes[name]
	if !ok {
		n = int32(len(p.names))
		p.names = append(p.names, name)
		p.indexes[name] = n
	}
	return n
}

// sortByWeight sorts edges like the compiler, the heaviest first.
func (p *profile) sortByWeight(edges []edge) {
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(p.names[a.caller], p.names[b.caller]),
			cmp.Compare(p.names[a.callee], p.names[b.callee]), cmp.Compare(a.point, b.point))
	})
}

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
