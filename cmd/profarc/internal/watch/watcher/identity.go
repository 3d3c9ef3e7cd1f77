package watcher

import (
	"encoding/binary"
	"io"

	"github.com/cespare/xxhash/v2"
)

// An inputID is the dump id of a file that is no archive:
//
//	bytes 0 to 7   XXH64 of "profarc watch", NUL, and the file's name
//	bytes 8 to 15  XXH64 of its content, XOR XXH64 of its time
//
// with the time in nanoseconds since 1970, which the table of dumps has too. So the table
// shows whether a file with a name was merged, and which content it had.
type inputID [16]byte

// newInputID returns the id of a file by name, hash of its content, and modification time.
func newInputID(name string, content uint64, at int64) (id inputID) {
	binary.LittleEndian.PutUint64(id[:], xxhash.Sum64String("profarc watch\x00"+name))
	binary.LittleEndian.PutUint64(id[8:], content^timeHash(at))
	return id
}

func (id inputID) contentHash(at int64) uint64 {
	return binary.LittleEndian.Uint64(id[8:]) ^ timeHash(at)
}

func (id inputID) nameHash() uint64 { return binary.LittleEndian.Uint64(id[:]) }

func timeHash(at int64) uint64 {
	return xxhash.Sum64(binary.LittleEndian.AppendUint64(nil, uint64(at)))
}

func hashContent(r io.Reader) (uint64, error) {
	h := xxhash.New()
	_, err := io.Copy(h, r)
	return h.Sum64(), err
}
