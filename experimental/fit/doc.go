// Package fit checks whether the profiles of an archive still fit a program, method
// by method, and adapts them to it.
//
//	r, err := fit.Check(ctx, store, code, fit.Options{Top: 20})
//	fmt.Println(r.Score())
//
// A profile with the code id of the program's method is [Exact], unless the two are known to name different
// members. If the code has changed, its profile points are matched with the points of the new code: if one of
// them finds its place the profile is [Moved], otherwise [Stale]. If its method or class has another name and
// the same code, it is [Renamed]. If its method no longer exists it is [Gone]. Only code that knows all
// methods of its classes can prove that: another run that did not profile a method proves nothing.
//
// # Renaming
//
// Missing classes and methods are looked for in code that lists its classes and methods. A code id covers no
// names, so it is the same for a renamed class and for code that mentions it. A class is found by its methods: most of
// them must have the same name, code and descriptor (except for classes that the program lacks), with enough
// distinctive code, or with less if only the package of the class has changed. A method is found by its code
// and descriptor in the same class. There must be exactly one candidate, and it must be new: neither the
// profiles nor Options.Old, if set, have it. If only one of these conditions fails, the reason names the
// candidate.
//
// The body of a lambda is the one with the same code and names in the same host: an
// inserted lambda gives others new numbers. A method whose descriptor has changed is the
// only new one of its name with as many parameters, if the class lacks no other of it.
//
// # Matching
//
// Both versions of the code are sequences of profile points: calls, branches, switches, type
// checks, in the order of their bytecodes. Two points may be the same if they do the same with the same
// operands: a call of another method, or a check of another type, is another point. A branch
// whose condition is inverted is the same point; its counts change sides. If several points may be the same,
// those with the most similar control flow before and after them are paired. The two sequences are aligned
// first, then the remaining points, since code may have moved. A pair is accepted only if every alignment in
// which one of the two has another partner is worse. Jumps have no operands: they are the same if the points
// around them are.
//
// The operation of a point is known from the archive (disk.TableCode) or from
// Options.Old. A point is not moved if it is not known.
//
// # Conservation of flow
//
// What enters a block of code leaves it. If the control flow of the new code is known, the
// number of invocations and the branches that were found tell how often its blocks are entered. A pair is
// accepted if its old point was counted that often, and dropped if not: it stands under another condition
// now. A branch that was accepted tells about the blocks after it, and so on, until nothing more follows. How
// often a loop runs follows from its own branches, if all of them were found, and it is known how often the
// loop is entered. Then it is assumed that nothing is thrown, that no handler is entered, and that a new test
// finds no argument null.
//
// New calls, jumps, branches and switches get the counts that follow, unless some point
// of the method contradicts the flow and none after them in their block confirms it. Which
// types a new point meets does not follow.
//
// Flows are the same if they differ by less than 3 % and 4. HotSpot's own counts are not
// conserved to the last count.
//
// # Confidence
//
// A point's confidence is 0.99 if its count follows from the flow, and 0.97 if it follows
// under an assumption: no pair was wrong in an experiment with edits of generated methods
// and of real sources. It is [AssumedConfidence] if the flow does not tell, or is not
// known. Points with less than Options.Confidence are dropped. A profile's confidence is
// the mean over its points, weighted by their counts; dropped points count as 0.
//
// # Score
//
// The score of an archive is the mean over its profiles, weighted by their counts: 1 if exact or renamed, the
// confidence if moved, else 0. Unchecked profiles (of hidden classes, of classes that the program has
// elsewhere, of methods that another run did not profile) are counted apart.
package fit
