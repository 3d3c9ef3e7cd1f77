package profileset

import (
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/layout"
)

// sortCode brings the sketches of code into an order that does not depend on when
// they came, each once. The caller holds mu.
func (b *Set) sortCode() {
	t := b.Tables[layout.TableCode]
	if t == nil {
		return
	}
	groups := t.groups()
	slices.SortFunc(groups, t.compareGroups)
	t.Cells = t.sum(groups)
}

// keepCode drops the sketches of code that no profile is of. The caller holds mu.
func (b *Set) keepCode() {
	t := b.Tables[layout.TableCode]
	if t == nil {
		return
	}
	versions := map[MethodRef][]uint64{}
	for _, d := range b.Profiles.All {
		versions[d.Method] = append(versions[d.Method], d.Code)
	}
	var cells []uint64
	for _, g := range t.groups() {
		sketch := []byte(b.Text(intern.SymbolRef(g[1])))
		if slices.ContainsFunc(versions[MethodRef(g[0])], func(code uint64) bool { return disk.SketchMayBeOf(sketch, code) }) {
			cells = append(cells, g...)
		}
	}
	t.Cells = cells
}
