package gopgo

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/profarc/profarc/internal/formats/stacks/pprof"
)

const firstLine = 1

// writeProfile writes a profile with two locations per sample.
func (p *profile) writeProfile(out io.Writer) error {
	slices.SortFunc(p.edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.point, b.point), cmp.Compare(a.callee, b.callee))
	})
	w := pprof.NewEncoder(out)
	w.SampleType(p.kind, p.unit)
	functions := make([]uint64, len(p.names))
	callees := make([]uint64, len(p.names))
	function := func(n, point int32) uint64 {
		if name := p.names[n]; functions[n] == 0 && (name != "" || point != 0) {
			functions[n] = w.Function(pprof.Function{Name: name, StartLine: firstLine})
		}
		return functions[n]
	}
	var site uint64
	for i, e := range p.edges {
		if i == 0 || e.caller != p.edges[i-1].caller || e.point != p.edges[i-1].point {
			site = w.Location(pprof.Line{Function: function(e.caller, e.point), Number: firstLine + int64(e.point)})
		}
		if callees[e.callee] == 0 {
			callees[e.callee] = w.Location(pprof.Line{Function: function(e.callee, 0), Number: firstLine})
		}
		w.Sample([]uint64{callees[e.callee], site}, e.weight)
	}
	return w.Close()
}

// writeText writes the format of go tool preprofile.
func (p *profile) writeText(out io.Writer) error {
	p.sortByWeight(p.edges)
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, textHead)
	for _, e := range p.edges {
		fmt.Fprintf(w, "%s\n%s\n%d %d\n", p.names[e.caller], p.names[e.callee], e.point, e.weight)
	}
	return w.Flush()
}
