// Package reduce makes a part of an archive: the hottest methods, what has counted anything, or some methods
// by name. It also replaces names by keyed hashes, for an archive that leaves the house.
//
//	b, report, err := reduce.Archive(ctx, s, reduce.Options{Hot: layout.WeightOne / 100 * 99})
//	if err != nil { ... }
//	_, err = b.Commit(ctx, "hot.parc")
package reduce
