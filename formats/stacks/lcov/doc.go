// Package lcov writes call counts as the tracefile of lcov, for genhtml and
// what shows coverage:
//
//	TN:
//	SF:java/lang/String
//	FN:1,length()I
//	FNDA:61205,length()I
//	FNF:1
//	FNH:1
//	end_of_record
//
// An archive knows neither source files nor lines. A class stands for its
// source file, with slashes and without an extension; of LLVM's functions it is
// the file, where the name of the function has it, and else "unknown". The
// number behind FN: is that of the function in its class, because readers take
// functions with one number for one function. There are no DA records: nothing
// is said of lines. But lcov and genhtml drop files without any: for them
// [WriteOptions] has Lines, which gives every function one line, of its number.
//
// Calls are the invocation counter (hotspot), call counts over all contexts
// (graal), calls of native methods and from the callers that were recorded
// (jamaica), the first counter of a function (llvm-ir, llvm-frontend). A
// function that ran, of which no calls are known, has 1.
package lcov
