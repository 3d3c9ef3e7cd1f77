// Package forgery makes invalid archives with correct sums, for tests. [References] lists every reference of
// an archive, and a [Forger] makes one of them lead to any other place of the file, and corrects all sums.
package forgery
