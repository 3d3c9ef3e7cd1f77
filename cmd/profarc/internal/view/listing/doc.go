// Package listing puts the counts of a profile beside the code that it is of: beside the bytecodes of a class
// file, and beside the lines of the source file that the class was compiled from.
//
// It returns data and formats nothing: the terminal and the pages print the same listing. Names are raw, with
// slashes and descriptors; package naming spells them. Class files, source files and archives are not
// trusted: a listing has at most one instruction for each byte of code, and as many lines as the file, of any
// length. Whoever prints names and lines escapes them.
//
// # Counts
//
// A profile point counts how often its bytecode was executed. The counts of other bytecodes
// follow from those in the same block and from the branches that lead there, as far as they
// do: they are marked as derived. A VM counts a method only for a while, and each point on its
// own, so that counts of neighbours differ a little.
package listing
