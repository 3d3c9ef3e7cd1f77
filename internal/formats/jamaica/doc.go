// Package jamaica reads and writes the profile text of JamaicaVM.
//
// # The text
//
// A program that runs in the profiling VM (jamaicavmp, or built with jamaica -profile) appends to NAME.prof when it
// exits. Every line is a keyword and values, in this order, with words and signs between them for people:
//
//	PROFILE                            bytecodes, share, method
//	PROFILE_CYCLES                     cycles, method
//	PROFILE_NATIVE                     calls, share, method
//	PROFILE_NEWARRAY                   calls, bci, method
//	PROFILE_INVOKE                     calls, bci, caller, callee
//	PROFILE_THREAD                     priority, cycles, shares of interpreted, compiled, JNI
//	                                   and GC, C stack, Java stack
//	PROFILE_THREADS                    threads
//	PROFILE_CLASS_USED_VIA_REFLECTION  class
//	INSTANTIATION_COUNT                objects, blocks an object, blocks, bytes, tree objects, share, loader, class
//	HEAP_USE                           objects, blocks an object, block bytes, bytes, share, tree objects, share, class
//	HEAP_REFS                          references, words, share
//
// A method is "java/lang/String.length()I", which "(interpreted)" may follow without a
// space. Shares are percentages, rounded down.
//
// # Not verified
//
// The exact spelling is known only for PROFILE and PROFILE_CYCLES. [Write] reproduces it, including the columns.
// For the nine other keywords, the documentation gives only the order of the values. [Read] depends on that
// order. It takes digits that are not part of a word as a number, and the last words or the last complete
// signatures of a line as names. It ignores everything else and accepts a missing colon. Ignored words are
// reported if they follow a signature or are in a line of the two known keywords. Grouped digits such as
// 8,158,752 are an error. [Write] formats the other keywords like the two known ones, with shares as "(11%)" and
// names last. Nobody has tested whether a JamaicaVM reads these lines, and each release can change the format.
//
// # In an archive
//
// The name in a method's key is its complete signature. The VM truncates long lines, and a method with a truncated
// signature cannot be matched with another run (layout.MethodNotMatchable). Several methods can share a truncated
// signature. Their profile then has several counts of the same kind, which must not be added up. The cycles of a method
// are included in its callers' cycles. Heap, threads and classes are tables. If all "(interpreted)" marks are truncated
// at one column, a property stores this column. Otherwise they are completed. Shares are recomputed on export. If a
// file lacks lines of a run, a property stores the smallest total that agrees with the shares.
//
// # Runs
//
// The VM appends runs without a separator. A repeated statement, such as a second line for a complete signature,
// a class or a total, shows that a new run has begun. If a part of the text (instantiation, profile, heap) begins
// again between the two lines, the new run starts at that part, otherwise at the second line. Runs are merged.
//
// # Trust
//
// The input is not trusted. A line with a keyword but without one of its values is a [*SyntaxError] with line and
// column. Memory is proportional to the input.
package jamaica
