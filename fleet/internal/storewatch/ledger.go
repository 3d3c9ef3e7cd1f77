package storewatch

import (
	"crypto/md5"
	"encoding/binary"
	"time"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/reader"
)

// An objectID is the dump id of an object that is no archive:
//
//	bytes 0 to 7   first half of the MD5 of "profarc watch", NUL, and the object's key
//	bytes 8 to 15  first half of the MD5 of its content, XOR the same half for its time
//
// with the time in nanoseconds since 1970, which the table of dumps has too. Most stores list the MD5 of objects, so
// that the table shows without a download whether an object was merged.
type objectID [16]byte

func newObjectID(key string, content uint64, at time.Time) (id objectID) {
	binary.LittleEndian.PutUint64(id[:], hashKey(key))
	binary.LittleEndian.PutUint64(id[8:], content^hashTime(at.UnixNano()))
	return id
}

func (id objectID) keyHash() uint64 { return binary.LittleEndian.Uint64(id[:]) }
func (id objectID) contentHash(at int64) uint64 {
	return binary.LittleEndian.Uint64(id[8:]) ^ hashTime(at)
}
func hashKey(key string) uint64 { return hashText("profarc watch\x00" + key) }
func hashTime(at int64) uint64 {
	return hashText(string(binary.LittleEndian.AppendUint64(nil, uint64(at))))
}
func hashText(text string) uint64       { return hashMD5(md5.Sum([]byte(text))) }
func hashMD5(sum [md5.Size]byte) uint64 { return binary.LittleEndian.Uint64(sum[:]) }

// A ledger records which objects and dumps an archive has.
type ledger struct {
	dumps   merging.CountedDumps
	objects map[uint64][]mergedContent // by hash of the key
}

type mergedContent struct {
	hash uint64
	at   int64 // time of the object in nanoseconds since 1970
}

func newLedger() *ledger {
	return &ledger{merging.NewCountedDumps(), map[uint64][]mergedContent{}}
}

// addStore adds the dumps of an archive.
func (l *ledger) addStore(s *reader.Store) error {
	dumps, err := l.dumps.AddStore(s)
	for _, d := range dumps {
		id := objectID(d.ID)
		l.objects[id.keyHash()] = append(l.objects[id.keyHash()], mergedContent{id.contentHash(d.Time), d.Time})
	}
	return err
}

type finding int

const (
	isNew finding = iota
	isKnown
	isChanged // an object with this key was merged with other content
)

// lookUpListed looks up an object that is no archive by what the store lists. A key means one object, whose time can
// change. The answer isNew means that the content must be read.
func (l *ledger) lookUpListed(o blobs.Object) finding {
	for _, m := range l.objects[hashKey(o.Key)] {
		if len(o.MD5) != md5.Size {
			if m.at == o.Modified.UnixNano() {
				return isKnown
			}
		} else if m.hash == hashMD5([md5.Size]byte([]byte(o.MD5))) {
			return isKnown
		}
	}
	return isNew
}

// lookUpContent looks up an object that is no archive by its key and content.
func (l *ledger) lookUpContent(key string, content uint64) finding {
	merged := l.objects[hashKey(key)]
	for _, m := range merged {
		if m.hash == content {
			return isKnown
		}
	}
	if len(merged) > 0 {
		return isChanged
	}
	return isNew
}

// lookUpArchive reports whether each dump of an archive is counted, or a later one of the same process.
func (l *ledger) lookUpArchive(s *reader.Store) (what finding, dumps int, err error) {
	known, dumps, err := l.dumps.HasAll(s)
	if known {
		return isKnown, dumps, err
	}
	return isNew, dumps, err
}
