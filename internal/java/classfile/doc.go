// Package classfile reads class files from folders, jars and the modules of a JDK, and
// finds the source files that they were compiled from.
//
// Nothing in them is trusted: unsound files are errors, and memory is bounded.
package classfile
