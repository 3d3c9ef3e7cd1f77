// Package listing shows the counts of a profile next to the bytecodes of a class file, and next to the lines of its
// source file.
//
// It returns data for the terminal and the pages, which print it. Names are raw, with slashes and descriptors; package
// display formats them. Class files, source files and archives are not trusted. A listing has at most one instruction
// per byte of code, and as many lines as the file, of any length. Callers must escape names and lines.
//
// # Counts
//
// A profile point counts how often its bytecode was executed. If possible, the counts of other bytecodes are derived
// from the same block and from the branches to it, and marked as derived. A VM counts a method only for a while, and
// updates each point separately, so the counts of neighbors differ slightly.
package listing
