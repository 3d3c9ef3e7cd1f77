// Package lcov writes call counts as a tracefile of lcov, for genhtml and other coverage tools.
//
//	TN:
//	SF:java/lang/String
//	FN:1,length()I
//	FNDA:61205,length()I
//	FNF:1
//	FNH:1
//	end_of_record
//
// An archive has no source files and lines. The class name with slashes replaces the source file. For LLVM it is the
// file in the PGO name of the function, or "unknown". FN has the number of a function in its class instead of a line,
// because readers merge functions with equal numbers. There are no DA records, which count lines. Since lcov and
// genhtml drop files without lines, [Exporter] can add a DA record for each function.
//
// For profiles of LLVM's front ends, [WriteLines] writes the real source lines of functions in the coverage mapping of
// a program (see package coverage).
//
// The number of calls is the invocation counter (hotspot), the call counts of all contexts (graal), the count of a
// native method or the counts of its callers (jamaica), or the first counter of a function (llvm-ir, llvm-frontend). It
// is 1 if the function ran but its calls were not counted.
package lcov
