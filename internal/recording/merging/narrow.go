package merging

import (
	"cmp"
	"context"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
)

func NarrowRows(ctx context.Context, b *profileset.Set, n int) (done methoddata.Narrowed, err error) {
	b.Lock()
	defer b.Unlock()
	if err := cmp.Or(b.WithoutBatch(), b.Unfinished(), checkNarrowable(b, n)); err != nil {
		return done, err
	}
	to := b.Heading.Params
	if b.Domain == layout.DomainHotSpot {
		to.TypeProfileWidth = uint32(n)
	}
	w := methoddata.NewNarrower(b.Domain, b.Shape, disk.ShapeOfParams(&to), n, b)
	stop := poll.New(ctx)
	if err := b.RewriteBlocks(func(block disk.Block) ([]byte, error) { return w.Block(block), stop.Err() }); err != nil {
		return done, fmt.Errorf("builder: %w", err)
	}
	b.Shape = w.To
	b.Heading.Params = to
	return w.Done, nil
}

func checkNarrowable(b *profileset.Set, n int) error {
	switch {
	case b.Domain != layout.DomainHotSpot && b.Domain != layout.DomainGraal:
		return fmt.Errorf("builder: profiles of domain %s have no type profiles to be narrowed", b.Domain)
	case n < 0:
		return fmt.Errorf("builder: %d rows: a type profile has 0 or more", n)
	case n > disk.MaxRows && b.Domain == layout.DomainHotSpot:
		return fmt.Errorf("builder: %d rows: a type profile of HotSpot has %d at most", n, disk.MaxRows)
	}
	return nil
}

// CountWidened returns the number of HotSpot entries that became wide because a merge found more receivers or return
// points than the VM has rows. It is 0 in other domains. The error comes from reading spilled profiles or from ctx.
func CountWidened(ctx context.Context, b *profileset.Set) (entries int, err error) {
	b.Lock()
	defer b.Unlock()
	if b.Domain != layout.DomainHotSpot {
		return 0, nil
	}
	stop := poll.New(ctx)
	for ref := range b.Profiles.All {
		block, err := b.Block(profileset.ProfileRef(ref))
		if err = cmp.Or(err, stop.Err()); err != nil {
			return 0, err
		}
		if block == nil {
			continue
		}
		methoddata.EachEntryIn(b.Shape, block.Section(disk.SectionData), func(e disk.Entry) {
			if methoddata.IsWidened(e) {
				entries++
			}
		})
	}
	return entries, nil
}
