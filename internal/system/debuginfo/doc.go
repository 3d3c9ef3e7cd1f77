// Package debuginfo reads the build id, the functions and the lines of compiled programs.
package debuginfo
