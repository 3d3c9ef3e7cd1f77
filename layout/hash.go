package layout

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// The hashes of this file are frozen: a file made with one of them can only be
// read with it.

// A Key names a method. Its fields hold no NUL byte.
type Key struct {
	Class     string // declaring class, in the domain's own spelling; empty for LLVM and for Jamaica's whole signatures
	Name      string // method name, or the PGO name of LLVM
	Signature string // descriptor or parameter list, empty if the domain has none
	Loader    string // identity of the class loader, empty for the boot loader or if not known
}

// ID is the method's stable 64-bit id in a domain: for LLVM the low 64 bits of
// MD5 of the PGO name, otherwise XXH64 (seed 0) of class NUL name NUL signature
// NUL loader. It allocates nothing for keys of up to some 1,000 bytes.
func (k Key) ID(d Domain) uint64 {
	if d.LLVM() {
		return NameRef(k.Name)
	}
	return hashFields(k.Class, k.Name, k.Signature, k.Loader)
}

// NameRef is LLVM's id of a PGO name: the first 8 bytes of its MD5, read
// little-endian.
func NameRef(name string) uint64 {
	ref, _ := md5Pair(name, "")
	return ref
}

// NameRefs puts the NameRef of each name into refs, which must be as long. A
// name takes little more than half as long so.
func NameRefs(names []string, refs []uint64) {
	_ = refs[:len(names)]
	for ; len(names) > 1; names, refs = names[2:], refs[2:] {
		refs[0], refs[1] = md5Pair(names[0], names[1])
	}
	if len(names) == 1 {
		refs[0] = NameRef(names[0])
	}
}

// KeyIDs puts the ID of each key into ids, which must be as long. It is to ID as
// NameRefs is to NameRef.
func KeyIDs(keys []Key, d Domain, ids []uint64) {
	_ = ids[:len(keys)]
	for ; d.LLVM() && len(keys) > 1; keys, ids = keys[2:], ids[2:] {
		ids[0], ids[1] = md5Pair(keys[0].Name, keys[1].Name)
	}
	for i := range keys {
		ids[i] = keys[i].ID(d)
	}
}

// TypeID is the stable 64-bit id of a type: XXH64 (seed 0) of name NUL loader.
func TypeID(name, loader string) uint64 { return hashFields(name, loader) }

func hashFields(fields ...string) uint64 {
	size := len(fields)
	for _, f := range fields {
		size += len(f)
	}
	if size <= 256 { // most: less to be zeroed
		var buf [256]byte
		return hashJoined(buf[:0], fields)
	}
	var buf [1024]byte
	return hashJoined(buf[:0], fields)
}

func hashJoined(b []byte, fields []string) uint64 {
	for i, f := range fields {
		if i > 0 {
			b = append(b, 0)
		}
		b = append(b, f...)
	}
	return xxhash.Sum64(b)
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
// go to a line behind it.
func (h Hash) OverflowBit() uint32 { return 1 << (h >> 16 & 31) }
