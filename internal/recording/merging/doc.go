// Package merging decides which archives are summed, and joins what their headers say.
//
// A [Target] is the set of a builder: [Target.AdmitRun] joins an archive that is summed with the others,
// [Target.AdmitCopy] one that is copied. [ContentsOf] reads which dumps an archive holds, and [Superseded] finds
// the archives whose dumps are in a later dump of the same process. [Equalize] and [HalfLife] compute weights.
//
// Several processes can share a merge. A [Part] is what one of them merges, a range of methods, and [Join]
// makes of all parts the bytes that one merge of everything has:
//
//	parts, err := merging.Parts(merging.Bound{Class: "java/util/"}, merging.Bound{Class: "org/"})
//	err = parts[1].Into(ctx, b, s, merging.PartOptions{}) // for each archive s, by one worker
//	err = merging.Join(ctx, b, stores...)                 // the archives of all workers
package merging
