// Package merge adds archives up, and copies them.
//
// [Files] writes the sum of several archives. Counts are added, rows are united, and nothing is lost. The result does
// not depend on the order:
//
//	report, err := merge.Files(ctx, "all.parc", "monday.parc", "tuesday.parc")
//
// A dump is never counted twice. An archive lists the dumps that it was made from, and [Superseded] finds, among
// several dumps of one process, those that a later dump contains.
//
// [Into] is the step of a merge with weights, or of one that records more in the same builder. [KeepNewest],
// [KeepHeaviest] and [NarrowRows] may follow it, and drop parts that the reader of the archive does not need.
//
// [Snapshot] copies an archive, or the live counts of an adopted one. [CopyLayers] does the same for layers.
package merge
