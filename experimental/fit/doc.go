// Package fit checks whether the profiles of an archive still fit a program, method by method, and adapts them to it.
//
//	r, err := fit.Check(ctx, store, code, fit.Options{Top: 20})
//	fmt.Println(r.Score())
//
// This package is experimental. It may change in any release.
//
// A profile with the code id of the program's method is [Exact], unless the two codes are known to name different
// members. If the code has changed, the profile points are matched with the points of the new code. The profile is
// [Moved] if at least one point matches, else [Stale]. If the method or class has another name and the same code, the
// profile is [Renamed]. If the method no longer exists, it is [Gone]. Only code that lists all methods of its classes
// can prove that. A run that did not profile a method proves nothing.
//
// # Renaming
//
// Renamed classes and methods can be found only in code that lists its classes and methods. A code id does not cover
// names, so it survives renaming. A class is identified by its methods. Most of them must have the same name, code and
// descriptor, apart from classes that the program lacks. They must have enough distinctive code, or less if only the
// package of the class has changed. A method is identified by its code and descriptor in the same class. There must be
// exactly one candidate, and it must be new, which means that neither the profiles nor Options.Old contain it. If only
// one of these conditions fails, the reason names the candidate.
//
// The body of a lambda matches the body with the same code and names in the same host, because an inserted lambda
// renumbers the others. A method with a changed descriptor matches the only new method of its name with the same number
// of parameters, if the class lacks no other method of that name.
//
// # Matching
//
// Both versions of the code are sequences of profile points in bytecode order, which are calls, branches, switches and
// type checks. Two points can match if they do the same with the same operands. A call of another method does not
// match, nor does a check of another type. A branch with an inverted condition matches, and its counts change sides.
// Among several candidates, the pairs with the most similar control flow before and after them are chosen. The two
// sequences are aligned first, then the remaining points, because code may have moved. A pair is accepted only if every
// alignment in which one of its points has another partner is worse. Jumps have no operands, and match if the points
// around them match.
//
// The operation of a point comes from the archive (disk.TableCode) or from Options.Old. A point without a known
// operation is not moved.
//
// # Conservation of flow
//
// All flow into a block of code leaves it. If the control flow of the new code is known, the number of invocations and
// the matched branches determine how often its blocks run. A pair is accepted if its old point has that count.
// Otherwise the pair is dropped, because its point is now under another condition. Accepted branches determine further
// blocks, until nothing more follows. The number of iterations of a loop follows from its branches if all of them
// matched and the number of entries is known. After that, the check assumes that nothing throws, that no handler runs,
// and that new tests find no null arguments.
//
// New calls, jumps, branches and switches get the counts that follow. They get none if some point of the method
// contradicts the flow and no later point of their block confirms it. The types at a new point never follow.
//
// Two flows are equal if they differ by less than 3% plus 4, because HotSpot's counts are not exactly conserved.
//
// # Confidence
//
// The confidence of a point is 0.99 if its count follows from the flow, and 0.97 if it follows under an assumption. No
// such pair was wrong in an experiment with edits of generated methods and real sources. It is [AssumedConfidence] if
// the flow does not decide or is unknown. Points below Options.Confidence are dropped. The confidence of a profile is
// the mean over its points, weighted by their counts. Dropped points have confidence 0.
//
// # Score
//
// The score of an archive is the mean over its profiles, weighted by their counts. An exact or renamed profile has 1, a
// moved profile its confidence, and others 0. Unchecked profiles are counted separately. They belong to hidden classes,
// to classes that the program has elsewhere, or to methods that another run did not profile.
package fit
