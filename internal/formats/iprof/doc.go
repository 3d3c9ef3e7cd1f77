// Package iprof reads and writes the profiles of GraalVM Native Image: .iprof files, which native-image --pgo reads.
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
// Ids are local to a file. A signature has the ids of the declaring type, the return type and the parameters. A
// context is a point and its callers, "method:bci<caller:bci<...". It describes the inlining of the method, or in
// samplingProfiles a whole stack. Points can be negative, which are JVMCI's numbers for points without a bytecode.
//
// Version 0.4.0 has another order of keys. Version 0.2.0 has other names for some keys, and its contexts look like
// "7:0,5:9". It is read but not written.
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
// A method that no context names was instrumented but not executed.
//
// # Odd files
//
// Ids can lack a row, and rows can be equal. key_spelling.go describes the keys of such types and methods. Invalid
// items of a section (a negative count, a record of the wrong length) and unknown members are omitted and counted.
// The methods that such an item names have run.
//
// # Trust
//
// Files are not trusted. A file that is not JSON or not a profile is an [*Error] with the offset and the last
// complete record. Memory is proportional to the bytes read. Archives are not trusted either. A source order is used
// only if it lists each of the archive's types, methods and entries once.
package iprof
