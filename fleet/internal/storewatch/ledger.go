package storewatch

import (
	"crypto/md5"
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/counted"
)

// hashObjects returns the first half of an MD5. Most stores list the MD5 of objects, so that the table of dumps shows
// without a download whether an object was merged.
var hashObjects counted.Hash = func(data []byte) uint64 { return hashMD5(md5.Sum(data)) }

func hashMD5(sum [md5.Size]byte) uint64 { return binary.LittleEndian.Uint64(sum[:]) }

// hasListed reports whether an archive has an object that is no archive, by what the store lists. A key means one
// object, whose time can change. If the answer is no, the content must be read.
func hasListed(l *counted.Ledger, o blobs.Object) bool {
	return slices.ContainsFunc(l.Contents(o.Key), func(m counted.Content) bool {
		if len(o.MD5) != md5.Size {
			return m.At == o.Modified.UnixNano()
		}
		return m.Hash == hashMD5([md5.Size]byte([]byte(o.MD5)))
	})
}
