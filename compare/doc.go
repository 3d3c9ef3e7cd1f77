// Package compare says how far two archives of one domain agree: a base, a, and
// another one, b.
//
//	r, err := compare.Stores(ctx, a, b, compare.Options{Top: 20})
//	score, ok := r.Score()
//
// # Overlap
//
// Counts of one [Kind] are compared among themselves. With A and B the sums of
// all counts of a kind in the two archives, the overlap is the sum, over the
// counts x of a that have a partner y in b, of
//
//	min(x/A, y/B)
//
// It is 1 for archives whose counts stand in the same proportions, whatever
// their sums, and 0 for those that have nothing in common. That is what
// llvm-profdata overlap computes, so that the figures of LLVM's domains are its
// figures: edges are its edge counts, the other kinds its value kinds. One thing
// is different: llvm-profdata takes the sums of the records that are asked for
// (context-sensitive or not) and the overlap of all of them, so that a profile
// with both overlaps itself by more than 100%. Here both are of the records that
// are asked for. And a mark that a function is hot or warm, which LLVM keeps in
// the place of its first counter, is no count here ([Report.MarkedA]).
// llvm-profdata takes it for one, and the sum of the function modulo 2^64, so
// that a profile with a mark overlaps itself by any number of percent.
//
// Counts of profiles are compared, and nothing else. Tables that measure
// something, as sampled stacks and monitors do, are named in
// [Report.NotCompared], and two archives that have no counts have no score.
//
// # What belongs together
//
// Methods are matched by key, calling contexts by the keys and points of their
// frames, profiles of one method and context by the id of the code; an unknown
// one matches whatever is left. Entries are matched by profile point and by what
// they record, rows by their type (by name and loader), value or target. A row
// of a fixed entry and one of a wide entry match. Entries of a tag that this
// package does not know are matched by the keys of its schema.
//
// # Differences
//
// The differences of all methods ([Method.Difference]) add up to 1 less the
// overlap, each at most the mean of the method's shares in a and in b. So they
// rank what changed most, and tell a hot method that shifted a little from a cold
// one that changed altogether.
//
// # Certainty
//
// Two more lists are of what compilers rely on: branches, switches and type
// checks that had one outcome in a and have several in b, and the other way
// round ([Certainty]).
//
// What was not recorded is no type. Calls that HotSpot counts without their
// receiver, although a row is free for it, and type checks that it counts as
// failed have no part in the overlap of types ([Overlap].UntypedA), and a site
// that has met such has not for certain met one type only.
//
// # Cost
//
// Both archives are read twice, method by method. Beside them memory holds eight
// bytes a method, four a type, and one bit for eight bytes of the method records.
package compare
