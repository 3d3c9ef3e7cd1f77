// Package fit says whether the profiles of an archive still fit a program, method
// by method, and adapts them to it where they do not.
//
//	r, err := fit.Check(ctx, store, code, fit.Options{Top: 20})
//	fmt.Println(r.Score())
//
// A profile whose code id is that of the program's method is [Exact], unless the
// two are known to name different members. If the code has changed, its profile
// points are matched with those of the new code; if one of them finds its place it
// has [Moved], otherwise it is [Stale]. One whose method or class has another name
// now, with the same code, is [Renamed]. One whose method is no longer there is
// [Gone]. Only code that knows all methods of its classes can say so: that another
// run has not profiled a method proves nothing.
//
// # Renaming
//
// Code that is an [Inventory] is looked through for what it lacks. A code id covers
// no names, so that it is the same for a class that was renamed and for whatever
// mentions it. A class is found by its methods: most of them must have the same
// name, code, and descriptor but for classes that the program lacks, with enough
// code that differs, or less where the class has but moved to another package; a
// method by its code and descriptor, in the same class. There must be one candidate
// alone, and it must be new: neither the profiles nor Options.Old, if given, have
// it. Where only one of these conditions fails, the reason names the candidate.
//
// # Matching
//
// Both versions of the code are sequences of profile points ([Point]): calls,
// branches, switches, type checks, in the order of their bytecodes. Two points may
// be the same if they do the same of the same operands ([Point.Sketch]): a call of
// another method, or a check of another type, is another point. A branch whose
// condition is inverted is the same point; its counts change sides. If several
// points may be the same, those with the most similar control flow before and
// after them are paired. The two sequences are aligned first, then what is left
// over, since code may have changed its place. A pair is taken only if every
// alignment that gives another partner to one of the two is worse. Jumps have no
// operands: they are the same if the points around them are.
//
// What a point does is known from the archive (layout.TableCode) or from
// Options.Old. A point of which neither says it is not moved.
//
// # Confidence
//
// A point's confidence is the share of points like it that came out as a fresh run
// counts them, in an experiment with edits of real sources. Points with less
// than Options.Confidence are dropped. A profile's confidence is the mean over its
// points, weighted by their counts; dropped points count as 0.
//
// # Score
//
// The score of an archive is the mean over its profiles, weighted by their
// counts, of 1 for what is exact, the confidence of what has moved, and 0 for the
// rest. What cannot be checked (hidden classes, classes that the program has
// elsewhere, methods that another run did not profile) is counted apart.
package fit
