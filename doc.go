// Package profarc keeps what a VM learns about the functions that it runs, from one run to the next.
//
// A run begins with the archive of the runs before, counts in it in place, and writes the next archive at its end:
//
//	run, err := profarc.Start("app.parc", vm)     // err says why the run begins without an archive
//	f := run.Function(key, profarc.CodeID(code))  // the archive's profile of this code, or an empty one
//	taken, notTaken := f.Branch(17)               // words, to be counted in and to be read
//	taken.Count1()
//	_, err = run.Dump(ctx, "app.parc")
//
// Nothing is parsed or copied at the start: the file is mapped, and the words are in the mapping. A function that
// the archive lacks counts in memory of its own. The archives are of [layout.DomainCustom]; the commands of
// profarc show, compare, merge and check them.
//
// This package is the first hour. The packages below it are for other domains and formats, calling contexts, and
// code that counts without calls:
//
//   - [github.com/profarc/profarc/reader] looks up profiles, reads them in place, adopts them and goes on counting.
//   - [github.com/profarc/profarc/builder] records profiles and writes an archive.
//   - [github.com/profarc/profarc/merge] sums the archives of several runs, and
//     [github.com/profarc/profarc/experimental/reduce] keeps hot methods or hides names.
//   - [github.com/profarc/profarc/formats] converts profiles of other tools (HotSpot, LLVM, GraalVM, JamaicaVM)
//     to archives and back.
//   - [github.com/profarc/profarc/experimental/analyze] says what the points of a profile recorded, and ranks methods.
//   - [github.com/profarc/profarc/experimental/compare] compares archives, and
//     [github.com/profarc/profarc/experimental/fit] checks whether they still fit a program's code.
//   - [github.com/profarc/profarc/archive] opens, verifies, maps and publishes files.
//   - [github.com/profarc/profarc/relocate] moves the pointers of an archive that a VM maps by its own means.
//   - [github.com/profarc/profarc/layout] has the vocabulary: keys, domains, tags, flags.
//   - cmd/profarc is the command.
//
// docs/format.md defines the format, docs/design.md gives the reasons for the design, and CONTRIBUTING.md says how
// to build, test and extend profarc.
package profarc
