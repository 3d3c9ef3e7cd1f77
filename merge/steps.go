package merge

import (
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/merging"
)

// KeepNewest drops, of each method with several versions of its code, the profiles of all versions except the one with
// the newest dump. It returns the number of methods with several versions and of dropped profiles.
//
// It is an error if it is not known which version ran last, if a profile lacks its Done, if spilled profiles cannot be
// read, or if ctx ends. The builder is then unchanged.
func KeepNewest(ctx context.Context, b *builder.Builder) (methods, dropped int, err error) {
	return merging.KeepVersions(ctx, b.Internal(), merging.NewestVersion)
}

// Narrowing counts the changes of NarrowRows. The zero value means that nothing had to change.
type Narrowing struct {
	Entries int // type profiles, and return points of HotSpot's, that lost rows
	Rows    int // dropped rows; their counts are added to the count of all others
	Joined  int // wide entries that became HotSpot's own again
}

// NarrowRows cuts every type profile to at most n rows, as a VM with -XX:TypeProfileWidth=n has them. The rows with the
// highest counts stay, and the other counts are added to the count of receivers without a row. HotSpot's entries have n
// rows afterwards, also where they had fewer, and wide entries become HotSpot's own again. In other domains an entry
// with fewer rows stays as it is. A merge narrows last, since narrowing loses rows. After an error, which may be
// ctx's, the builder is unchanged.
func NarrowRows(ctx context.Context, b *builder.Builder, n int) (Narrowing, error) {
	done, err := merging.NarrowRows(ctx, b.Internal(), n)
	return Narrowing(done), err
}
