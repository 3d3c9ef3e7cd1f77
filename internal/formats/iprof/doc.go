// Package iprof reads and writes the profiles of GraalVM Native Image: .iprof
// files, which native-image --pgo reads.
//
// # Format
//
// A file is one JSON object, in one line:
//
//	{"version":"1.0.0",
//	 "types":[{"id":10,"name":"Fib"}, ...],
//	 "methods":[{"id":7,"name":"fibonacci","signature":[10,8]}, ...],
//	 "callCountProfiles":[{"ctx":"7:0<5:9","records":[1]}, ...],
//	 "conditionalProfiles":[{"ctx":"7:11","records":[20,0,10, 53,1,1]}, ...],
//	 "virtualInvokeProfiles":[{"ctx":"6:9<7:23","records":[1322,2, 2280,60]}, ...],
//	 "instanceofProfiles": like virtualInvokeProfiles, since 1.1.0
//	 "monitorProfiles":[{"ctx":"0:0","records":[9,4, 10,1]}],
//	 "samplingProfiles":[{"ctx":"3:38<7:17<5:9","records":[10]}, ...]}
//
// Ids hold within a file. A signature is the ids of the declaring type, the return type and the parameters. A
// context is a place and its callers, "method:bci<caller:bci<...": the inlining of the method, or a whole
// stack in samplingProfiles. Points may be negative: JVMCI's numbers for places that are not a bytecode.
//
// Version 0.4.0 has another order of keys. Version 0.2.0 has other names for some keys,
// and contexts are "7:0,5:9"; it is read but not written.
//
// # Mapping
//
//	types, methods       types and methods; a method has the key
//	                     {Fib, fibonacci, void(int,java.lang.String)}
//	ctx                  the profile of its first method in the context of the
//	                     others; one profile has the records of all sections
//	callCountProfiles    the invocation counter, since the count is how often the
//	                     method itself was called there; a Count (SubCalls) if
//	                     not at bci 0, or if there are several
//	conditionalProfiles  Successors (SubConditional): point, index, count
//	virtualInvokeProfiles, instanceofProfiles
//	                     Receivers (SubVirtualCall, SubTypeCheck): type, count
//	monitorProfiles      TableMonitors; their context names no method
//	samplingProfiles     TableSamples
//	version              TableProperties, "iprof version"
//	keys unknown here    TableForeign, with a JSON pointer for a key
//	order and ids        TableOrderRuns and TableOrder, see build_order.go
//
// A method that no context names was instrumented and is unexecuted.
//
// # Odd files
//
// Ids need not have a row, and rows need not differ: see key_spelling.go for the keys of such types and methods. An
// invalid item of a section (a negative count, a record of the wrong length) is left out, as unknown members
// are, and counted. The methods that such an item names have run.
//
// # Trust
//
// Nothing in a file is trusted. A file that is not JSON or not a profile is an [*Error] with the place and
// the last complete record. Memory stays proportional to what was read. Nothing in an archive is trusted
// either: a source order is used only if it lists each of the archive's types, methods and entries once.
package iprof
