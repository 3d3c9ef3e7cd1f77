// Package reduce copies a part of an archive, such as the hottest methods, everything with counts, or methods selected
// by name. It can also replace names by keyed hashes, for archives that leave an organization.
//
//	b, report, err := reduce.Archive(ctx, s, reduce.Options{Hot: layout.WeightOne / 100 * 99})
//	if err != nil { ... }
//	_, err = b.Commit(ctx, "hot.parc")
//
// This package is experimental. It may change in any release.
package reduce
