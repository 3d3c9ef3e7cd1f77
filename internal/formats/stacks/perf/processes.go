package perf

import (
	"slices"

	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
)

const (
	kernel     = -1 // the mappings of the kernel
	anyProcess = -2 // the mappings of all processes, for samples of a process without mappings
)

// processes has the files that processes map.
type processes struct{ maps map[int][]perfdata.Map }

func newProcesses() *processes { return &processes{map[int][]perfdata.Map{}} }

func (p *processes) add(m perfdata.Map) {
	p.maps[m.Process] = append(p.maps[m.Process], m)
	p.maps[anyProcess] = append(p.maps[anyProcess], m)
}

// find returns the newest mapping with an address.
func (p *processes) find(process int, address uint64) (perfdata.Map, bool) {
	list := p.maps[process]
	if list == nil {
		list = p.maps[anyProcess]
	}
	for _, list := range [][]perfdata.Map{list, p.maps[kernel]} {
		for _, m := range slices.Backward(list) {
			if address-m.Start < m.Size {
				return m, true
			}
		}
	}
	return perfdata.Map{}, false
}
