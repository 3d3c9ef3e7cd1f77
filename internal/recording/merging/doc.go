// Package merging decides which archives can be merged, and joins their headers.
//
// [Target] wraps the set of a builder. [Target.AdmitRun] admits an archive whose counts are added to the counts of
// others, and [Target.AdmitCopy] admits an archive for a copy. [ContentsOf] lists the dumps in an archive, and
// [Superseded] finds archives whose dumps a later dump of the same process contains. [Equalize] and [HalfLife] compute
// weights.
//
// Several processes can share a merge (fleet/internal/partmerge). A [Part] is the share of one.
package merging
