package merge

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
)

// A Versions says which versions of a method's code keep their profiles.
type Versions string

// The choices. Profiles of different versions are never summed.
const (
	AllVersions     Versions = "all"
	NewestVersion   Versions = "newest"   // the one with the newest dump
	HeaviestVersion Versions = "heaviest" // the one with the highest sum of counts
)

// KeepVersions drops the profiles of all other versions of the code of methods that have several, in all
// contexts. Between equal versions, the one with the higher code ID stays. It returns the number of methods
// with several versions, and of dropped profiles. The error matches profileset.ErrBatch, names a profile without
// Done or a choice that is none, comes from a file of spilled profiles, or is ctx's; the builder is unchanged
// then.
func KeepVersions(ctx context.Context, of *builder.Builder, v Versions) (methods, dropped int, err error) {
	if v != AllVersions && v != NewestVersion && v != HeaviestVersion {
		return 0, 0, fmt.Errorf("versions %q: keep all, newest or heaviest", string(v))
	}
	b := of.Internal()
	b.Locked(func() { methods, dropped, err = keepVersions(ctx, b, v) })
	return methods, dropped, err
}

// keepVersions is KeepVersions. The caller holds mu.
func keepVersions(ctx context.Context, b *profileset.Set, v Versions) (methods, dropped int, err error) {
	if err := cmp.Or(b.WithoutBatch(), b.Unfinished()); err != nil {
		return 0, 0, err
	}
	if err := b.DropDiscarded(); err != nil {
		return 0, 0, err
	}
	best := make([]version, b.Methods.Len())
	several := map[profileset.MethodRef]bool{}
	worth, err := versionWorth(ctx, b, v)
	if err != nil {
		return 0, 0, err
	}
	for _, d := range b.Profiles.All {
		this := version{worth[profileset.ProfileKey{Method: d.Method, Code: d.Code}], d.Code, true}
		have := &best[d.Method-1]
		if have.known && have.code != d.Code {
			several[d.Method] = true
		}
		if !have.known || this.compare(*have) > 0 {
			*have = this
		}
	}
	if v == AllVersions {
		return len(several), 0, nil
	}
	return len(several), b.KeepProfiles(func(d *profileset.ProfileData) bool { return best[d.Method-1].code == d.Code }),
		nil
}

type version struct {
	worth uint64
	code  uint64
	known bool
}

func (v version) compare(w version) int {
	return cmp.Or(cmp.Compare(v.worth, w.worth), cmp.Compare(v.code, w.code))
}

// versionWorth returns how new, or how heavy, each version of each method is.
func versionWorth(ctx context.Context, b *profileset.Set, v Versions) (map[profileset.ProfileKey]uint64, error) {
	worth := map[profileset.ProfileKey]uint64{}
	stop := poll.New(ctx)
	for ref, d := range b.Profiles.All {
		if err := stop.Err(); err != nil {
			return nil, err
		}
		key := profileset.ProfileKey{Method: d.Method, Code: d.Code}
		switch v {
		case NewestVersion:
			worth[key] = max(worth[key], uint64(d.Time))
		case HeaviestVersion:
			block, err := b.Block(profileset.ProfileRef(ref))
			if err != nil {
				return nil, err
			}
			worth[key] = disk.SaturatingAdd(worth[key], weight(b, block))
		}
	}
	return worth, nil
}

// weight returns the sum of all counts of a profile.
func weight(b *profileset.Set, block disk.Block) (sum uint64) {
	if f := block.Field(disk.HasInvocations); f != nil {
		sum = binary.LittleEndian.Uint64(f)
	}
	methoddata.EachEntryIn(b.Shape, block.Section(disk.SectionData), func(e disk.Entry) {
		for cell := range b.Shape.Counts(e) {
			if n := e.Cell(cell); cell > 0 || !e.SignedCount() || int64(n) > 0 {
				sum = disk.SaturatingAdd(sum, n)
			}
		}
	})
	return sum
}

// A Narrowing says what NarrowRows did.
type Narrowing struct {
	Entries int // that lost rows: type profiles, and return points of HotSpot's
	Rows    int // that were dropped; their counts went to the count of all others
	Joined  int // wide entries that became HotSpot's own again
}

// NarrowRows cuts every type profile to at most n rows, as a VM with
// -XX:TypeProfileWidth=n has them: the highest counts keep their rows, and the others are
// added to the count of receivers without a row. HotSpot's entries have n rows
// afterwards, also where they had fewer, and wide entries become HotSpot's own again. In
// other domains an entry with fewer rows stays as it is. Narrowing loses rows, so it is
// the last step of a merge. After an error, which may be ctx's, the builder is
// unchanged.
func NarrowRows(ctx context.Context, of *builder.Builder, n int) (done Narrowing, err error) {
	b := of.Internal()
	b.Locked(func() { done, err = narrowRows(ctx, b, n) })
	return done, err
}

// narrowRows is NarrowRows. The caller holds mu.
func narrowRows(ctx context.Context, b *profileset.Set, n int) (Narrowing, error) {
	if err := cmp.Or(b.WithoutBatch(), b.Unfinished(), narrowable(b, n)); err != nil {
		return Narrowing{}, err
	}
	to := b.Heading.Params
	if b.Domain == layout.DomainHotSpot {
		to.TypeProfileWidth = uint32(n)
	}
	w := methoddata.NewNarrower(b.Domain, b.Shape, disk.ShapeOf(&to), n, b)
	stop := poll.New(ctx)
	if err := b.RewriteBlocks(func(block disk.Block) ([]byte, error) { return w.Block(block), stop.Err() }); err != nil {
		return Narrowing{}, fmt.Errorf("builder: %w", err)
	}
	b.Shape = w.To
	b.Heading.Params = to
	return Narrowing(w.Done), nil
}

// narrowable returns an error unless type profiles can be cut to n rows.
func narrowable(b *profileset.Set, n int) error {
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

// Widened returns the number of entries of HotSpot's that have become wide, since a merge found more
// receivers or return points than the VM keeps rows for. NarrowRows makes them HotSpot's own again. In other
// domains it is 0. The error comes from a file of spilled profiles, or is ctx's.
func Widened(ctx context.Context, of *builder.Builder) (entries int, err error) {
	b := of.Internal()
	b.Locked(func() { entries, err = widened(ctx, b) })
	return entries, err
}

// widened is Widened. The caller holds mu.
func widened(ctx context.Context, b *profileset.Set) (entries int, err error) {
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
