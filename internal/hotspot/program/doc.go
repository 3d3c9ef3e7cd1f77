// Package program reads the code of Java programs for package fit: from class files
// on a class path, and of a running JVM.
package program
