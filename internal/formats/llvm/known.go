package llvm

// known is what is known of the process as a whole, in all files read so far.
type known struct {
	binaryIDs map[string]bool
	vtables   map[string]bool
}
