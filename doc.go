// Package profarc is the root of an archive for execution profiles: one file format, one library, one
// command. A program dumps the profiles of a training run into an archive. The next start maps the archive
// and uses the profiles in place.
//
// This package has no code. Start with the package for your purpose.
//
//   - [github.com/profarc/profarc/formats] converts profiles of other tools
//     (HotSpot, LLVM, GraalVM, JamaicaVM) to archives and back.
//   - [github.com/profarc/profarc/builder] records profiles and writes an archive.
//     A VM that dumps itself begins here.
//   - [github.com/profarc/profarc/reader] looks up profiles, reads them in place,
//     adopts them and goes on counting. A VM that starts begins here.
//   - [github.com/profarc/profarc/archive] opens, verifies, maps and publishes
//     files.
//   - [github.com/profarc/profarc/relocate] moves the pointers of an archive that a VM maps
//     by its own means.
//   - [github.com/profarc/profarc/layout] has the vocabulary: keys, domains, tags,
//     flags.
//   - [github.com/profarc/profarc/merge] sums the archives of several runs, and
//     [github.com/profarc/profarc/reduce] keeps hot methods or hides names.
//   - [github.com/profarc/profarc/analyze] says what the points of a profile recorded, and ranks methods.
//   - [github.com/profarc/profarc/compare] and [github.com/profarc/profarc/fit]
//     compare archives with each other and with the code of a program.
//   - cmd/profarc is the command.
//
// docs/format.md defines the format, docs/design.md gives the reasons for the
// design, and CONTRIBUTING.md says how to build, test and extend profarc.
package profarc
