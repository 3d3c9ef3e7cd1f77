package builder

import (
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// sortCode brings the sketches of code into an order that does not depend on when
// they came, each once. The caller holds mu.
func (b *Builder) sortCode() {
	t := b.tables[layout.TableCode]
	if t == nil {
		return
	}
	groups := t.groups()
	slices.SortFunc(groups, t.compareGroups)
	t.cells = t.sum(groups)
}

// keepCode drops the sketches of code that no profile is of. The caller holds mu.
func (b *Builder) keepCode() {
	t := b.tables[layout.TableCode]
	if t == nil {
		return
	}
	versions := map[MethodRef][]uint64{}
	for _, d := range b.profiles.all {
		versions[d.method] = append(versions[d.method], d.code)
	}
	var cells []uint64
	for _, g := range t.groups() {
		sketch := []byte(b.text(SymbolRef(g[1])))
		if slices.ContainsFunc(versions[MethodRef(g[0])], func(code uint64) bool { return disk.SketchMayBeOf(sketch, code) }) {
			cells = append(cells, g...)
		}
	}
	t.cells = cells
}
