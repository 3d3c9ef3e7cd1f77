package llvm

// VersionOfRelease is the version of the indexed format that a release of LLVM
// writes, 0 for releases before 12. Later releases than those known are taken to
// write the newest.
func VersionOfRelease(release int) int {
	switch {
	case release < 12:
		return 0
	case release <= 14:
		return 7
	case release <= 18:
		return release - 7 // one more each
	case release <= 21:
		return 12
	}
	return IndexedNewest
}
