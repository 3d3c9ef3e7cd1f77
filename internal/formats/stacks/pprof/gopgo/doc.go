// Package gopgo writes the part of CPU profiles that Go's compiler uses, namely the edges of an archive of domain
// sampled. The output is a profile for go build -pgo, or the text format of go tool preprofile.
//
// The compiler weighs calls by the frames of the last two locations of each sample, including inlined frames. An edge
// has a caller, a callee, and the line of the call relative to the start of the caller. The archive keeps these edges
// exactly, so that go tool preprofile gives the same output for the exported profile as for the imported one. A merge
// of archives corresponds to a merge of profiles.
//
// The output has a sample with two locations for each edge. Since the compiler ignores edges from a location to itself,
// caller and callee have separate locations even for recursive calls. All functions begin at line 1, so that the output
// does not change when a function moves in its file.
//
// # Hot edges
//
// [Exporter].Hot drops edges that the compiler treats as cold. The hot edges are the heaviest ones with 99% of the
// total weight. It keeps a cold edge if it is the heaviest for its method name at its call, because the compiler uses
// it to devirtualize the call. Filler edges, none heavier than the lightest hot edge, replace the weight of the dropped
// edges, so that the compiler computes the same threshold.
package gopgo
