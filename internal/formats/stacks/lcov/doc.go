// Package lcov writes call counts as a tracefile of lcov, for genhtml and other coverage tools:
//
//	TN:
//	SF:java/lang/String
//	FN:1,length()I
//	FNDA:61205,length()I
//	FNF:1
//	FNH:1
//	end_of_record
//
// An archive has neither source files nor lines. A class is written as its source file, with slashes and
// without an extension. For LLVM's functions it is the file in the name of the function, or "unknown". The
// number after FN: numbers the functions of a class, because readers merge functions with the same number.
// There are no DA records, which are about lines. Since lcov and genhtml drop files without lines,
// [WriteOptions] has Lines, which writes one line for every function, with its number.
//
// For profiles of LLVM's front ends, [WriteLines] writes the source lines instead: of the
// functions that a program has a coverage mapping of (see package coverage).
//
// Calls are the invocation counter (hotspot), call counts over all contexts (graal), calls of native methods
// and calls recorded by callers (jamaica), or the first counter of a function (llvm-ir, llvm-frontend). A
// function that ran, but whose calls are not known, has 1.
package lcov
