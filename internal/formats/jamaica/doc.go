// Package jamaica reads and writes the profile text of JamaicaVM.
//
// # The text
//
// A program that runs in the profiling VM (jamaicavmp, or built with jamaica -profile)
// appends to NAME.prof when it exits. Every line is a keyword and values, in this order,
// with words and signs between them for people:
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
// Only PROFILE and PROFILE_CYCLES have a known spelling, which [Write] reproduces with its columns. Of the
// nine other keywords the documentation has only the order of the values. [Read] uses that order: a number is
// digits that are not part of a word, names are the last words of a line or its last complete signatures,
// everything else is ignored, and the colon may be missing. Ignored words after a signature, or anywhere in a
// line of the two known keywords, are counted. Digits in groups, 8,158,752, are an error. [Write] writes the
// others in the style of the two: the values, shares as "(11%)", names last. Whether a JamaicaVM reads that
// is not known, and every release may change the format.
//
// # In an archive
//
// The name of a method's key is its complete signature. Texts that were cut to a column have truncated
// signatures: such a method cannot be matched with one of another run (layout.MethodNotMatchable). Several
// methods may share one truncated signature, so that a profile may have several counts of the same kind,
// which must not be added up. The cycles of a method are included in its callers' cycles. Heap, threads and
// classes are tables. A cut mark is kept by the length of its line, a property, and completed if lines are
// cut to several lengths. Shares are not kept but computed. If the lines of a file are not all of a run, the
// smallest total that agrees with its shares is kept as a property.
//
// # Runs
//
// Runs are appended without a separator. A new run starts where something that a run says only once is
// repeated (a method with its complete signature, a class, a total); if a part of the text (instantiation,
// profile, heap) starts again between the two, the new run starts there. Runs are summed.
//
// # Trust
//
// Text is not trusted: a line with a keyword and a missing value is a [*SyntaxError] with
// line and column, and memory grows with the input.
package jamaica
