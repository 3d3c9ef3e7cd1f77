// Package classfile reads class files, from folders, jars, and the modules of a
// JDK.
//
// Nothing in them is trusted: what does not fit is an error, and memory is
// bounded.
package classfile
