// Package merging decides which archives can be merged, and joins their headers.
//
// [Target] wraps the set of a builder. [Target.AdmitRun] admits an archive whose counts are added to the counts of
// others, and [Target.AdmitCopy] admits an archive for a copy. [ContentsOf] lists the dumps in an archive, and
// [Superseded] finds archives whose dumps a later dump of the same process contains. [Equalize] and [HalfLife] compute
// weights.
//
// Several processes can share a merge. Each merges a [Part], a range of methods. [Join] combines all parts into the
// same bytes as one merge of everything:
//
//	parts, err := merging.Parts(merging.Bound{Class: "java/util/"}, merging.Bound{Class: "org/"})
//	err = parts[1].Into(ctx, b, s, merging.PartOptions{}) // for each archive s, by one worker
//	err = merging.Join(ctx, b, stores...)                 // stores are the archives of all workers
package merging
