// Package fit says whether the profiles of an archive still fit a program, method
// by method, and adapts them to it where they do not.
//
//	r, err := fit.Check(ctx, store, code, fit.Options{Top: 20})
//	fmt.Println(r.Score())
//
// A profile whose code id is that of the program's method is [Exact]. If the code
// has changed, its profile points are matched with those of the new code; if
// enough of its counts find their place, with enough confidence, it has [Moved],
// otherwise it is [Stale]. One whose method or class has another name now, with the
// same code, is [Renamed]. One whose method is no longer there is [Gone], which
// takes code that knows all methods of its classes: that a run has not profiled
// a method is no proof.
//
// # Renaming
//
// Code that is an [Inventory] is looked through for what it lacks. A code id covers
// no names, so that it is the same for a class that was renamed and for whatever
// mentions it. A class is found by its methods: most of them must have the same
// name, code, and descriptor but for classes that the program lacks, with enough
// code that differs, or less where the class has but moved to another package; a
// method by its code and descriptor, in the same class. There must be one candidate
// alone, and it must be new: the profiles know nothing of it, and Options.Old, which
// is the better witness, does not have it. Where one thing is missing, the reason
// says what the method may be now.
//
// # Matching
//
// Both versions of the code are sequences of profile points ([Point]): calls,
// branches, switches, type checks, in the order of their bytecodes. The two are
// aligned as sequences: a pair scores for each of these that agrees,
//
//   - the distance to the point before, and to the one behind: what lies between
//     two points rarely changes in length where nothing is changed;
//   - that nothing has changed from the start of the code to the point;
//   - a branch's direction, and over how many points it goes;
//   - the number of a switch's cases;
//   - where both versions' bytecodes are known: the bytecode with what it names
//     (the called method, the checked type), and the bytecodes around it;
//
// and the alignment with the highest sum is taken. Where a bytecode stands says
// nothing by itself: an inserted statement moves all that is behind it.
//
// The archive alone gives the old points: their kinds and places, and, from the
// displacements of branches, where these go. With Options.Old the old bytecodes
// are compared too.
//
// # Confidence
//
// A pair's confidence is the share of its features that agree, less where the
// point could as well have been another one (the best alignment that gives it
// another partner is nearly as good), and less where a branch does not go to the
// partner of its target. A profile's confidence is the mean over its points,
// weighted by their counts; points without a partner count as 0.
//
// # Score
//
// The score of an archive is the mean over its profiles, weighted by their
// counts, of 1 for what is exact, the confidence of what has moved, and 0 for the
// rest. What cannot be checked (hidden classes, classes that the program has
// elsewhere, methods that another run did not profile) is counted apart.
package fit
