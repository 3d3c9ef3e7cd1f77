// Package forgery creates invalid archives with valid checksums for tests. [References] lists all references of an
// archive. A [Forger] changes one reference to any other offset, and updates the checksums.
package forgery
