// Package merge merges and copies archives.
//
// [Files] merges several archives into one. Counts are added, rows are united, and nothing is lost. The result does not
// depend on the order of the archives:
//
//	report, err := merge.Files(ctx, "all.parc", "monday.parc", "tuesday.parc")
//
// A dump is never counted twice. An archive lists the dumps that it contains. Among several dumps of one process,
// [Superseded] finds the dumps that a later one includes.
//
// [Into] merges one archive, with a weight or into a builder that also records other profiles. [KeepNewest]
// and [NarrowRows] can then drop parts that the reader of the archive does not need.
//
// [Snapshot] copies an archive, or the live counts of an adopted one. [CopyLayers] does the same for layers.
package merge
