// Package fit checks whether the profiles of an archive still fit a program, method
// by method, and adapts them to it.
//
//	r, err := fit.Check(ctx, store, code, fit.Options{Top: 20})
//	fmt.Println(r.Score())
//
// A profile with the code id of the program's method is [Exact], unless the two are
// known to name different members. If the code has changed, its profile points are
// matched with those of the new code: if one of them finds its place the profile is
// [Moved], otherwise [Stale]. If its method or class has another name and the same
// code, it is [Renamed]. If its method no longer exists it is [Gone]. Only code that
// knows all methods of its classes can prove that: another run that did not profile a
// method proves nothing.
//
// # Renaming
//
// Missing classes and methods are looked for in code that is an [Inventory]. A code id
// covers no names, so it is the same for a renamed class and for code that mentions
// it. A class is found by its methods: most of them must have the same name, code and
// descriptor (except for classes that the program lacks), with enough distinctive
// code, or with less if only the package of the class has changed. A method is found
// by its code and descriptor in the same class. There must be exactly one candidate,
// and it must be new: neither the profiles nor Options.Old, if set, have it. If only
// one of these conditions fails, the reason names the candidate.
//
// # Matching
//
// Both versions of the code are sequences of profile points ([Point]): calls,
// branches, switches, type checks, in the order of their bytecodes. Two points may
// be the same if they do the same with the same operands ([Point.Sketch]): a call of
// another method, or a check of another type, is another point. A branch whose
// condition is inverted is the same point; its counts change sides. If several
// points may be the same, those with the most similar control flow before and
// after them are paired. The two sequences are aligned first, then the remaining
// points, since code may have moved. A pair is accepted only if every alignment in
// which one of the two has another partner is worse. Jumps have no operands: they are
// the same if the points around them are.
//
// The operation of a point is known from the archive (layout.TableCode) or from
// Options.Old. A point is not moved if it is not known.
//
// # Confidence
//
// A point's confidence is the share of similar points that matched the counts of a
// fresh run, in an experiment with edits of real sources. Points with less than
// Options.Confidence are dropped. A profile's confidence is the mean over its
// points, weighted by their counts; dropped points count as 0.
//
// # Score
//
// The score of an archive is the mean over its profiles, weighted by their counts: 1
// if exact or renamed, the confidence if moved, else 0. Unchecked profiles (of hidden
// classes, of classes that the program has elsewhere, of methods that another run did
// not profile) are counted apart.
package fit
