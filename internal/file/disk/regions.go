package disk

import (
	"github.com/profarc/profarc/layout"
)

// The regions, in file order. RegionHeader has no row in the region table.
const (
	RegionHeader layout.Region = iota
	RegionPS                   // page sums
	RegionIX                   // hash index
	RegionRO                   // symbols, types, methods, contexts
	RegionBM                   // relocation bitmaps
	RegionEX                   // tables of data that belongs to no method
	RegionRW                   // MethodData blocks
)

// Method flags that the encoding sets. Producers set the others.
const (
	MethodUnexecuted layout.MethodFlags = 1 << 3 // the run saw the method but did not execute it
	MethodSharedID   layout.MethodFlags = 1 << 5 // another key of the archive has the same id
)
