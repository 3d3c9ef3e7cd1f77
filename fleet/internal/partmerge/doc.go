// Package partmerge merges archives in several processes. Each merges a part, which is a range of methods, and [Join]
// combines all parts into the same bytes as one merge of everything:
//
//	all, err := partmerge.Divide(merging.Bound{Class: "java/util/"}, merging.Bound{Class: "org/"})
//	err = partmerge.Merge(ctx, b, s, all[1], partmerge.Options{}) // for each archive s, by one worker
//	err = partmerge.Join(ctx, b, stores...)                       // stores are the archives of all workers
package partmerge

import (
	"fmt"

	"github.com/profarc/profarc/internal/recording/merging"
)

// Divide divides all methods at the bounds, which must ascend and not be zero.
func Divide(bounds ...merging.Bound) ([]merging.Part, error) {
	parts := []merging.Part{{}}
	for _, b := range bounds {
		last := &parts[len(parts)-1]
		if b.Compare(last.From) <= 0 {
			return nil, fmt.Errorf("parts of a merge: the bound %q does not sort after %q", b, last.From)
		}
		last.To = b
		parts = append(parts, merging.Part{From: b})
	}
	return parts, nil
}
