// Package coverage shows LLVM's counters beside the source code that they count.
//
// A compiler that is asked for coverage (clang -fprofile-instr-generate -fcoverage-mapping, rustc -C
// instrument-coverage, swiftc -profile-coverage-mapping) leaves in the program a mapping of the counters of
// each function to regions of source files. [Open] reads it, [New] joins it with the counters of an archive
// of the domain llvm-frontend, and a [View] gives the counts of lines by the rules of llvm-cov:
//
//	mapping, err := coverage.Open("app")
//	cover, err := coverage.New(store, mapping)
//	function, err := cover.Function(method)
//	for line := range function.View().Lines() {
//		fmt.Println(line.Number, line.Count)
//	}
//
// Profiles of IR (-fprofile-generate) have no such mapping: their counters are of edges of a
// control flow graph that the compiler alone knows, with debug information or without.
//
// # In the program
//
// Versions 4 to 7 of the mapping, of LLVM 11 and later, are read from executables, libraries
// and object files of ELF, Mach-O and PE, in the byte order of their machine:
//
//	__llvm_covmap     for each translation unit { u32 0, u32 size, u32 0, u32 version - 1, files },
//	                  aligned to 8
//	files             number, size, packed size, packed by zlib unless that is 0
//	                  { length, name }; from version 6 on the first is the folder of the
//	                  compilation, and the others may be relative to it
//	__llvm_covfun     for each function { u64 NameRef, u32 size, u64 FuncHash, u64 hash of files,
//	                  mapping }, aligned to 8
//	mapping           files of the function, expressions of counters, regions of each file
//	__llvm_prf_names  the names of functions
//
// Numbers without a width are LEB128. A hash is the first 8 bytes of the MD5.
//
// # Regions
//
// A region goes from one line and column to another, and has a counter or an expression of
// counters: code, a gap between statements, or the expansion of a macro, whose text is a
// file of its own. Skipped regions are what the preprocessor left out. The region of a branch
// is a condition, with a counter for each outcome. Decisions of MC/DC are read over.
//
// # Counts
//
// They equal the counts of llvm-cov, line by line: `go test ./internal/formats/llvm/coverage` compares
// every line, function and instantiation of a program that clang 14 and 19 compile.
//
//   - A line's count is the highest of the regions that begin in it and of what goes on from the
//     line before.
//   - A file's counts are sums over all functions, instantiations of a template and copies of an
//     inline function. The view of a function has its own.
//   - A macro counts where it is used and, in the view of a file, also where it is defined.
//   - Lines that the preprocessor left out have no count. A function that the program has and does
//     not use counts 0.
//
// A function is recognised by the hash of its name, its code by the compiler's hash of its control
// flow. Counters for another hash are never put beside this code. A change that leaves
// the control flow as it was, such as of a constant, leaves the hash.
//
// # Trust
//
// Nothing in a program is trusted. Every size is checked against the bytes that are there, names may
// not expand beyond the limits of LLVM's profiles, work is near linear in the size of the
// sections, and a counter that refers to itself is an error.
package coverage
