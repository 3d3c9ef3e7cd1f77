// Package gopgo writes what Go's compiler reads of a CPU profile: the edges of an archive of domain sampled,
// as a profile for go build -pgo, or as the text that go tool preprofile makes of one.
//
// The compiler weighs calls by the last two locations of each sample, inlined frames included: caller,
// callee, and the line of the call from the start of the caller. The archive has these edges as they were in
// the profiles, so that the output of go tool preprofile is the same for what is written here as for the
// profile that was imported, and for the sum of profiles as for their merge. An edge is a sample at two
// locations. Callers and callees have locations of their own, so that a function that calls itself has two,
// as the compiler requires: it takes no edge from a location to itself. All functions begin at line 1, and
// lines count from there, so that the file does not change when a function moves in its file.
//
// # Hot edges
//
// [Exporter].Hot leaves out edges that the compiler treats as cold: those after the heaviest that make up 99%
// of the weight, unless they are the heaviest of a method's name at their call, which decides how an indirect
// call is made direct. Their weight stays, as calls of no function that are each no heavier than the lightest
// hot one, so that the compiler finds the same threshold.
package gopgo
