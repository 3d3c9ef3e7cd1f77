// Package jamaica takes JamaicaVM's profile text in and gives it out again.
//
// # The text
//
// A program that runs in the profiling VM (jamaicavmp, or built with jamaica
// -profile) appends to NAME.prof when it ends. Every line is a keyword and
// values, in this order, with words and signs between them for people:
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
// A method is "java/lang/String.length()I", and "(interpreted)" may be glued to
// it. Shares are percentages, rounded down.
//
// # What is not verified
//
// Only PROFILE and PROFILE_CYCLES have a known spelling; [Write] gives it,
// columns included. Of the nine others the documentation gives the order of the
// values alone. [Read] goes by that order: a number is digits that touch no
// letter, names are the last words of a line, or its last whole signatures,
// everything else is passed over, and the colon may be missing. Words that are
// passed over behind a signature, or anywhere in a line of the two, are counted.
// Digits in groups, 8,158,752, are an error. [Write] spells them in the style of the two:
// the values, shares as "(11%)", names last. Whether a JamaicaVM reads that is
// not known, and every release may change the format.
//
// # In an archive
//
// A method's key is its whole signature as name. Texts that were cut to a
// column end in the middle of one: such a method does not identify the method
// in another run (layout.MethodNotMatchable), and several of them may share one
// text, so that a profile may have several counts of the same kind, which must
// not be added up. Cycles of a method are in those of its callers too. Heap,
// threads and classes are tables; shares are not kept but computed. Where the
// lines of a file are not all of a run, the smallest total that gives its
// shares is kept as a property.
//
// # Runs
//
// Runs are appended without a mark. A new run begins where something that a run
// says once is said again (a method with its whole signature, a class, a total);
// more exactly where, between the two, a part of the text (instantiation,
// profile, heap) begins again, if it does. Runs are summed.
//
// # Trust
//
// Text is not trusted: a line that begins with a keyword and lacks a value is a
// [*SyntaxError] with line and column, and memory grows with what is read.
package jamaica
