// Package program reads the code of Java programs for package fit, from class files on a class path or from a running
// JVM.
package program
