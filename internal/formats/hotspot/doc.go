// Package hotspot imports and exports HotSpot's MethodData.
//
// # PrintMethodData
//
// [Importer] reads the output at the exit of
//
//	java -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData ...
//
// and [Exporter] prints an archive in the same form:
//
//	file    = { any other line } { RULE method } RULE "Total MDO size: " N " bytes"
//	method  = header counters "" [ parameters ] { bytecode { entry } }
//	entry   = "  " DP "bci: " BCI KIND [ traps ] [ "flags(" N ") " ] counts { row }
//
// RULE is 72 dashes. The text may follow output of the program, or be part of the XML log of -XX:+LogVMOutput. JDK 17
// and 25 differ in columns, and in whether a receiver entry has a nonprofiled_count: see [Dialect].
//
// The text is incomplete. A VM does not print ArgInfo, loaders and most of a MethodData's header. Of printed bytecodes
// an archive keeps the code id and a sketch, and the report counts them.
//
// # Other texts
//
// [Importer] also reads texts of VMs before JDK 17, parts of a text without rules, texts in comments, a single
// MethodData as a VM prints it in messages, and printmdo of jhsdb. A respeller brings their lines into the form above.
// What such a text does not say, such as the counters of methods, is not in the archive, and a loss names it.
//
// # Trust
//
// Text is not trusted. A violation of the grammar is a [*TextError] with line and column. Memory is proportional to
// the bytes read.
package hotspot
