// Package coverage maps LLVM's counters to lines of source code.
//
// With coverage enabled (clang -fprofile-instr-generate -fcoverage-mapping, rustc -C instrument-coverage, swiftc
// -profile-coverage-mapping) a compiler stores in the program a mapping from each function's counters to regions of
// source files. [Open] reads it, and [New] joins it with the counters of an archive of the domain llvm-frontend. A
// [View] has the counts of lines according to the rules of llvm-cov:
//
//	mapping, err := coverage.Open("app")
//	cover, err := coverage.New(store, mapping)
//	function, err := cover.Function(method)
//	for line := range function.View().Lines() {
//		fmt.Println(line.Number, line.Count)
//	}
//
// Profiles of IR (-fprofile-generate) have no mapping. They count edges of a control flow graph that only the
// compiler knows, with or without debug information.
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
// A region extends from one line and column to another, and has a counter or an expression of counters. It is code,
// a gap between statements, or the expansion of a macro, whose text has a separate file id. Skipped regions are text
// that the preprocessor removed. The region of a branch is a condition with a counter for each outcome. Decisions of
// MC/DC are ignored.
//
// # Counts
//
// Every line has the count of llvm-cov. `go test ./internal/formats/llvm/coverage` compares every line, function and
// instantiation of a program compiled by clang 14 and 19.
//
//   - A line's count is the maximum of the regions that begin in it and of the count that continues from the
//     previous line.
//   - A file's counts add all functions, including instantiations of a template and copies of an inline function.
//     The view of a function counts only that function.
//   - A macro counts where it is used and, in the view of a file, also where it is defined.
//   - Lines removed by the preprocessor have no count. An unused function in the program counts 0.
//
// The hash of its name identifies a function, and the compiler's hash of its control flow identifies its code.
// Counters for another hash are never shown for this code. A change that keeps the control flow, for example of a
// constant, keeps the hash.
//
// # Trust
//
// Programs are not trusted. Every size is checked against the available bytes. Names must not expand beyond the
// limits of LLVM's profiles. The work is nearly linear in the size of the sections, and a counter that refers to
// itself is an error.
package coverage
