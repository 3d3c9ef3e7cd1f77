// Package classfile reads class files from folders, jars and the modules of a JDK, and finds their source files.
//
// It does not trust its input. Malformed files are errors, and memory is limited.
package classfile
