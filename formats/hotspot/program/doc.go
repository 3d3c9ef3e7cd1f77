// Package program gives the code of Java programs to package fit: of class files
// on a class path, and of a running JVM.
package program
