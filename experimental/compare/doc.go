// Package compare measures the agreement of two archives of one domain: a base a, and another archive b.
//
//	r, err := compare.Stores(ctx, a, b, compare.Options{Top: 20})
//	if r.Score != nil { ... }
//
// This package is experimental. It may change in any release.
//
// # Overlap
//
// Each kind of counts is compared separately. Let A and B be the totals of one kind in the two archives. The overlap is
// the total, over all counts x of a with a partner y in b, of
//
//	min(x/A, y/B)
//
// It is 1 for archives with equal proportions, whatever their totals, and 0 for archives that have nothing in common.
// llvm-profdata overlap computes the same figures: its edge counts are the kind edges, its value kinds the other kinds.
// There are two differences. llvm-profdata adds up the selected records (context-sensitive or not) but overlaps all of
// them, so a profile with both overlaps itself by more than 100%. This package uses the selected records for both. LLVM
// also stores a mark that a function is hot or warm in place of its first counter. This package ignores marks
// ([Report.MarkedA]). llvm-profdata counts them modulo 2^64, so a profile with a mark overlaps itself by an arbitrary
// percentage.
//
// Only counts of profiles are compared. [Report.NotCompared] lists tables of measurements such as sampled stacks and
// monitors. Two archives without counts have no score.
//
// # Matching
//
// Methods match by key, calling contexts by the keys and points of their frames, and profiles of one method and context
// by code id. A profile with an unknown code id matches any remaining profile. Entries match by profile point and by
// kind of record, rows by type (name and loader), value or target. Rows of fixed entries match rows of wide entries.
// Entries of other tags match by the keys in their schema. Two runs share few calling contexts, so samples are added up
// over all contexts and match by method and line.
//
// Names of hidden classes, such as lambdas, end in numbers that the VM assigns in order of creation. A method of a
// hidden class that b lacks by name is paired with the first unpaired method in b with the same code and host class
// ([Report.Renumbered]). Such pairs are listed but do not count in the overlap.
//
// # Sampling error
//
// Two runs of one program have different samples. [Report.ScoreInterval] contains the overlap without this error, and
// [Method.Noise] marks methods that differ by no more. Both need the number of samples, which archives of CPU profiles
// have ([SampleSize]). The package internal/sampling explains the estimates.
//
// # Differences
//
// The differences of all methods ([Method.Difference]) add up to 1 minus the overlap. Each is at most the mean of the
// method's shares in a and b. So a ranking by difference separates a small change of a hot method from a complete
// change of a cold one.
//
// # Certainty
//
// Two more lists show broken assumptions of compilers. They contain branches, switches and type checks with one outcome
// in a and several in b, and vice versa ([Certainty]).
//
// Unrecorded types are not a type. Calls that HotSpot counts without their receiver although a row is free, and failed
// type checks, do not count in the overlap of types ([Overlap].UntypedA). A site with such counts is not certain to
// have one type.
//
// # Cost
//
// Both archives are read twice, method by method. Additional memory is 8 bytes per method, 4 bytes per type, at
// most 2 bytes per method, and one record per method of a hidden class that only a has by name.
// Sampled archives need 50 bytes per line.
package compare
