package llvm

import "maps"

// known is what is known of the process as a whole, in all files that were read
// into a builder.
type known struct {
	binaryIDs map[string]bool
	vtables   map[string]bool
	traces    uint64
	variant   Variant
	any       bool // a file was read
}

// clone is a copy to go on with: a file that is bad in the end shall have left
// nothing behind.
func (k known) clone() known {
	k.binaryIDs, k.vtables = maps.Clone(k.binaryIDs), maps.Clone(k.vtables)
	if k.binaryIDs == nil {
		k.binaryIDs, k.vtables = map[string]bool{}, map[string]bool{}
	}
	return k
}
