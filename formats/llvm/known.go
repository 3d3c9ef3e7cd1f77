package llvm

import "maps"

// known is what is in the tables of all files that were read into a builder.
type known struct {
	binaryIDs map[string]bool
	vtables   map[string]bool
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
