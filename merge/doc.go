// Package merge copies and sums archives in a builder.
//
// [Into] adds what another training run recorded. Counts are summed, rows are united, and nothing is lost;
// the result does not depend on the order in which archives are merged:
//
//	b := builder.New(first.Header().Domain, builder.Config{Params: first.Header().Params})
//	for _, s := range stores {
//		if err := merge.Into(ctx, b, s, builder.Run{}); err != nil { ... }
//	}
//	report, err := b.Commit(ctx, "all.parc")
//
// A dump is never counted twice: the archive lists the dumps that it was made from, and of several dumps of
// one process [Superseded] finds those that a later one contains. [KeepVersions] and [NarrowRows] are steps
// after a merge, which drop what the reader of the archive has no use for. [Equalize] and [HalfLife] compute
// weights.
//
// Several processes can share a merge. A [Part] is what one of them merges, a range of
// methods, and [Join] makes of all parts the bytes that one merge of everything has:
//
//	parts, err := merge.Parts(merge.Bound{Class: "java/util/"}, merge.Bound{Class: "org/"})
//	err = parts[1].Into(ctx, b, s, merge.PartOptions{}) // for each archive s, by one worker
//	err = merge.Join(ctx, b, stores...)                 // the archives of all workers
//
// [Snapshot] copies an archive, or the live counts of an adopted one.
package merge
