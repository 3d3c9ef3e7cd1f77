package merge

import (
	"cmp"
	"fmt"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/internal/methoddata"
	"github.com/profarc/profarc/internal/profileset"
	"github.com/profarc/profarc/layout"
)

// NarrowRows gives every type profile at most n rows, as a VM with
// -XX:TypeProfileWidth=n holds them: the highest counts keep their rows, the
// rest goes to the count of all that found no row. HotSpot's wide entries become
// HotSpot's again. It is the last step of a merge: it cannot be undone. It gives
// the number of rows that went.
func NarrowRows(of *builder.Builder, n int) (dropped int, err error) {
	b := target{profileset.Of(of)}
	b.Mu.Lock()
	defer b.Mu.Unlock()
	if err := cmp.Or(b.WithoutBatch(), b.Unfinished()); err != nil {
		return 0, err
	}
	to := b.Heading.Params
	if b.Domain == layout.DomainHotSpot {
		to[layout.ParamTypeProfileWidth] = uint32(max(n, 0))
	}
	switch {
	case b.Domain != layout.DomainHotSpot && b.Domain != layout.DomainGraal:
		return 0, fmt.Errorf("builder: profiles of domain %s have no type profiles to be narrowed", b.Domain)
	case n < 0:
		return 0, fmt.Errorf("builder: %d rows: a type profile has 0 or more", n)
	case n > disk.MaxRows && b.Domain == layout.DomainHotSpot:
		return 0, fmt.Errorf("builder: %d rows: a type profile of HotSpot has %d at most", n, disk.MaxRows)
	}
	w := methoddata.NewNarrower(b.Domain, b.Shape, disk.ShapeOf(&to), n, b.Set)
	var anew intern.Arena
	for _, d := range b.Profiles.All {
		d.Block = anew.Keep(w.Block(disk.Block(b.Blocks.At(d.Block))))
	}
	b.Blocks, b.Shape, b.Heading.Params = anew, w.To, to
	return w.Dropped, nil
}
