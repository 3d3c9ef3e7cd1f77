package fast

import (
	"crypto/md5"
	"encoding/binary"

	"github.com/profarc/profarc/internal/format/words"
	"github.com/profarc/profarc/layout"
)

// MD5Pair returns the first 8 bytes of the MD5 of two messages, little-endian, by
// [layout.NameIDs] unless PairedMD5 is switched off.
func MD5Pair(x, y string) (refX, refY uint64) {
	if plain[PairedMD5] {
		sumX, sumY := md5.Sum(words.Bytes(x)), md5.Sum(words.Bytes(y))
		return binary.LittleEndian.Uint64(sumX[:]), binary.LittleEndian.Uint64(sumY[:])
	}
	return layout.NameIDs(x, y)
}
