// Package merge copies and sums archives in a builder.
//
// [Into] adds what another training run recorded. Counts are summed, rows are united, and nothing is lost;
// the result does not depend on the order in which archives are merged:
//
//	b := builder.New(first.Header().Domain, builder.Config{Params: first.Header().Params})
//	for _, s := range stores {
//		if err := merge.Into(ctx, b, s, Run{}); err != nil { ... }
//	}
//	report, err := b.Commit(ctx, "all.parc")
//
// A dump is never counted twice: the archive lists the dumps that it was made from, and of several dumps of
// one process [Superseded] finds those that a later one contains. [KeepVersions] and [NarrowRows] are steps
// after a merge, which drop what the reader of the archive has no use for.
//
// [Snapshot] copies an archive, or the live counts of an adopted one.
package merge
