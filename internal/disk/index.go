package disk

import (
	"math/bits"

	"github.com/profarc/profarc/internal/fast"
	"github.com/profarc/profarc/layout"
)

// NameRef is LLVM's id of a PGO name: the first 8 bytes of its MD5, read
// little-endian.
func NameRef(name string) uint64 {
	ref, _ := fast.MD5Pair(name, "")
	return ref
}

// NameRefs puts the NameRef of each name into refs, which must be as long. A
// name takes little more than half as long so.
func NameRefs(names []string, refs []uint64) {
	_ = refs[:len(names)]
	for ; len(names) > 1; names, refs = names[2:], refs[2:] {
		refs[0], refs[1] = fast.MD5Pair(names[0], names[1])
	}
	if len(names) == 1 {
		refs[0] = NameRef(names[0])
	}
}

// KeyIDs puts the ID of each key into ids, which must be as long. It is to ID as
// NameRefs is to NameRef.
func KeyIDs(keys []layout.Key, d layout.Domain, ids []uint64) {
	_ = ids[:len(keys)]
	for ; d.LLVM() && len(keys) > 1; keys, ids = keys[2:], ids[2:] {
		ids[0], ids[1] = fast.MD5Pair(keys[0].Name, keys[1].Name)
	}
	for i := range keys {
		ids[i] = keys[i].ID(d)
	}
}

// A RecordKind says what an index slot leads to. It is mixed into the hash, so
// that a method and a type of one id do not meet.
type RecordKind uint64

// The kinds of indexed records.
const (
	KindMethod RecordKind = 1
	KindType   RecordKind = 3
)

// A Hash is an id as the index sees it.
type Hash uint64

// Mix is the index's hash of an id: SplitMix64's finalizer over
// id xor seed xor kind * 0x9e3779b97f4a7c15.
func Mix(id uint64, kind RecordKind, seed uint64) Hash {
	h := id ^ seed ^ uint64(kind)*0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return Hash(h ^ h>>31)
}

// Bucket is the line of an index of n lines in which the search begins: the
// high 64 bits of h * n.
func (h Hash) Bucket(n uint64) uint64 {
	hi, _ := bits.Mul64(uint64(h), n)
	return hi
}

// Fingerprint is what a slot keeps of the hash: its low 16 bits, 1 for 0, which
// marks a free slot.
func (h Hash) Fingerprint() uint16 {
	if fp := uint16(h); fp != 0 {
		return fp
	}
	return 1
}

// OverflowBit is the bit that a line sets when a record with this hash had to
// go to a line after it.
func (h Hash) OverflowBit() uint32 { return 1 << (h >> 16 & 31) }

// An index line is 64 bytes:
//
//	 0  10 x u16  fingerprints, 0 for a free slot
//	20  u32       overflow: the OverflowBits of all records that passed this line
//	24  10 x u32  reference to the record
//
// A record lies in the first line with a free slot from its bucket on, wrapping
// at the end. A search goes on to the next line only if the line's overflow has
// the bit of the hash, and never over more than the header's MaxProbe lines.
const (
	LineSlots   = 10
	MaxProbe    = 255
	lineFilter  = 20
	lineRecords = 24
)

// A Line is an overlay on one line of the index, of [LineSize] bytes.
type Line []byte

// Match returns the set of slots whose fingerprint is fp, one bit a slot.
func (l Line) Match(fp uint16) (slots uint32) {
	_ = l[LineSize-1]
	all := uint64(fp) * everyLane
	return equalLanes(le.Uint64(l), all) | equalLanes(le.Uint64(l[8:]), all)<<4 |
		equalLanes(uint64(le.Uint32(l[16:]))|^all&^(1<<32-1), all)<<8
}

// everyLane has a 1 in each of four lanes of 16 bits.
const everyLane = 0x0001_0001_0001_0001

// equalLanes returns the set of lanes of 16 bits in which x and y are equal.
func equalLanes(x, y uint64) uint32 {
	const low = everyLane * 0x7fff
	x ^= y
	zero := ^(x&low + low | x | low) // the high bit of each lane that is zero
	return uint32(zero >> 15 * (1<<48 | 1<<33 | 1<<18 | 1<<3) >> 48 & 15)
}

// Record is where slot i leads.
func (l Line) Record(i int) layout.Ref { return layout.Ref(le.Uint32(l[lineRecords+4*i:])) }

// Overflowed reports whether a record with this hash may lie in the next line.
func (l Line) Overflowed(h Hash) bool { return le.Uint32(l[lineFilter:])&h.OverflowBit() != 0 }

// Put puts a record into a free slot. If there is none it marks the line as
// overflowed for h and reports false.
func (l Line) Put(h Hash, n layout.Ref) bool {
	for i := range LineSlots {
		if le.Uint16(l[2*i:]) == 0 {
			le.PutUint16(l[2*i:], h.Fingerprint())
			le.PutUint32(l[lineRecords+4*i:], uint32(n))
			return true
		}
	}
	le.PutUint32(l[lineFilter:], le.Uint32(l[lineFilter:])|h.OverflowBit())
	return false
}

// BucketsFor is the number of index lines for n records: seven tenths full, at
// least one.
func BucketsFor(n int64) int64 { return max(1, (n+6)/7) }
