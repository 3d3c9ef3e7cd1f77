// Package profarc keeps the profiles of a VM's functions from one run to the next.
//
// A run starts with the archive of earlier runs, increments the counts in the mapped file, and writes the next archive
// when it ends:
//
//	run, err := profarc.Start("app.parc", vm)     // if err != nil, the run starts without an archive
//	f := run.Function(key, profarc.CodeID(code))  // the archive's profile of this code, or an empty one
//	taken, notTaken := f.Branch(17)               // counters to increment and to read
//	taken.Count1()
//	_, err = run.Dump(ctx, "app.parc")
//
// Start parses and copies nothing. It maps the file, and the counters are in the mapping. A function that is missing
// from the archive counts in ordinary memory. The archives belong to [layout.DomainCustom]. The profarc commands show,
// compare, merge and check them.
//
// This package is enough for a first integration. The packages below handle other domains and formats, calling
// contexts, and generated code that increments counters directly:
//
//   - [github.com/profarc/profarc/reader] looks up profiles, and adopts an archive to continue counting in it.
//   - [github.com/profarc/profarc/builder] records profiles and writes an archive.
//   - [github.com/profarc/profarc/merge] merges the archives of several runs, and
//     [github.com/profarc/profarc/experimental/reduce] keeps hot methods or hides names.
//   - [github.com/profarc/profarc/formats] converts profiles of other tools (HotSpot, LLVM, GraalVM, JamaicaVM)
//     to archives and back.
//   - [github.com/profarc/profarc/experimental/analyze] interprets the points of a profile and ranks methods.
//   - [github.com/profarc/profarc/experimental/compare] compares archives, and
//     [github.com/profarc/profarc/experimental/fit] checks whether they still fit a program's code.
//   - [github.com/profarc/profarc/archive] opens, verifies, maps and publishes files.
//   - [github.com/profarc/profarc/relocate] adjusts the pointers of an archive that a VM maps itself.
//   - [github.com/profarc/profarc/layout] defines keys, domains, tags and flags.
//   - cmd/profarc is the command.
//
// docs/format.md defines the format, docs/design.md gives the reasons for the design, and CONTRIBUTING.md explains how
// to build, test and extend profarc.
package profarc
