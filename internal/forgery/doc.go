// Package forgery makes archives that sums cannot tell from sound ones, for
// tests: [References] lists every reference of an archive, and a [Forger] makes
// one of them lead to any other place of the file, with all sums right again.
package forgery
