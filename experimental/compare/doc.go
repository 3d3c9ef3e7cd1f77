// Package compare measures how far two archives of one domain agree: a base, a, and another one, b.
//
//	r, err := compare.Stores(ctx, a, b, compare.Options{Top: 20})
//	if r.Score != nil { ... }
//
// # Overlap
//
// Counts of one [Kind] are compared among themselves. With A and B the sums of all counts of a kind in the
// two archives, the overlap is the sum, over the counts x of a that have a partner y in b, of
//
//	min(x/A, y/B)
//
// It is 1 for archives whose counts have the same proportions, whatever their sums, and 0 for archives that
// have nothing in common. llvm-profdata overlap computes the same, so the figures of LLVM's domains are its
// figures: edges are its edge counts, the other kinds its value kinds. There are two differences.
// llvm-profdata sums the selected records (context-sensitive or not) and overlaps all of them, so that a
// profile with both overlaps itself by more than 100%. Here both are of the selected records. And a mark that
// a function is hot or warm, which LLVM stores in place of its first counter, is no count here
// ([Report.MarkedA]). llvm-profdata takes it for a count, and sums a function modulo 2^64, so that a profile
// with a mark overlaps itself by any number of percent.
//
// Only counts of profiles are compared. Tables of measurements, such as sampled stacks and monitors, are
// listed in [Report.NotCompared]. Two archives without counts have no score.
//
// # Matching
//
// Methods are matched by key, calling contexts by the keys and points of their frames, profiles of one method
// and context by code id; an unknown id matches any remaining profile. Entries are matched by profile point
// and by what they record, rows by their type (by name and loader), value or target. A row of a fixed entry
// and one of a wide entry match. Entries of other tags are matched by the keys of their schema. Two runs
// share few calling contexts, so samples are summed over all of them, and matched by method and line.
//
// The names of hidden classes, such as lambdas, end in numbers that the VM gives in the
// order in which it makes them. A method of such a class whose name the other archive lacks
// is paired there with one of the same code and of the same host, the first of several
// ([Report.Renumbered]): the pairing shows, and has no part in the overlap.
//
// # Differences
//
// The differences of all methods ([Method.Difference]) add up to 1 minus the overlap. Each is at most the
// mean of the method's shares in a and in b. So they rank the changes, and distinguish a small change of a
// hot method from a complete change of a cold one.
//
// # Certainty
//
// Two more lists are about the assumptions of compilers: branches, switches and type
// checks with one outcome in a and several in b, and vice versa ([Certainty]).
//
// An unrecorded type is not a type of its own. Calls that HotSpot counts without their receiver, although a
// row is free for it, and failed type checks have no part in the overlap of types ([Overlap].UntypedA). A
// site with such counts is not certain to have one type.
//
// # Cost
//
// Both archives are read twice, method by method. Additional memory is eight bytes a
// method, four a type, and one bit for eight bytes of the method records, and what is known of each
// method of a hidden class that only a has by name.
package compare
