package replay

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/layout"
)

// What reading a file loses.
const (
	LossHeader  hotspot.Loss = "headers of method data whose layout is not known"
	LossUnnamed hotspot.Loss = "types and methods that the file does not name"
	LossOrder   hotspot.Loss = "methods whose entries are not in the order of their bytecodes"
	LossFree    hotspot.Loss = "methods whose free words cannot be counted in the size that an archive keeps"
	LossInvoked hotspot.Loss = "counters of methods that ran and have no method data"
	LossTwice   hotspot.Loss = "further method data of the same method"
)

// What writing a file loses.
const (
	LossType      hotspot.Loss = "types that are in no class file: their rows are left out"
	LossCallee    hotspot.Loss = "called methods that are in no class file: not inlined"
	LossTrap      hotspot.Loss = "speculative traps of methods that are in no class file"
	LossHistory   hotspot.Loss = "profiles with a history that a replay file has no room for"
	LossEscape    hotspot.Loss = "profiles with a result of escape analysis: a replay file does not have it"
	LossDataAlone hotspot.Loss = "profiles whose size in the VM is not known: their data entries are written alone"
	LossWide      hotspot.Loss = "entries of the archive's own kinds: written as the VM's where it has a like"
	LossField     hotspot.Loss = "static fields whose strings a VM cannot read back"
	LossDepth     hotspot.Loss = "called methods that are nested too deep, or are too many"
)

// A Report says what was read or written.
type Report struct {
	Version int           // of the file
	Params  layout.Params // of the entries
	Methods int           // with method data
	Entries int           // profile entries
	Classes int           // records of classes
	Inlines int           // methods that the compilation inlines, or may
	Lost    []hotspot.Lost
}

// lose counts a loss; line is 0 where there is no one place.
func (r *Report) lose(what hotspot.Loss, line int) {
	i, ok := slices.BinarySearchFunc(r.Lost, what, func(l hotspot.Lost, w hotspot.Loss) int { return cmp.Compare(l.What, w) })
	if !ok {
		r.Lost = slices.Insert(r.Lost, i, hotspot.Lost{What: what, Line: line})
	}
	r.Lost[i].Count++
}

// Losses is how often something of that kind was lost.
func (r *Report) Losses(what hotspot.Loss) int {
	for _, l := range r.Lost {
		if l.What == what {
			return l.Count
		}
	}
	return 0
}
