package llvm

import (
	"fmt"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Versions of the indexed format that are written.
const (
	WrittenOldest = 4 // the first with a summary; the layout has only grown since
	WrittenNewest = IndexedNewest

	// widestVersion is read by every LLVM from 12 on.
	widestVersion = 7
	// usualVersion is that of LLVM 19 to 21. Their front ends understand
	// hashes of LLVM 12 to 21.
	usualVersion = 12
)

// defaultVersion is the version that an archive is written with if nobody says
// which. Profiles that were instrumented on IR mean the same in every version.
// What the hashes of a front end mean, its version says.
func defaultVersion(s *reader.Store) int {
	if s.Header().Domain == layout.DomainLLVMIR {
		return widestVersion
	}
	if v := producerVersion(s); v >= WrittenOldest && v <= WrittenNewest {
		return v
	}
	return usualVersion
}

func checkVersion(v int) error {
	if v < WrittenOldest || v > WrittenNewest {
		return fmt.Errorf("%w: version %d of the indexed format cannot be written: use %d to %d", ErrVersion, v, WrittenOldest, WrittenNewest)
	}
	return nil
}

// writtenVariant is the variant of a file of a version. Memory profiles and
// debug information to correlate with are never in an archive.
func writtenVariant(s *reader.Store, version int, traces bool) Variant {
	v := variantOf(s) &^ (VariantMemProf | VariantCorrelated)
	if traces {
		v |= VariantTemporal
	}
	if version < sinceTraces {
		v &^= VariantTemporal
	}
	if s.Header().Domain == layout.DomainLLVMIR {
		v |= VariantIR
	}
	return v
}

// headerWords is the number of 8-byte words of a version's header: magic,
// version, a zero, the kind of hash, the offset of the table, and then the
// offsets of what was added.
func headerWords(version int) int {
	n := 5
	for _, since := range []int{sinceMemProf, sinceBinaryIDs, sinceTraces, sinceVTables} {
		if version >= since {
			n++
		}
	}
	return n
}
