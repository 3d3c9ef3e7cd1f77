// Package hotspot imports and exports HotSpot's MethodData.
//
// # PrintMethodData
//
// [ReadText] reads what
//
//	java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData ...
//
// prints when the VM exits, and [WriteText] prints an archive in the same form:
//
//	file    = { any other line } { RULE method } RULE "Total MDO size: " N " bytes"
//	method  = header counters "" [ parameters ] { bytecode { entry } }
//	entry   = "  " DP "bci: " BCI KIND [ traps ] [ "flags(" N ") " ] counts { row }
//
// RULE is 72 dashes. The text may follow output of the program, or be part of the
// XML log of -XX:+LogVMOutput. JDK 17 and 25 differ in columns, and in whether
// a receiver entry has a nonprofiled_count: see [Dialect].
//
// The text does not say everything. What a VM does not print (ArgInfo, loaders,
// most of a MethodData's header) cannot be known; what it prints and an archive
// does not keep (the bytecodes) is counted in the [TextReport].
//
// # Trust
//
// Text is not trusted: whatever does not fit the grammar where it must is a
// [*TextError] with line and column, and memory grows with what is read.
package hotspot
